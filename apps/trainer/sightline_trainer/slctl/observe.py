"""Looks at attempts on this host."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from sightline_trainer.rundir import AttemptDir, RunDir, is_run_id, read_json
from sightline_trainer.slctl import host
from sightline_trainer.slctl.protocol import RequestError
from sightline_trainer.slctl.verdict import Seen, Verdict, verdict
from sightline_trainer.wire.events import EXIT_CODES
from sightline_trainer.wire.log import last_line

_CLASSES = {code: name for name, code in EXIT_CODES.items()}


def root_of(request: dict[str, Any]) -> Path:
    """The folder that holds all runs: absolute, or below the user's home with `~/`."""
    text = request.get("root")
    if not isinstance(text, str) or "\0" in text:
        raise RequestError("bad_request", "root must be a path")
    root = Path(os.path.expanduser(text))
    if not root.is_absolute():
        raise RequestError("bad_request", f"root must be absolute or start with ~/: {text!r}")
    return root


def run_of(root: Path, run_id: Any) -> RunDir:
    """The directory of a run, of which only the name comes from outside."""
    if not is_run_id(run_id):
        raise RequestError("bad_request", f"not a run id: {run_id!r:.200}")
    path = (root / run_id).resolve()
    if path.parent != root.resolve():
        raise RequestError("bad_request", f"{run_id} leads out of {root}")
    return RunDir(path)


def attempt_of(run: RunDir, number: Any) -> AttemptDir:
    """The directory of an attempt."""
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= 999_999:
        raise RequestError("bad_request", f"not an attempt number: {number!r:.200}")
    return run.attempt(number)


def exit_class(code: int | None, killed_by: str | None) -> str:
    """Class of failure for the retry policy: a name of EXIT_CODES, `killed` (SIGKILL or unseen) or `signalled`."""
    if code is not None and code <= 128:
        return _CLASSES.get(code, "internal")
    # A shell between us and the trainer says 128 + the signal's number.
    return "killed" if code == 137 or (code is None and killed_by in (None, "SIGKILL")) else "signalled"


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def look(attempt: AttemptDir) -> tuple[Seen, dict[str, Any] | None, dict[str, Any] | None]:
    """What can be seen of an attempt, its id file and its exit file.

    Lock, then supervisor, then exit file: a supervisor writes the last before it frees the first, so an attempt that
    ends while we look is never taken for an orphaned or killed one.
    """
    now = time.time()
    identity = read_json(attempt.id)
    supervisor = (identity or {}).get("supervisor", {})
    has_lock = host.is_lock_held(attempt.lock)
    is_supervisor_alive = host.is_alive(supervisor.get("pid"), supervisor.get("start_ticks"))
    ending = read_json(attempt.exit)
    try:
        age: float | None = max(0.0, now - attempt.heartbeat.stat().st_mtime)
    except OSError:
        age = None
    try:
        dir_age = max(0.0, now - attempt.path.stat().st_ctime)
        has_dir = True
    except OSError:
        dir_age, has_dir = 0.0, False
    end_event = None
    if ending is None and not has_lock and has_dir:
        end_event, _ = last_line(attempt.events)
    seen = Seen(
        has_dir=has_dir,
        has_exit=ending is not None,
        has_id=identity is not None,
        is_lock_held=has_lock,
        is_supervisor_alive=is_supervisor_alive,
        is_same_boot=(identity or {}).get("boot_id") == host.boot_id(),
        is_same_host=(identity or {}).get("host") == host.host_name(),
        heartbeat_age_secs=age,
        dir_age_secs=dir_age,
        has_end_event=end_event is not None and end_event.get("type") == "attempt.end",
    )
    return seen, identity, ending


def judge(attempt: AttemptDir) -> Verdict:
    """The verdict on one attempt."""
    return verdict(look(attempt)[0])


def ending_of(attempt: AttemptDir, state: str, ending: dict[str, Any] | None) -> dict[str, Any] | None:
    """How an attempt ended: its exit file, or what its last event says when its supervisor was killed before."""
    if ending is not None:
        return ending
    if state == "finished":
        line, _ = last_line(attempt.events)
        if line is not None and line.get("type") == "attempt.end":
            code = line.get("exit_code")
            return {
                "code": code,
                "signal": None,
                "class": exit_class(code, None),
                "reason": line.get("reason"),
                "time_secs": line.get("time_secs"),
            }
    return None


def describe(run_id: str, attempt: AttemptDir) -> dict[str, Any]:
    """One row of the answer to `status`."""
    seen, identity, ending = look(attempt)
    judged = verdict(seen)
    now = time.time()
    try:
        events = attempt.events.stat()
        events_bytes, quiet = events.st_size, max(0.0, now - events.st_mtime)
    except OSError:
        events_bytes, quiet = 0, None
    identity = identity or {}
    return {
        "run_id": run_id,
        "attempt": attempt.number,
        "state": judged.state,
        "why": judged.why,
        "is_dead": judged.is_dead,
        "exit": ending_of(attempt, judged.state, ending),
        "heartbeat_age_secs": seen.heartbeat_age_secs,
        "last_event_age_secs": quiet,
        "events_bytes": events_bytes,
        "pid": identity.get("pid"),
        "pgid": identity.get("pgid"),
        "host": identity.get("host"),
        "boot_id": identity.get("boot_id"),
        "spec_hash": identity.get("spec_hash"),
        "observed_secs": now,
    }


def order_for(path: Path, attempt: int) -> dict[str, Any] | None:
    """What a person left in a control file for this attempt, or None."""
    if not path.exists():
        return None
    request = read_json(path)
    if not isinstance(request, dict):
        return {}
    return request if request.get("attempt", attempt) == attempt else None
