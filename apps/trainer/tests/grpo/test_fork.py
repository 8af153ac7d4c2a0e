"""python -m pytest apps/trainer/tests/grpo/test_fork.py: runs that begin from the checkpoint of another one."""

import json
from pathlib import Path

import pytest

from sightline_trainer.rundir import RunDir, write_json
from sightline_trainer.slctl.checkpoint import ensure_fork
from tests.grpo.attempts import STAGES, make_run, of_type, read_lines, start

UNTOLD = ("step_time",)
STEP = 2


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forks")


@pytest.fixture(scope="module")
def parent(root: Path) -> RunDir:
    return finish(make_run(root, "parent", keep_checkpoints=9), None)


def finish(run: RunDir, resume_step: int | None) -> RunDir:
    process = start(run, 1, resume_step)
    assert process.wait(timeout=900) == 0, run.attempt(1).log.read_text()[-3000:]
    return run


def fork(parent: RunDir, run_id: str, *, keeps_optimiser: bool = True, **change) -> RunDir:
    run = make_run(parent.path.parent, run_id)
    origin = {"run_id": parent.path.name, "step": STEP, "keeps_optimiser": keeps_optimiser, "root_seed": 3}
    settings = change.pop("settings", {})
    spec = json.loads(run.spec.read_text())
    spec = {**spec, "settings": spec["settings"] | settings, "forked_from": origin, **change}
    write_json(run.spec, spec)
    ensure_fork(parent.path.parent, run, spec)
    return finish(run, STEP)


def metrics(run: RunDir):
    return {
        line["step"]: {name: value for name, value in line["values"].items() if name not in UNTOLD}
        for line in of_type(read_lines(run, 1), "metrics")
    }


def rate(run: RunDir, step: int) -> float:
    return metrics(run)[step]["learning_rate"]


def test_nothing_changed_is_the_parent_from_there_on(parent: RunDir) -> None:
    same = metrics(fork(parent, "same"))
    assert list(same) == [3, 4, 5, 6]
    assert same == {step: values for step, values in metrics(parent).items() if step > STEP}


def test_another_schedule_from_a_stage_boundary_takes_its_weights_from_the_first_step(parent: RunDir) -> None:
    weights = {"format": 0, "accuracy": 1, "consistency": 0}
    stages = [STAGES[0], {"name": "answers only", "weights": weights, "from_epoch": 0.5, "to_epoch": 1}]
    other = fork(parent, "other", stages=stages)
    assert list(metrics(other)) == [3, 4]
    [stage] = of_type(read_lines(other, 1), "stage")
    assert (stage["name"], stage["from_step"]) == ("answers only", 3)
    first = of_type(read_lines(other, 1, "completions"), "completion")
    train = [line for line in first if line.get("split") != "eval" and line["step"] == 3]
    theirs = of_type(read_lines(parent, 1, "completions"), "completion")
    same = [line for line in theirs if line.get("split") != "eval" and line["step"] == 3]
    # The policy, the questions and chance are the parent's; only what is paid for is not.
    assert [line["text"] for line in train] == [line["text"] for line in same]
    assert {line["rewards"]["accuracy"]["weight"] for line in train} == {1.0}


def test_another_learning_rate_counts_at_once_and_the_schedule_goes_on(parent: RunDir) -> None:
    half = fork(parent, "half", settings={"learning_rate": 6e-5})
    for step in (3, 6):
        assert rate(half, step) == pytest.approx(rate(parent, step) / 2, rel=1e-9)


def test_without_the_optimiser_the_rate_is_that_of_the_step_all_the_same(parent: RunDir) -> None:
    fresh = fork(parent, "fresh", keeps_optimiser=False)
    assert not (fresh.checkpoints / f"checkpoint-{STEP}" / "optimizer.pt").exists()
    assert rate(fresh, 3) == pytest.approx(rate(parent, 3), rel=1e-9)
