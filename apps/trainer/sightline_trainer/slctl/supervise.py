"""The process that outlives its caller, watches one trainer and says how it ended.

It holds the lock, beats, passes on what a person asks for, and is the second and last writer of the events: it writes
`attempt.start` before the trainer runs and `attempt.end` when the trainer could not.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from sightline_trainer import __version__
from sightline_trainer.attempt import ATTEMPT_DIR, BEGAN, RESUME_STEP
from sightline_trainer.checkpoints import checkpoint_dir, last_complete, remove_incomplete
from sightline_trainer.rundir import (
    NO_SPACE,
    AttemptDir,
    RunDir,
    drop_ballast,
    make_ballast,
    read_json,
    write_all,
    write_atomic,
    write_json,
)
from sightline_trainer.slctl import host
from sightline_trainer.slctl.doctor import device_facts
from sightline_trainer.slctl.observe import exit_class, signal_name
from sightline_trainer.slctl.verdict import HEARTBEAT_SECS
from sightline_trainer.wire.events import EXIT_CODES
from sightline_trainer.wire.log import EventLog, last_line

TICK_SECS = 0.1
GRACE_SECS = 120.0
KILL_SECS = 15.0
LOG_BYTES = 64 * 1024 * 1024
BALLAST_BYTES = 64 * 1024 * 1024
SIMULATOR_BALLAST_BYTES = 1024 * 1024


class StartError(Exception):
    """The attempt can't start; the message goes to whoever asked."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass
class Ending:
    """How the trainer's process ended. Both null: nobody saw it, because its supervisor was dead."""

    code: int | None
    killed_by: str | None

    @property
    def exit_code(self) -> int:
        """As a shell would say it: 128 + the signal's number."""
        if self.code is not None:
            return self.code
        return 128 + getattr(signal, self.killed_by or "SIGKILL", signal.SIGKILL)


def main() -> None:
    """Reads its configuration from stdin, detaches, answers one JSON object on stdout, supervises."""
    config = json.loads(sys.stdin.buffer.read())
    if os.fork() > 0:
        os._exit(0)
    if config.get("mode") == "reap":
        from sightline_trainer.slctl.control import reap

        _silence(None)
        reap(config)
        os._exit(0)
    supervisor = Supervisor(config)
    try:
        supervisor.start()
        answer: dict[str, Any] = {"ok": True}
    except StartError as error:
        supervisor.abandon()
        answer = {"ok": False, "code": error.code, "message": str(error)}
    except OSError as error:
        supervisor.abandon()
        code = "disk_full" if error.errno in NO_SPACE else "io"
        answer = {"ok": False, "code": code, "message": f"Can't start: {error.strerror}: {error.filename}"}
    write_all(1, json.dumps(answer).encode())
    _silence(supervisor.log_fd)
    if answer["ok"]:
        supervisor.watch()
    os._exit(0)


