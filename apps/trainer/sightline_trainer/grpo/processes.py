"""One attempt as several processes on one host: who they are, how they begin, and how they end as one.

`torchrun` and `accelerate launch` set the same variables, and work as well. Their agents end with code 1 whatever a
trainer ended with, and give it 30 s on a signal; this one hands signals on, waits, and ends with the trainer's code.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from sightline_trainer.rundir import AttemptDir, RunDir, read_json, write_json
from sightline_trainer.wire.events import EXIT_CODES
from sightline_trainer.wire.log import EventLog, Stream

RANK, LOCAL_RANK, WORLD_SIZE = "RANK", "LOCAL_RANK", "WORLD_SIZE"
GRACE_SECS = 20.0
"""For the others to end by themselves once one has failed; then they are killed."""


def rank() -> int:
    """Number of this process among those of the attempt, 0 for the one that writes."""
    return int(os.environ.get(RANK, "0"))


def world_size() -> int:
    """Processes of the attempt, on all nodes."""
    return int(os.environ.get(WORLD_SIZE, "1"))


def wanted(spec: Mapping[str, Any]) -> int:
    """How many processes the spec asks for on this host; 1 inside of one that was started as one of several."""
    count = (spec.get("settings") or {}).get("num_processes", 1)
    is_asked = spec.get("engine") == "grpo" and isinstance(count, (int, float)) and count > 1
    return int(count) if is_asked and RANK not in os.environ else 1


def fault_file(attempt: AttemptDir) -> Path:
    """Why a process that does not write events failed, the first one to say so."""
    return attempt.path / "fault.json"


def first_fault(attempt: AttemptDir, secs: float = 5.0) -> tuple[str, str] | None:
    """Code and message of another process's failure, awaited for a while: a broken connection is seen before it."""
    deadline = time.monotonic() + secs
    while True:
        fault = read_json(fault_file(attempt))
        if isinstance(fault, dict) and fault.get("code") in EXIT_CODES:
            return str(fault["code"]), str(fault.get("message", ""))
        if time.monotonic() > deadline:
            return None
        time.sleep(0.05)


def say_fault(attempt: AttemptDir, code: str, message: str) -> None:
    """Leaves word for the process that writes events, unless another one was first."""
    if not fault_file(attempt).exists():
        write_json(fault_file(attempt), {"code": code, "message": message}, durable=False)


class SilentLog(EventLog):
    """The log of a process that is not the first: nothing is written, and a failure is told to the one that writes."""

    def __init__(self, run: RunDir, attempt: AttemptDir) -> None:
        super().__init__(run, attempt, run_id="")
        self._dir = attempt

    def emit(self, type: str, fields: Mapping[str, Any], stream: Stream = "events") -> None:
        if type == "error":
            say_fault(self._dir, str(fields["code"]), str(fields["message"]))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fan_out(count: int, attempt: AttemptDir) -> int:
    """Runs this program `count` times as one attempt.

    Returns the first process's exit code, 128 + the signal where it was killed.
    """
    cores = max(1, (os.cpu_count() or 2) - 1)
    common = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(_free_port()),
        WORLD_SIZE: str(count),
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", str(max(1, cores // count))),
    }
    children: list[subprocess.Popen[bytes]] = []

    def hand_on(number: int, frame: FrameType | None) -> None:
        for child in children:
            if child.poll() is None:
                child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, hand_on)
    for index in range(count):
        environment = {**os.environ, **common, RANK: str(index), LOCAL_RANK: str(index)}
        children.append(subprocess.Popen(sys.orig_argv, env=environment))
    give_up_at: float | None = None
    while any(child.poll() is None for child in children):
        for index, child in enumerate(children):
            code = child.poll()
            if code in (None, 0):
                continue
            if code == -signal.SIGKILL and give_up_at is None and index > 0:
                message = f"Process {index} of {count} was killed, perhaps because the host's memory was full."
                say_fault(attempt, "host_memory", message)
            if give_up_at is None:
                give_up_at = time.monotonic() + GRACE_SECS
        if give_up_at is not None and time.monotonic() > give_up_at:
            for child in children:
                if child.poll() is None:
                    child.kill()
        time.sleep(0.05)
    code = children[0].returncode
    if code < 0:
        # As a shell says it, so that a first process that was killed is told from one that failed.
        return 128 - code
    return code
