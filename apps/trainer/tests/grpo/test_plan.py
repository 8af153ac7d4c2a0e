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
    read = plan()
    assert [read.stage_at(epoch) for epoch in (0, 0.49, 0.5, 0.99, 1.0, 9.0)] == [0, 0, 1, 1, 2, 2]
    assert read.weights_at(1.2) == pytest.approx({"format": 0.1, "accuracy": 0.7, "consistency": 0.2})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"stages": []}, "no stage"),
        ({"stages": [{"weights": {"format": 1}}]}, "stage 1 must hold weights"),
        ({"stages": [STAGES[0], STAGES[2]]}, "must begin where"),
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
