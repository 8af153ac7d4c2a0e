"""How an attempt ends: the last words that its trainer could not write, and the end of what it left behind."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from sightline_trainer.attempt import ATTEMPT_DIR
from sightline_trainer.checkpoints import checkpoint_dir, last_complete
from sightline_trainer.rundir import NO_SPACE, AttemptDir, RunDir, drop_ballast, write_atomic
from sightline_trainer.slctl import host
from sightline_trainer.slctl.observe import exit_class
from sightline_trainer.wire.events import EXIT_CODES
from sightline_trainer.wire.log import EndReason, EventLog, last_line


@dataclass
class Ending:
    """How the trainer's process ended. Both null: nobody saw it, because its supervisor was dead."""

    code: int | None
    killed_by: str | None
    is_silent: bool = False
    """It ended with 0 and never said that it was done, as every trainer of ours does."""

    @property
    def exit_code(self) -> int:
        """As a shell would say it: 128 + the signal's number."""
        if self.code is not None:
            return self.code
        return 128 + getattr(signal, self.killed_by or "SIGKILL", signal.SIGKILL)


def finish(
    run: RunDir,
    attempt: AttemptDir,
    open_log: Callable[[], EventLog],
    ending: Ending,
    *,
    asked: str | None,
    is_oom: bool = False,
) -> None:
    """Writes `attempt.end` when the trainer did not, then the exit file, as the very last."""
    kind = "host_memory" if is_oom else exit_class(ending.code, ending.killed_by)
    last, _ = last_line(attempt.events)
    reason = _reason(ending, asked)
    if last is not None and last.get("type") == "attempt.end":
        # The trainer's last word counts, also when it was killed or crashed while it put its things away.
        reason, kind = last.get("reason"), exit_class(last.get("exit_code"), None)
    else:

        def write() -> None:
            log = open_log()
            if reason == "failed" and (last is None or last.get("type") != "error"):
                log.error(
                    kind,
                    _sentence(ending, is_oom),
                    detail=log_tail(attempt),
                    retryable=ending.code is None,
                    hint="Resume from the last checkpoint." if last_complete(run) is not None else "Launch it again.",
                )
            step = last_complete(run)
            log.attempt_end(
                reason=reason,
                exit_code=ending.exit_code,
                step=_last_step(attempt),
                checkpoint=None if step is None else str(checkpoint_dir(run, step).relative_to(run.path)),
            )
            log.close()

        with_ballast(run, write)
    content = {
        "code": ending.code,
        "signal": ending.killed_by,
        "class": kind,
        "reason": reason,
        "asked": asked,
        "time_secs": time.time(),
    }
    drop_ballast(run)
    with_ballast(run, lambda: write_atomic(attempt.exit, json.dumps(content).encode() + b"\n"))


def has_last_word(attempt: AttemptDir) -> bool:
    """True where the trainer itself wrote how it ended."""
    last, _ = last_line(attempt.events)
    return last is not None and last.get("type") == "attempt.end"


def _reason(ending: Ending, asked: str | None) -> EndReason:
    if ending.code == EXIT_CODES["done"]:
        return "done"
    if asked is not None and ending.code in (None, EXIT_CODES["interrupted"]):
        return "stopped"
    if ending.code == EXIT_CODES["interrupted"] or ending.killed_by in ("SIGTERM", "SIGINT"):
        return "interrupted"
    return "failed"


def _sentence(ending: Ending, is_oom: bool) -> str:
    if is_oom:
        return "The kernel killed the trainer: the host's memory was full."
    if ending.code is None and ending.killed_by is None:
        return "The trainer is gone without a last word. Its supervisor was dead, so nobody saw how."
    if ending.killed_by == "SIGKILL":
        return "The trainer was killed by SIGKILL, perhaps because the host's memory was full."
    if ending.killed_by is not None:
        return f"The trainer was ended by {ending.killed_by}."
    if ending.is_silent:
        return (
            "The trainer's process ended with exit code 0 and without a last word: something in it ended it, such as "
            "os._exit in a file of rewards."
        )
    return f"The trainer ended with exit code {ending.code} and without a last word."


def _last_step(attempt: AttemptDir) -> int:
    """The newest step in the events' tail, 0 when there is none."""
    try:
        with attempt.events.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1_048_576))
            lines = file.read().split(b"\n")
    except OSError:
        return 0
    for raw in reversed(lines):
        try:
            line = json.loads(raw)
        except ValueError:
            continue
        if isinstance(line, dict) and isinstance(line.get("step"), int):
            return line["step"]
        if isinstance(line, dict) and line.get("type") == "attempt.start":
            return (line.get("resume_from") or {}).get("step", 0)
    return 0


def log_tail(attempt: AttemptDir, lines: int = 20) -> str:
    """The last lines of the trainer's output."""
    try:
        with attempt.log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 16_384))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def with_ballast(run: RunDir, write: Callable[[], None]) -> None:
    """Does `write`; on a full disk frees the ballast and tries again. What fails then is said in the log only."""
    for is_last in (False, True):
        try:
            write()
            return
        except OSError as error:
            if is_last or error.errno not in NO_SPACE:
                sys.stderr.write(f"[slctl] the last words could not be written: {error}\n")
                return
            drop_ballast(run)


def sweep(attempt: AttemptDir) -> int:
    """Ends what a dead trainer left behind: judge and generation servers in its group, and strays. Returns how many."""
    killed: set[int] = set()
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        left = host.processes_of(marker(attempt), None)
        if not left:
            break
        killed.update(left)
        host.signal_all(left, signal.SIGKILL)
        time.sleep(0.05)
    return len(killed)


def marker(attempt: AttemptDir) -> bytes:
    """What the environment of every process of this attempt holds."""
    return f"{ATTEMPT_DIR}={attempt.path}".encode()