def _silence(log_fd: int | None) -> None:
    """Lets go of the caller's pipes, so that a connection can close while we go on."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(log_fd if log_fd is not None else nothing, 1)
    os.dup2(log_fd if log_fd is not None else nothing, 2)


class Supervisor:
    def __init__(self, config: dict[str, Any]) -> None:
        self.run = RunDir(Path(config["run_dir"]))
        self.attempt: AttemptDir = self.run.attempt(config["attempt"])
        self.argv: list[str] = config["argv"]
        self.config = config
        self.spec = read_json(self.run.spec) or {}
        self.began = time.monotonic()
        self.heartbeat_secs = float(config.get("heartbeat_secs", HEARTBEAT_SECS))
        self.log_fd: int | None = None
        self.lock_fd = -1
        self.has_lock = False
        self.pid = 0
        self.oom_kills = host.oom_kills()
        self.asked: str | None = None

    def start(self) -> None:
        """Takes the lock, names itself, writes `attempt.start` and lets the trainer go."""
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM})
        self._take_lock()
        numbers = self.run.attempt_numbers()
        if numbers and numbers[-1] > self.attempt.number:
            raise StartError("fenced", f"Attempt {numbers[-1]} exists; attempt {self.attempt.number} must not start.")
        self.log_fd = os.open(self.attempt.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        os.close(os.open(self.attempt.heartbeat, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644))
        for name in ("stop", "checkpoint", "kill"):
            (self.run.control / name).unlink(missing_ok=True)
        is_simulator = self.spec.get("engine") == "simulator"
        make_ballast(
            self.run, int(self.config.get("ballast_bytes", SIMULATOR_BALLAST_BYTES if is_simulator else BALLAST_BYTES))
        )
        for number in numbers:
            if number < self.attempt.number:
                sweep(self.run.attempt(number))
        removed = remove_incomplete(self.run)
        step = last_complete(self.run)
        resume = None
        if step is not None:
            resume = {"step": step, "path": str(checkpoint_dir(self.run, step).relative_to(self.run.path))}
        go, problem = self._fork_trainer(step)
        self._write_id(resume)
        self._write_start(resume, removed)
        os.write(go, b"g")
        os.close(go)
        failure = os.read(problem, 4096)
        os.close(problem)
        if failure:
            os.waitpid(self.pid, 0)
            message = f"Can't run {self.argv[0]}: {failure.decode('utf-8', 'replace')}"
            self._say("error", "not_started", message, "Prepare the environment of this host again.")
            self._finish(Ending(EXIT_CODES["missing_input"], None))
            raise StartError("not_started", message)

    def abandon(self) -> None:
        """Takes back a start that failed before the trainer ran, so that the same attempt can be launched again."""
        if not self.has_lock or self.attempt.exit.exists():
            return
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        drop_ballast(self.run)
        shutil.rmtree(self.attempt.path, ignore_errors=True)

    def _take_lock(self) -> None:
        self.lock_fd = os.open(self.attempt.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        deadline = time.monotonic() + 5
        while True:
            try:
                fcntl.flock(self.lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                # Those who only look hold it for an instant.
                if time.monotonic() > deadline:
                    raise StartError("alive", f"Attempt {self.attempt.number} is running already.") from None
                time.sleep(0.01)
        self.has_lock = True
        os.set_inheritable(self.lock_fd, True)

    def _fork_trainer(self, resume_step: int | None) -> tuple[int, int]:
        """Forks the trainer, which waits until it has been named: a supervisor that dies before leaves nothing behind.

        Returns a pipe that lets it go, and one on which it says why it could not be executed.
        """
        wait_read, wait_write = os.pipe()
        fail_read, fail_write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.close(wait_write)
                os.close(fail_read)
                self._become_trainer(wait_read, fail_write, resume_step)
            finally:
                os._exit(127)
        os.close(wait_read)
        os.close(fail_write)
        os.setpgid(pid, pid)
        self.pid = pid
        return wait_write, fail_read

    def _become_trainer(self, wait_read: int, fail_write: int, resume_step: int | None) -> NoReturn:
        os.setpgid(0, 0)
        if os.read(wait_read, 1) != b"g":
            os._exit(127)
        # SIGHUP stays ignored: a terminal that hangs up must not end a run.
        for number in (signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, set())
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        assert self.log_fd is not None
        os.dup2(self.log_fd, 1)
        os.dup2(self.log_fd, 2)
        environment = {
            **host.self_environment(),
            "PYTHONUNBUFFERED": "1",
            "PYTHONFAULTHANDLER": "1",
            **{str(name): str(value) for name, value in self.config.get("env", {}).items()},
            ATTEMPT_DIR: str(self.attempt.path),
            BEGAN: repr(self.began),
            RESUME_STEP: "" if resume_step is None else str(resume_step),
        }
        try:
            os.chdir(self.run.path)
            os.execvpe(self.argv[0], self.argv, environment)
        except OSError as error:
            os.write(fail_write, (error.strerror or errno.errorcode.get(error.errno or 0, "?")).encode())
        os._exit(127)

    def _write_id(self, resume: dict[str, Any] | None) -> None:
        write_json(
            self.attempt.id,
            {
                "pid": self.pid,
                "start_ticks": host.start_ticks(self.pid),
                "pgid": self.pid,
                "supervisor": {"pid": os.getpid(), "start_ticks": host.start_ticks(os.getpid())},
                "boot_id": host.boot_id(),
                "host": host.host_name(),
                "spec_hash": self.config.get("spec_hash", ""),
                "argv": self.argv,
                "resume_from": resume,
                "began_secs": time.time(),
                "began_mono_secs": self.began,
                "slctl": __version__,
            },
        )

    def _open_log(self) -> EventLog:
        return EventLog(
            self.run,
            self.attempt,
            run_id=str(self.spec.get("run_id", self.run.path.name)),
            began_mono_secs=self.began,
            stops_when_full=False,
        )

    def _write_start(self, resume: dict[str, Any] | None, removed: list[int]) -> None:
        engine = str(self.spec.get("engine", "unknown"))
        log = self._open_log()
        log.attempt_start(
            executor=str(self.config.get("executor", "local")),
            host=host.host_name(),
            pid=self.pid,
            boot_id=host.boot_id(),
            spec_hash=str(self.config.get("spec_hash", "")),
            resume_from=resume,
            versions={
                "engine": engine,
                "sightline_trainer": __version__,
                "slctl_python": sys.version.split()[0],
                **{str(name): str(value) for name, value in self.config.get("versions", {}).items()},
            },
            device=device_facts(simulated=engine == "simulator"),
        )
        for step in removed:
            log.warn(
                "half_checkpoint",
                f"checkpoint-{step} was half-written and was removed.",
                hint="The run goes on from the checkpoint before it.",
            )
        log.close()

    def watch(self) -> None:
        """Beats and waits until the trainer is gone, then writes the last words."""
        next_beat = 0.0
        next_size = 0.0
        while True:
            number = signal.sigtimedwait({signal.SIGCHLD, signal.SIGTERM}, TICK_SECS)
            if number is not None and number.si_signo == signal.SIGTERM:
                self._ask_to_end(kill_at=time.monotonic() + KILL_SECS)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                break
            now = time.monotonic()
            try:
                if now >= next_beat:
                    next_beat = now + self.heartbeat_secs
                    os.utime(self.attempt.heartbeat)
                if now >= next_size:
                    next_size = now + 1
                    self._cap_log()
                self._obey(now)
            except OSError as error:
                # A disk that fails for a while must not cost the run its supervisor.
                sys.stderr.write(f"[slctl] {error}\n")
        if os.WIFSIGNALED(status):
            ending = Ending(None, signal_name(os.WTERMSIG(status)))
        else:
            ending = Ending(os.WEXITSTATUS(status), None)
        sweep(self.attempt)
        self._finish(ending)

    _term_at: float | None = None
    _kill_at: float | None = None

    def _obey(self, now: float) -> None:
        """Stop: the trainer is asked by the file itself; TERM after the grace, then KILL. Kill: at once."""
        if order_for(self.run.control / "kill", self.attempt.number) is not None:
            self.asked = "kill"
            self._signal(signal.SIGKILL)
            return
        if self._term_at is None and self._kill_at is None:
            stop = order_for(self.run.control / "stop", self.attempt.number)
            if stop is not None:
                self.asked = "stop"
                self._term_at = now + float(stop.get("grace_secs", GRACE_SECS))
                self._kill_secs = float(stop.get("kill_secs", KILL_SECS))
        if self._term_at is not None and now >= self._term_at:
            self._term_at = None
            self._ask_to_end(kill_at=now + self._kill_secs)
        if self._kill_at is not None and now >= self._kill_at:
            self._signal(signal.SIGKILL)
            self._kill_at = now + 1

    _kill_secs: float = KILL_SECS

    def _ask_to_end(self, kill_at: float) -> None:
        self._kill_at = kill_at
        self._signal(signal.SIGTERM)

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            return
        if number == signal.SIGKILL:
            host.signal_all(host.processes_of(marker(self.attempt), self.pid), number)

    def _cap_log(self) -> None:
        cap = int(self.config.get("log_bytes", LOG_BYTES))
        if self.attempt.log.stat().st_size <= cap:
            return
        with self.attempt.log.open("r+b", buffering=0) as log:
            try:
                with self.attempt.older_log.open("wb", buffering=0) as older:
                    while block := log.read(1024 * 1024):
                        older.write(block)
            except OSError:
                self.attempt.older_log.unlink(missing_ok=True)
            # The trainer appends to the same file, so it goes on at the new beginning.
            log.truncate(0)

    def _say(self, kind: str, code: str, message: str, hint: str) -> None:
        def write() -> None:
            log = self._open_log()
            getattr(log, kind)(code, message, detail=log_tail(self.attempt), hint=hint)
            log.close()

        _with_ballast(self.run, write)

    def _finish(self, ending: Ending) -> None:
        oom = host.oom_kills()
        is_oom = (
            ending.killed_by == "SIGKILL"
            and self.asked is None
            and self.oom_kills is not None
            and oom is not None
            and oom > self.oom_kills
        )
        finish(self.run, self.attempt, self._open_log, ending, asked=self.asked, is_oom=is_oom)


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

        _with_ballast(run, write)
    content = {
        "code": ending.code,
        "signal": ending.killed_by,
        "class": kind,
        "reason": reason,
        "asked": asked,
        "time_secs": time.time(),
    }
    drop_ballast(run)
    _with_ballast(run, lambda: write_atomic(attempt.exit, json.dumps(content).encode() + b"\n"))


def _reason(ending: Ending, asked: str | None) -> Any:
    if ending.code == 0 and ending.killed_by is None:
        return "done"
    if asked is not None:
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


def order_for(path: Path, attempt: int) -> dict[str, Any] | None:
    """What a person left in a control file for this attempt, or None."""
    if not path.exists():
        return None
    request = read_json(path)
    if not isinstance(request, dict):
        return {}
    return request if request.get("attempt", attempt) == attempt else None


def _with_ballast(run: RunDir, write: Callable[[], None]) -> None:
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
