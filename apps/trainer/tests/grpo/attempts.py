"""Runs attempts of short GRPO runs as the supervisor would, and reads what they wrote."""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from sightline_trainer.attempt import ATTEMPT_DIR, BEGAN, RESUME_STEP
from sightline_trainer.rundir import RunDir, write_json
from tests.grpo.nursery import Forked, Nursery

ROOT = Path(__file__).parents[4]
QUESTIONS = ROOT / "fixtures/questions"

SHORT = {
    "warm_steps": 12,
    "warm_batch": 16,
    "group_size": 4,
    "prompts_per_step": 8,
    "micro_batch": 32,
    "save_steps": 2,
    "eval_steps": 0,
    "max_completion_tokens": 24,
}
"""Six steps over the 32 questions of fixtures/questions: two a stage."""


ALONE = {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT / "apps/trainer"), "PYTHONUNBUFFERED": "1"}
"""Environment of each attempt: one thread, and the trainer of this checkout."""

T = TypeVar("T")
R = TypeVar("R")


def two_at_a_time(work: Callable[[T], R], items: Sequence[T]) -> dict[T, Future[R]]:
    """Does the work for all items, each an attempt on a core of its own. A failure is raised by its item's result."""
    with ThreadPoolExecutor(2) as pool:
        return {item: pool.submit(work, item) for item in items}


def _stage(name: str, weights: tuple[int, int, int], from_epoch: float) -> dict[str, Any]:
    parts = dict(zip(("format", "accuracy", "consistency"), weights, strict=True))
    return {"name": name, "weights": parts, "from_epoch": from_epoch, "to_epoch": from_epoch + 0.5}


STAGES = [
    _stage("format first", (7, 3, 0), 0),
    _stage("accuracy", (3, 7, 0), 0.5),
    _stage("consistency", (1, 7, 2), 1),
]


def make_run(
    root: Path, run_id: str, engine: str = "grpo", stages: Sequence[dict[str, Any]] = STAGES, **settings: Any
) -> RunDir:
    """A run directory with its spec and the fixture's questions."""
    run = RunDir(root / run_id)
    for folder in (run.data, run.checkpoints, run.control, run.attempts):
        folder.mkdir(parents=True)
    for name in ("train", "eval", "warm"):
        shutil.copy(QUESTIONS / f"{name}.jsonl", run.data)
    spec = {"run_id": run_id, "engine": engine, "seed": 3, "stages": stages, "settings": SHORT | settings}
    write_json(run.spec, spec)
    return run


def start(
    run: RunDir,
    number: int,
    resume_step: int | None = None,
    *,
    module: str | None = None,
    launcher: Sequence[str] | None = None,
    log_to: str | None = None,
    **variables: str,
) -> subprocess.Popen[bytes] | Forked:
    """Starts an attempt's process in a group of its own; its output goes to the attempt's log, or to `log_to`.

    launcher: Python's arguments before the module's, where another program starts it; none of them where it is to be a
    program of its own, and no fork of one that is loaded.
    """
    attempt = run.attempt(number)
    spec = json.loads(run.spec.read_bytes())
    attempt.path.mkdir()
    environment = os.environ | {
        ATTEMPT_DIR: str(attempt.path),
        BEGAN: str(time.monotonic()),
        RESUME_STEP: "" if resume_step is None else str(resume_step),
        **ALONE,
        **variables,
    }
    program = module or f"sightline_trainer.{spec['engine']}"
    # Several processes are started by what started the first one.
    if launcher is None and spec["settings"].get("num_processes", 1) == 1:
        return nursery().fork(program, log_to or str(attempt.log), environment)
    with open(log_to or attempt.log, "wb") as log:
        return subprocess.Popen(
            [sys.executable, *(launcher or ()), "-m", program],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


@cache
def nursery() -> Nursery:
    """One for all tests of this process, ended with it."""
    folder = tempfile.mkdtemp()
    made = Nursery(Path(folder), os.environ | ALONE)

    def end() -> None:
        made.end()
        shutil.rmtree(folder)

    atexit.register(end)
    return made


def read_lines(run: RunDir, number: int, stream: str = "events") -> list[dict[str, Any]]:
    """Whole lines of one stream of an attempt; a torn last line is left out."""
    attempt = run.attempt(number)
    path = attempt.events if stream == "events" else attempt.completions(1)
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def of_type(lines: list[dict[str, Any]], type: str) -> list[dict[str, Any]]:
    return [line for line in lines if line["type"] == type]
