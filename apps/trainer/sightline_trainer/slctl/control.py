"""What a person asks of an attempt: a checkpoint, an end, or an end at once."""

from __future__ import annotations

import fcntl
import json
import math
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from sightline_trainer.rundir import AttemptDir, RunDir, read_json, write_json
from sightline_trainer.slctl import host
from sightline_trainer.slctl.ending import Ending, finish, marker, sweep
from sightline_trainer.slctl.observe import attempt_of, describe, look, order_for, root_of, run_of
from sightline_trainer.slctl.protocol import RequestError
from sightline_trainer.slctl.supervise import GRACE_SECS, KILL_SECS
from sightline_trainer.slctl.verdict import verdict
from sightline_trainer.wire.log import EventLog, last_line

COMMANDS = ("checkpoint", "stop", "kill", "adopt")


def control(request: dict[str, Any]) -> dict[str, Any]:
    """Leaves the request beside the run, and sees to it that someone obeys when the supervisor is dead.

    `adopt` asks nothing of the run: it gives an orphan someone who will write down how it ended.
    """
    run = run_of(root_of(request), request.get("run_id"))
    attempt = attempt_of(run, request.get("attempt"))
    command = request.get("command")
    if command not in COMMANDS:
        raise RequestError("bad_request", f"command must be one of {', '.join(COMMANDS)}")
    seen, identity, _ = look(attempt)
    judged = verdict(seen)
    if judged.state == "lost":
        raise RequestError("not_found", f"There is no attempt {attempt.number} of this run on the host.")
    if judged.is_dead:
        if command != "checkpoint":
            sweep(attempt)
        return {"action": "already_ended", "status": describe(run.path.name, attempt)}
    order = {
        "attempt": attempt.number,
        "time_secs": time.time(),
        "grace_secs": _secs(request, "grace_secs", GRACE_SECS),
        "kill_secs": _secs(request, "kill_secs", KILL_SECS),
    }
    if command != "adopt":
        write_json(run.control / command, order)
    if judged.state == "orphaned" and identity is not None and command != "checkpoint":
        _start_reaper(run, attempt, command, order)
        return {"action": "reaper_started", "status": describe(run.path.name, attempt)}
    return {"action": "requested", "status": describe(run.path.name, attempt)}


def _secs(request: dict[str, Any], name: str, default: float) -> float:
    value = request.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 86_400:
        raise RequestError("bad_request", f"{name} must be seconds, at most a day")
    return float(value)


def _start_reaper(run: RunDir, attempt: AttemptDir, command: str, order: dict[str, Any]) -> None:
    process = subprocess.Popen(
        host.self_command("supervise"),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        env=host.self_environment(),
    )
    config = {"mode": "reap", "run_dir": str(run.path), "attempt": attempt.number, "command": command, **order}
    process.communicate(json.dumps(config).encode())


def reap(config: dict[str, Any]) -> None:
    """Takes the place of a dead supervisor until its trainer has ended, and writes the last words.

    A stop waits for the grace, then TERM, then KILL. A kill is at once. One that adopts only waits. Where there are
    several, whoever gets the lock writes, and the others find it written.
    """
    run = RunDir(Path(config["run_dir"]))
    attempt = run.attempt(config["attempt"])
    identity = read_json(attempt.id) or {}
    pgid = identity.get("pgid")
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    now = time.monotonic()
    command = config["command"]
    term_at = {"kill": now, "stop": now + config["grace_secs"]}.get(command, math.inf)
    kill_at = now if command == "kill" else term_at + config["kill_secs"]
    is_termed = command == "kill"
    has_killed = False
    lock = os.open(attempt.lock, os.O_RDWR | os.O_CLOEXEC)
    # Asked for beforehand: were it free for a moment before the last words are written, whoever looks would take the
    # attempt for dead without them.
    taking = threading.Thread(target=fcntl.flock, args=(lock, fcntl.LOCK_EX), daemon=True)
    taking.start()
    while taking.is_alive() or host.processes_of(marker(attempt), pgid):
        now = time.monotonic()
        if not is_termed and now >= term_at:
            host.signal_all(host.processes_of(marker(attempt), pgid), signal.SIGTERM)
            is_termed = True
        is_alive = host.is_alive(identity.get("pid"), identity.get("start_ticks"))
        # What an ended trainer left behind gets no grace.
        if now >= kill_at or not is_alive:
            has_killed = has_killed or is_alive
            host.signal_all(host.processes_of(marker(attempt), pgid), signal.SIGKILL)
        time.sleep(0.1)
    if attempt.exit.exists():
        return
    last, _ = last_line(attempt.events)
    if last is not None and last.get("type") == "attempt.end":
        ending = Ending(last.get("exit_code"), None)
    else:
        ending = Ending(None, "SIGKILL" if has_killed else None)
    spec = read_json(run.spec) or {}
    began = identity.get("began_mono_secs")

    def open_log() -> EventLog:
        run_id = str(spec.get("run_id", run.path.name))
        return EventLog(run, attempt, run_id=run_id, began_mono_secs=began, stops_when_full=False)

    asked = next((name for name in ("kill", "stop") if order_for(run.control / name, attempt.number) is not None), None)
    finish(run, attempt, open_log, ending, asked=asked)
