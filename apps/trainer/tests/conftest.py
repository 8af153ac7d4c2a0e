"""Real hosts in a folder: slctl as a process, runs as processes, and nothing of them left at the end."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sightline_trainer.rundir import AttemptDir, RunDir, read_json
from sightline_trainer.slctl import host as host_facts
from sightline_trainer.slctl.ending import marker

# Before torch loads: OpenMP's threads spin while they wait, and many tests share few cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

TRAINER = Path(__file__).resolve().parents[1]
SCHEMA = TRAINER.parents[1] / "packages" / "core" / "src" / "wire" / "events.schema.json"


def spec(run_id: str = "run", *, seed: int = 1, stages: list[Any] | None = None, **settings: Any) -> dict[str, Any]:
    """A RunSpec of the simulator; as fast as possible unless it says otherwise."""
    return {
        "run_id": run_id,
        "name": run_id,
        "engine": "simulator",
        "preset": "test",
        "seed": seed,
        "stages": stages or [],
        "settings": {"steps_per_sec": 0, "steps_per_epoch": 4, "eval_questions": 16, "save_steps": 4, **settings},
    }


class Session:
    """A client of `slctl serve`."""

    def __init__(self, process: subprocess.Popen[bytes], nonce: str) -> None:
        self.process = process
        self._ids = itertools.count(1)
        self._early: dict[Any, tuple[dict[str, Any], bytes]] = {}
        self.send_line({"nonce": nonce})
        assert process.stdout is not None
        while process.stdout.readline() != f"@slctl 1 {nonce}\n".encode():
            assert process.poll() is None
        self.greeting = self.next_frame()[0]

    def send_line(self, value: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(value).encode() + b"\n")
        self.process.stdin.flush()

    def next_frame(self) -> tuple[dict[str, Any], bytes]:
        return read_frame(self.process.stdout)

    def send(self, op: str, **fields: Any) -> int:
        request_id = next(self._ids)
        self.send_line({"id": request_id, "op": op, **fields})
        return request_id

    def answer(self, request_id: int) -> tuple[dict[str, Any], bytes]:
        while request_id not in self._early:
            header, blob = self.next_frame()
            self._early[header["id"]] = (header, blob)
        return self._early.pop(request_id)

    def ask(self, op: str, **fields: Any) -> dict[str, Any]:
        """The answer's fields; fails the test when it is a refusal."""
        header, blob = self.answer(self.send(op, **fields))
        assert header["ok"], header
        return {**header, "blob": blob}

    def refusal(self, op: str, **fields: Any) -> dict[str, Any]:
        """The error of a request that must be refused."""
        header, _ = self.answer(self.send(op, **fields))
        assert not header["ok"], header
        return header["error"]


def read_frame(stream: Any) -> tuple[dict[str, Any], bytes]:
    """One frame from a stream."""
    sizes = stream.readline().split()
    assert len(sizes) == 2, sizes
    header = json.loads(stream.read(int(sizes[0])))
    return header, stream.read(int(sizes[1]))


