"""python -m pytest apps/trainer/tests/grpo/test_run.py

Three real attempts of a six-step run: one that is left alone, one that is killed, and the one that goes on after it.
"""

import json
import math
import os
import random
import signal
import time
from pathlib import Path

import jsonschema
import pytest

from sightline_trainer.checkpoints import is_complete, last_complete
from sightline_trainer.rewards.score import combine_rewards, group_advantages
from sightline_trainer.rundir import RunDir
from tests.grpo.attempts import ROOT, make_run, of_type, read_lines, start, two_at_a_time
from tests.grpo.attempts import STAGES as PLAIN_STAGES

STEPS = 6
OWN = ({}, {"learning_rate": 6e-5, "temperature": 0.9}, {"beta": 0.01})
STAGES = [stage | own for stage, own in zip(PLAIN_STAGES, OWN, strict=True)]
UNRELATED = ("seq", "attempt", "time_secs", "mono_secs", "run_id", "judges")
TIMES = ("step_time",)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def whole(root: Path):
    """The run that nobody disturbs."""
    run = make_run(root, "whole", stages=STAGES)
    process = start(run, 1)
    assert process.wait(timeout=900) == 0, run.attempt(1).log.read_text()[-3000:]
    return run


def rows(lines):
    """What a row says of the training, without when and by whom it was written."""
    return [{key: value for key, value in line.items() if key not in UNRELATED} for line in lines]


def losses(lines):
    return {
        line["step"]: {name: value for name, value in line["values"].items() if name not in TIMES}
        for line in of_type(lines, "metrics")
    }


