"""python -m pytest apps/trainer/tests/grpo/test_plan.py"""

import json
from pathlib import Path

import pytest

from sightline_trainer.grpo.data import DataError, read_questions
from sightline_trainer.grpo.settings import read_plan
from sightline_trainer.stages import SpecError
from tests.grpo.attempts import QUESTIONS, STAGES


def plan(**changes):
    return read_plan({"run_id": "r", "seed": 1, "stages": STAGES, "settings": {}} | changes)


def test_weights_by_name_at_every_epoch():
    schedule = plan().schedule(100)
    assert [schedule.index_at(done) for done in (0, 49, 50, 99, 100, 900)] == [0, 0, 1, 1, 2, 2]
    assert schedule.weights_at(120) == pytest.approx({"format": 0.1, "accuracy": 0.7, "consistency": 0.2})
    assert (schedule.max_steps, schedule.boundaries) == (150, {50, 100})


def test_a_stage_that_ends_within_a_step_ends_with_it():
    schedule = plan().schedule(3)
    assert [schedule.index_at(done) for done in range(6)] == [0, 0, 1, 2, 2, 2]
    assert [schedule.first_step(index) for index in range(3)] == [1, 3, 4]
    assert (schedule.max_steps, schedule.boundaries) == (5, {2, 3})


def test_stages_may_be_bound_to_steps_and_have_settings_of_their_own():
    stages = [STAGES[0] | {"steps": 5}, STAGES[1] | {"steps": 2, "learning_rate": 1e-5, "beta": 0, "temperature": 0.8}]
    schedule = plan(stages=stages).schedule(100)
    assert [schedule.index_at(done) for done in (0, 4, 5, 6, 7)] == [0, 0, 1, 1, 1]
    assert schedule.max_steps == 7
    assert [dict(stage.own) for stage in schedule.stages] == [
        {},
        {"learning_rate": 1e-5, "beta": 0.0, "temperature": 0.8},
    ]


def test_rewards_of_ones_own_have_weights_by_name():
    weights = {"format": 1, "accuracy": 2, "consistency": 0, "brevity": 1}
    schedule = plan(stages=[STAGES[0] | {"weights": weights}]).schedule(4)
    assert schedule.weights_at(0) == {"format": 0.25, "accuracy": 0.5, "consistency": 0, "brevity": 0.25}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"stages": []}, "no stage"),
        ({"stages": [{"weights": {"format": 1}}]}, "stage 1 must hold weights"),
        ({"stages": [STAGES[0], STAGES[2]]}, "must begin where"),
        ({"stages": [STAGES[0] | {"steps": 5}, STAGES[1]]}, "some stages have steps"),
        ({"stages": [STAGES[0] | {"steps": 1.5}]}, "whole number"),
        ({"stages": [STAGES[0] | {"learning_rate": 0}]}, "learning_rate is 0.0; it must be above 0"),
        ({"stages": [STAGES[0] | {"beta": -1}]}, "beta is -1.0; it must be above 0 or 0"),
        ({"stages": [STAGES[0] | {"weights": {"format": 1, "accuracy": 1, "consistency": 0, "a b": 1}}]}, "'a b'"),
        ({"settings": {"group_size": 1}}, "group_size must be 2 or more"),
        ({"settings": {"micro_batch": 7}}, "must divide"),
        ({"settings": {"learning_rate": "fast"}}, "learning_rate"),
        ({"settings": {"learning_rate": float("nan")}}, "learning_rate"),
    ],
)
def test_a_wrong_spec_is_named(changes, words):
    with pytest.raises(SpecError, match=words):
        plan(**changes)


def write(path: Path, *lines: str | bytes) -> Path:
    path.write_bytes(b"\n".join(line.encode() if isinstance(line, str) else line for line in lines))
    return path


def test_questions_are_read_in_order():
    questions = read_questions(QUESTIONS / "train.jsonl")
    assert len(questions) == 32
    assert questions[0].gold in ("A", "B", "C", "D")


def test_a_broken_data_file_is_named_by_line(tmp_path):
    good = json.dumps({"question_id": "a", "prompt": "p", "question": "q", "options": ["x"], "gold": "A"})
    path = tmp_path / "train.jsonl"
    with pytest.raises(DataError, match=r"train\.jsonl is missing"):
        read_questions(path)
    for lines, words in [
        ((good, '{"question_id":'), "line 2: not JSON"),
        ((good, good), "line 2: question_id a was used before"),
        ((good, '{"question_id": "b"}'), "line 2: prompt is missing"),
        ((good, b'{"question_id": "\xff"}'), "not UTF-8"),
        (("",), "holds no question"),
    ]:
        with pytest.raises(DataError, match=words):
            read_questions(write(path, *lines))