def start_session(environment: dict[str, str] | None = None) -> Session:
    process = subprocess.Popen(
        [sys.executable, "-m", "sightline_trainer.slctl", "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=TRAINER,
        env={**os.environ, **(environment or {})},
    )
    return Session(process, "a" * 16)


class Host:
    """A root folder with a session, and short words for what tests do."""

    def __init__(self, root: Path, session: Session) -> None:
        self.root = root
        self.session = session

    def ask(self, op: str, **fields: Any) -> dict[str, Any]:
        return self.session.ask(op, root=str(self.root), **fields)

    def refusal(self, op: str, **fields: Any) -> dict[str, Any]:
        return self.session.refusal(op, root=str(self.root), **fields)

    def launch(self, run_spec: dict[str, Any], attempt: int = 1, **fields: Any) -> dict[str, Any]:
        return self.ask("launch", spec=run_spec, attempt=attempt, **fields)

    def run(self, run_id: str = "run") -> RunDir:
        return RunDir(self.root / run_id)

    def attempt(self, run_id: str = "run", number: int = 1) -> AttemptDir:
        return self.run(run_id).attempt(number)

    def status(self, run_id: str = "run", attempt: int = 1) -> dict[str, Any]:
        return self.ask("status", attempts=[{"run_id": run_id, "attempt": attempt}])["attempts"][0]

    def wait_state(self, state: str, run_id: str = "run", attempt: int = 1, secs: float = 120) -> dict[str, Any]:
        row = self.status(run_id, attempt)
        deadline = time.monotonic() + secs
        while row["state"] != state and time.monotonic() < deadline:
            time.sleep(0.03)
            row = self.status(run_id, attempt)
        assert row["state"] == state, row
        return row

    def finished(self, run_id: str = "run", attempt: int = 1, secs: float = 120) -> dict[str, Any]:
        """Waits for the end and returns the exit file."""
        return self.wait_state("finished", run_id, attempt, secs)["exit"]

    def wait_step(self, step: int, run_id: str = "run", attempt: int = 1) -> None:
        wait_for(lambda: any(line["step"] >= step for line in self.events(run_id, attempt, "metrics")))

    def events(self, run_id: str = "run", attempt: int = 1, type: str | None = None) -> list[dict[str, Any]]:
        found = whole_lines(self.attempt(run_id, attempt).events)
        return found if type is None else [line for line in found if line["type"] == type]

    def completions(self, run_id: str = "run", attempt: int = 1) -> list[dict[str, Any]]:
        paths = sorted(self.attempt(run_id, attempt).path.glob("completions-*.jsonl"))
        return [line for path in paths for line in whole_lines(path)]

    def identity(self, run_id: str = "run", attempt: int = 1) -> dict[str, Any]:
        identity = read_json(self.attempt(run_id, attempt).id)
        assert isinstance(identity, dict)
        return identity

    def processes(self, run_id: str = "run", attempt: int = 1) -> list[int]:
        """Live processes of an attempt, its supervisor left out."""
        return host_facts.processes_of(marker(self.attempt(run_id, attempt)), None)


def whole_lines(path: Path) -> list[dict[str, Any]]:
    """Lines of a stream that are JSON objects; the others are faults on purpose."""
    lines: list[dict[str, Any]] = []
    if not path.exists():
        return lines
    for raw in path.read_bytes().split(b"\n")[:-1]:
        try:
            lines.append(json.loads(raw))
        except ValueError:
            continue
    return lines


def wait_for(condition: Callable[[], bool], secs: float = 120) -> None:
    deadline = time.monotonic() + secs
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def kill(pid: int, number: signal.Signals = signal.SIGKILL) -> None:
    os.kill(pid, number)


@pytest.fixture(scope="session")
def session() -> Iterator[Session]:
    opened = start_session()
    yield opened
    assert opened.process.stdin is not None
    opened.process.stdin.close()
    assert opened.process.wait(120) == 0


@pytest.fixture
def here(tmp_path: Path, session: Session) -> Iterator[Host]:
    """This machine with an empty root; what the test left running is ended."""
    opened = Host(tmp_path, session)
    yield opened
    for identity in tmp_path.glob("*/attempts/*/id.json"):
        attempt = RunDir(identity.parents[2]).attempt(int(identity.parent.name))
        facts = read_json(identity) or {}
        supervisor = facts.get("supervisor", {})
        if host_facts.is_alive(supervisor.get("pid"), supervisor.get("start_ticks")):
            host_facts.signal_all([supervisor["pid"]], signal.SIGKILL)
        host_facts.signal_all(host_facts.processes_of(marker(attempt), None), signal.SIGKILL)


@pytest.fixture(scope="session")
def schema() -> Callable[[dict[str, Any]], None]:
    """Raises when a line is not what packages/core/src/wire says; only its own type is asked, for clear errors."""
    document = json.loads(SCHEMA.read_text())
    variants = {
        variant["properties"]["type"]["const"]: jsonschema.Draft202012Validator(
            {**{key: value for key, value in document.items() if key not in ("oneOf", "anyOf")}, **variant}
        )
        for variant in document.get("oneOf") or document["anyOf"]
    }

    def check(line: dict[str, Any]) -> None:
        variants[line["type"]].validate(line)

    return check