def test_every_line_is_legal_and_gapless(whole):
    schema = json.loads((ROOT / "packages/core/src/wire/events.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    for stream in ("events", "completions"):
        lines = read_lines(whole, 1, stream)
        assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
        for line in lines:
            validator.validate(line)


def test_every_step_is_there_once_with_its_stage(whole):
    events = read_lines(whole, 1)
    assert [line["step"] for line in of_type(events, "metrics")] == list(range(1, STEPS + 1))
    assert [(line["index"], line["from_step"]) for line in of_type(events, "stage")] == [(0, 1), (1, 3), (2, 5)]
    assert [line["step"] for line in of_type(events, "evaluation")] == [0, STEPS]
    end = events[-1]
    assert (end["type"], end["reason"], end["exit_code"], end["step"]) == ("attempt.end", "done", 0, STEPS)
    assert end["checkpoint"] == f"checkpoints/checkpoint-{STEPS}"


def test_its_last_checkpoint_is_exported_with_the_judge(whole):
    folder = whole.path / "export"
    assert is_complete(folder)
    card = json.loads((folder / "policy.json").read_text())
    assert (card["run_id"], card["step"], card["has_reference"]) == ("whole", STEPS, True)
    [_, last] = of_type(read_lines(whole, 1), "evaluation")
    assert card["held_out"]["accuracy"] == last["overall"]["accuracy"]
    phases = [(line["name"], line["done"]) for line in of_type(read_lines(whole, 1), "phase")]
    assert phases[-3:] == [("save", 0), ("save", 1), ("finish", 1)]


def test_names_that_the_workbench_reads(whole):
    values = of_type(read_lines(whole, 1), "metrics")[-1]["values"]
    wanted = ["loss", "grad_norm", "learning_rate", "kl", "entropy", "reward", "reward_std", "frac_reward_zero_std"]
    wanted += [f"rewards/{part}/mean" for part in ("format", "accuracy", "consistency")]
    wanted += ["completions/mean_length", "completions/clipped_ratio", "num_tokens"]
    wanted += ["consistency/judged", "consistency/agree", "task/heading/n", "task/heading/correct"]
    assert [name for name in wanted if name not in values] == []


def test_rewards_are_the_weighted_parts_and_advantages_their_groups(whole):
    samples = [line for line in read_lines(whole, 1, "completions") if line.get("split") != "eval"]
    assert len(samples) == STEPS * 8 * 4
    groups: dict[str, list] = {}
    for line in samples:
        groups.setdefault(line["group_id"], []).append(line)
    assert len(groups) == STEPS * 8
    weights_by_stage = {0: (0.7, 0.3, 0.0), 1: (0.3, 0.7, 0.0), 2: (0.1, 0.7, 0.2)}
    for group in groups.values():
        assert [line["k"] for line in group] == [0, 1, 2, 3]
        assert len({line["question_id"] for line in group}) == 1
        assert [line["prompt"] is not None for line in group] == [True, False, False, False]
        for line in group:
            weights = {name: part["weight"] for name, part in line["rewards"].items()}
            assert tuple(weights.values()) == pytest.approx(weights_by_stage[line["stage"]])
            raw = {name: part["raw"] for name, part in line["rewards"].items()}
            if weights["consistency"] == 0:
                raw["consistency"] = None
            assert line["reward"] == pytest.approx(combine_rewards(raw, weights))
        wanted = group_advantages([line["reward"] for line in group])
        assert [line["advantage"] for line in group] == pytest.approx(wanted, abs=1e-3)


def test_a_stage_has_its_own_rate_while_it_is_in_force(whole):
    """The rate falls along one cosine; in the second stage it is half of what it would be."""
    base = {1: 1.2e-4, 2: 1.2e-4, 3: 6e-5, 4: 6e-5, 5: 1.2e-4, 6: 1.2e-4}
    wanted = {step: rate * (0.4 + 0.3 * (1 + math.cos(math.pi * (step - 1) / STEPS))) for step, rate in base.items()}
    rates = {step: value["learning_rate"] for step, value in losses(read_lines(whole, 1)).items()}
    assert rates == pytest.approx(wanted, rel=1e-6)
    stages = of_type(read_lines(whole, 1), "stage")
    assert [{name: line[name] for name in line if name in OWN[1] | OWN[2]} for line in stages] == list(OWN)


def test_rewards_made_relative_before_they_are_summed(root):
    """GDPO: per group and part (r - mean) / (std + 1e-4), weighed, then made relative to the whole generation."""
    stages = [PLAIN_STAGES[2] | {"steps": 1, "weights": {"format": 6, "accuracy": 3, "consistency": 1}}]
    run = make_run(root, "gdpo", stages=stages, multi_objective_aggregation="normalize_then_sum")
    process = start(run, 1)
    assert process.wait(timeout=900) == 0, run.attempt(1).log.read_text()[-3000:]
    groups: dict[str, list] = {}
    for line in read_lines(run, 1, "completions"):
        if line.get("split") != "eval":
            groups.setdefault(line["group_id"], []).append(line)
    weights = {"format": 0.6, "accuracy": 0.3, "consistency": 0.1}
    sums = [
        sum(
            weight * value
            for weight, value in zip(
                weights.values(),
                (group_advantages([line["rewards"][part]["raw"] for line in group])[k] for part in weights),
                strict=True,
            )
        )
        for group in groups.values()
        for k in range(4)
    ]
    got = [line["advantage"] for group in groups.values() for line in group]
    assert got == pytest.approx(group_advantages(sums), abs=1e-3)
    plain = [advantage for group in groups.values() for advantage in group_advantages([one["reward"] for one in group])]
    assert got != pytest.approx(plain, abs=1e-2)


def test_a_group_worked_by_hand():
    """Format 1 1 0 0, accuracy 1 0 0 0 of weights 1:1. Summed first: 1, ½, 0, 0."""
    summed = group_advantages([1.0, 0.5, 0.0, 0.0])
    assert summed == pytest.approx([1.3053, 0.2611, -0.7832, -0.7832], abs=1e-3)
    parts = [group_advantages(part) for part in ([1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0])]
    assert parts[0] == pytest.approx([0.8659, 0.8659, -0.8659, -0.8659], abs=1e-3)
    assert parts[1] == pytest.approx([1.4997, -0.4999, -0.4999, -0.4999], abs=1e-3)
    assert [sum(pair) / 2 for pair in zip(*parts, strict=True)] == pytest.approx(
        [1.1828, 0.1830, -0.6829, -0.6829], abs=1e-3
    )


def test_judge_sees_one_group_in_eight_while_consistency_has_no_weight(whole):
    samples = [line for line in read_lines(whole, 1, "completions") if line.get("split") != "eval"]
    judged: dict[int, set[str]] = {}
    for line in samples:
        if line["judges"]:
            judged.setdefault(line["step"], set()).add(line["group_id"])
    assert [len(judged[step]) for step in range(1, STEPS + 1)] == [1, 1, 1, 1, 8, 8]


def test_the_same_seed_twice_gives_the_same_rewards(tmp_path, whole):
    """In a folder of its own, so that the warm start is trained anew, and as a program of its own."""
    again = make_run(tmp_path, "again", stages=STAGES)
    process = start(again, 1, launcher=())
    assert process.wait(timeout=900) == 0, again.attempt(1).log.read_text()[-3000:]
    assert rows(read_lines(again, 1, "completions")) == rows(read_lines(whole, 1, "completions"))
    assert losses(read_lines(again, 1)) == losses(read_lines(whole, 1))


KILLED_AFTER = {"first stage": 1, "second": 3, "at an epoch's end": 4, "third stage": 5}
"""Steps; an epoch has four."""


def kill_and_resume(root: Path, step: int) -> tuple[RunDir, int]:
    """A run that was killed at a random moment after a step, and the step from which it went on to its end."""
    run = make_run(root, f"killed-{step}", stages=STAGES, save_steps=1)
    rng = random.Random(os.environ.get("SIGHTLINE_TEST_SEED", "7"))
    process = start(run, 1, module="tests.grpo.held", HELD="sightline_trainer.grpo", HOLD_BEFORE_STEP=str(STEPS))
    deadline = time.monotonic() + 900
    while (last_complete(run) or 0) < step and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(rng.uniform(0, 0.1))
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    resume = last_complete(run)
    assert resume is not None and resume < STEPS, run.attempt(1).log.read_text()[-3000:]

    process = start(run, 2, resume)
    assert process.wait(timeout=900) == 0, run.attempt(2).log.read_text()[-3000:]
    return run, resume


@pytest.fixture(scope="module")
def killed(root, whole):
    return two_at_a_time(lambda step: kill_and_resume(root, step), list(KILLED_AFTER.values()))


@pytest.mark.parametrize("step", KILLED_AFTER.values(), ids=KILLED_AFTER)
def test_killed_and_resumed_it_is_the_run_that_was_not(killed, whole, step):
    run, resume = killed[step].result()
    for stream in ("completions",):
        wanted = rows(read_lines(whole, 1, stream))
        before = [row for row in rows(read_lines(run, 1, stream)) if row["step"] <= resume]
        after = rows(read_lines(run, 2, stream))
        assert before + after == wanted
    wanted = losses(read_lines(whole, 1))
    got = {step: value for step, value in losses(read_lines(run, 1)).items() if step <= resume}
    got |= losses(read_lines(run, 2))
    assert got == wanted


def test_stop_saves_and_ends(root, whole):
    run = make_run(root, "stopped")
    (run.control / "stop").touch()
    process = start(run, 1)
    assert process.wait(timeout=900) == 75, run.attempt(1).log.read_text()[-3000:]
    end = read_lines(run, 1)[-1]
    assert (end["reason"], end["step"], end["checkpoint"]) == ("stopped", 1, "checkpoints/checkpoint-1")
    assert last_complete(run) == 1
