"""python -m tests.grpo.nursery SOCKET: forks attempts from a process that has loaded torch and the trainer.

Loading takes longer than a run of six steps. A fork begins as an attempt's own process does: its module as the main
one, its environment, its log, a process group of its own, and chance of its own.
"""

from __future__ import annotations

import json
import os
import random
import runpy
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path


class Forked:
    """An attempt's process, of which the tests ask what they ask of a `subprocess.Popen`."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lines = connection.makefile("r")
        self.pid = int(self._lines.readline())
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, minus the signal where one ended it. Raises TimeoutExpired."""
        if self.returncode is None:
            if not select.select([self._connection], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
            self.returncode = int(self._lines.readline())
            self._connection.close()
        return self.returncode

    def poll(self) -> int | None:
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None


class Nursery:
    """The loaded process; it ends with the one that started it."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._path = str(folder / "nursery")
        command = [sys.executable, "-m", "tests.grpo.nursery", self._path]
        self._process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE)
        deadline = time.monotonic() + 900
        while not os.path.exists(self._path):
            assert self._process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)

    def fork(self, module: str, log: str, environment: Mapping[str, str]) -> Forked:
        """Starts the module as the main one."""
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self._path)
        connection.sendall(
            json.dumps({"module": module, "log": log, "environment": dict(environment)}).encode() + b"\n"
        )
        return Forked(connection)

    def end(self) -> None:
        self._process.communicate()


def serve(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        # Who waits for the path connects at once, and a socket that is bound takes nobody before it listens.
        listener.bind(f"{path}.draft")
        listener.listen()
        os.rename(f"{path}.draft", path)
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in ready:
                return
            connection, _ = listener.accept()
            if os.fork() == 0:
                try:
                    listener.close()
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    _watch(connection)
                finally:
                    os._exit(0)
            connection.close()


def _watch(connection: socket.socket) -> None:
    """Forks the attempt and tells its number, then its end."""
    request = json.loads(connection.makefile("r").readline())
    pid = os.fork()
    if pid == 0:
        code = 120
        try:
            os.setsid()
            connection.close()
            code = _become(**request)
        finally:
            os._exit(code)
    connection.sendall(f"{pid}\n".encode())
    _, status = os.waitpid(pid, 0)
    try:
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    except OSError:
        return  # Nobody asks any more.


def _become(module: str, log: str, environment: dict[str, str]) -> int:
    import numpy as np
    import torch

    for source, target in (
        (os.open(os.devnull, os.O_RDONLY), 0),
        (os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1),
        (1, 2),
    ):
        os.dup2(source, target)
    os.environ.clear()
    os.environ.update(environment)
    random.seed()
    np.random.seed()
    torch.seed()
    sys.argv = [module]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        return 0
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        import traceback

        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _load() -> None:
    """All that an attempt loads, also what it would load late."""
    import peft  # noqa: F401
    import torch._dynamo  # noqa: F401
    from transformers.models.qwen2 import modeling_qwen2  # noqa: F401

    import sightline_trainer.evaluate.run
    import sightline_trainer.grpo.run
    import sightline_trainer.sft.run  # noqa: F401


if __name__ == "__main__":
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _load()
    serve(sys.argv[1])
