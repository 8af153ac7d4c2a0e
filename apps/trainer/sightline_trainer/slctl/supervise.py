"""The process that outlives its caller, watches one trainer and says how it ended.

It holds the lock, beats, passes on what a person asks for, and is the second and last writer of the events: it writes
`attempt.start` before the trainer runs and `attempt.end` when the trainer could not.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from sightline_trainer import __version__
from sightline_trainer.attempt import ATTEMPT_DIR, BEGAN, OVERRIDES, RESUME_STEP
from sightline_trainer.checkpoints import checkpoint_dir, last_complete, remove_incomplete
from sightline_trainer.rundir import (
    NO_SPACE,
    AttemptDir,
    RunDir,
    drop_ballast,
    make_ballast,
    read_json,
    write_all,
    write_json,
)
from sightline_trainer.slctl import host
from sightline_trainer.slctl.doctor import device_facts
from sightline_trainer.slctl.ending import Ending, finish, has_last_word, log_tail, marker, sweep, with_ballast
from sightline_trainer.slctl.observe import order_for, signal_name
from sightline_trainer.slctl.verdict import HEARTBEAT_SECS
from sightline_trainer.wire.events import EXIT_CODES
from sightline_trainer.wire.log import EventLog

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
    except Exception as error:  # A fault of ours: whoever asked must hear of it, and nothing may stay behind.
        supervisor.abandon()
        answer = {"ok": False, "code": "internal", "message": f"The supervisor failed: {error!r}"}
    # Whoever asked may be gone by now; the attempt has begun.
    with contextlib.suppress(BrokenPipeError):
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
    """Watches one attempt, from its lock to its exit file."""

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
        self._term_at: float | None = None
        self._kill_at: float | None = None
        self._kill_secs = KILL_SECS

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
        if not host.take_lock(self.lock_fd):
            raise StartError("alive", f"Attempt {self.attempt.number} is running already.")
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
            OVERRIDES: json.dumps(self.config.get("overrides", {})),
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
                "overrides": self.config.get("overrides", {}),
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
        if self.config.get("note"):
            log.warn("automatic_attempt", str(self.config["note"]))
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
                    host.keep_package()
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

        with_ballast(self.run, write)

    def _finish(self, ending: Ending) -> None:
        # A trainer may obey the file and be gone before the next look at it.
        if self.asked is None and order_for(self.run.control / "stop", self.attempt.number) is not None:
            self.asked = "stop"
        is_own = any(word.startswith("sightline_trainer.") for word in self.argv)
        if ending.code == EXIT_CODES["done"] and is_own and not has_last_word(self.attempt):
            ending = Ending(EXIT_CODES["internal"], None, is_silent=True)
        oom = host.oom_kills()
        is_oom = (
            ending.killed_by == "SIGKILL"
            and self.asked is None
            and self.oom_kills is not None
            and oom is not None
            and oom > self.oom_kills
        )
        finish(self.run, self.attempt, self._open_log, ending, asked=self.asked, is_oom=is_oom)
