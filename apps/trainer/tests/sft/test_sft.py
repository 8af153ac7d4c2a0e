"""python -m pytest apps/trainer/tests/sft/test_sft.py

Real attempts of short supervised runs over fixtures/questions: one left alone, one killed and resumed, one stopped.
"""

import json
import os
import signal
import time
from typing import Any

import jsonschema
import pytest

from sightline_trainer.checkpoints import is_complete, last_complete
from sightline_trainer.grpo.data import Question, read_questions
from sightline_trainer.grpo.tiny import build_tokenizer
from sightline_trainer.sft.run import demonstrate, encode
from sightline_trainer.sft.settings import SftSettings, read_sft_plan
from sightline_trainer.stages import SpecError
from tests.grpo.attempts import QUESTIONS, ROOT, make_run, of_type, read_lines, start
from tests.grpo.test_run import losses, rows

SHORT: dict[str, Any] = {
    "epochs": 1.5,
    "prompts_per_step": 8,
    "micro_batch": 4,
    "save_steps": 2,
    "eval_steps": 2,
    "warm_steps": 12,
}
STEPS = 6


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def whole(root):
    run = make_run(root, "whole", "sft", stages=(), **SHORT)
    process = start(run, 1)
    assert process.wait(timeout=900) == 0, run.attempt(1).log.read_text()[-3000:]
    return run


def test_without_stages_every_line_is_legal_and_every_step_is_there(whole):
    schema = json.loads((ROOT / "packages/core/src/wire/events.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    for stream in ("events", "completions"):
        lines = read_lines(whole, 1, stream)
        assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
        for line in lines:
            validator.validate(line)
    events = read_lines(whole, 1)
    assert [line["step"] for line in of_type(events, "metrics")] == list(range(1, STEPS + 1))
    assert [line["step"] for line in of_type(events, "evaluation")] == [0, 2, 4, STEPS]
    assert (events[-1]["reason"], events[-1]["step"], last_complete(whole)) == ("done", STEPS, STEPS)
    assert is_complete(whole.path / "export")


def test_the_loss_falls(whole):
    values = [line["values"] for line in of_type(read_lines(whole, 1), "metrics")]
    assert values[-1]["loss"] < values[0]["loss"]
    assert "mean_token_accuracy" in values[0]


def test_killed_and_resumed_it_is_the_run_that_was_not(root, whole):
    run = make_run(root, "killed", "sft", stages=(), **(SHORT | {"save_steps": 1, "eval_steps": 0}))
    process = start(run, 1, module="tests.grpo.held", HELD="sightline_trainer.sft", HOLD_BEFORE_STEP=str(STEPS))
    deadline = time.monotonic() + 900
    while (last_complete(run) or 0) < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    resume = last_complete(run)
    assert resume is not None and resume < STEPS
    process = start(run, 2, resume)
    assert process.wait(timeout=900) == 0, run.attempt(2).log.read_text()[-3000:]
    got = {step: value for step, value in losses(read_lines(run, 1)).items() if step <= resume}
    assert got | losses(read_lines(run, 2)) == losses(read_lines(whole, 1))
    last = [row for row in rows(read_lines(whole, 1, "completions")) if row["step"] == STEPS]
    assert [row for row in rows(read_lines(run, 2, "completions")) if row["step"] == STEPS] == last


def test_stop_saves_and_ends(root, whole):
    run = make_run(root, "stopped", "sft", **SHORT)
    (run.control / "stop").touch()
    process = start(run, 1)
    assert process.wait(timeout=900) == 75, run.attempt(1).log.read_text()[-3000:]
    end = read_lines(run, 1)[-1]
    assert (end["reason"], end["step"], last_complete(run)) == ("stopped", 1, 1)


def test_one_of_several_processes_is_refused(root):
    run = make_run(root, "torchrun", "sft", stages=(), **SHORT)
    process = start(run, 1, RANK="0", LOCAL_RANK="0", WORLD_SIZE="2")
    assert process.wait(timeout=900) == 64, run.attempt(1).log.read_text()[-3000:]
    [error] = of_type(read_lines(run, 1), "error")
    assert error["message"].startswith("a supervised run is one process; start it without torchrun")


def question(**changes) -> Question:
    values: dict[str, Any] = {"question_id": "a", "task": "heading", "prompt": "start north", "question": "heading ?"}
    values |= {"options": ("north", "east"), "gold": "B", "chain": "1 right east"}
    return Question(**(values | changes))


def test_what_is_learned_is_the_completion_alone():
    questions = read_questions(QUESTIONS / "train.jsonl")
    tokenizer = build_tokenizer(questions)
    row = encode(questions[0], SftSettings(), tokenizer)
    learned = [id for id, is_learned in zip(row["input_ids"], row["completion_mask"], strict=True) if is_learned]
    assert tokenizer.decode(learned) == "<think> 1 right east 2 around west </think> <answer> D </answer> <eos>"
    assert tokenizer.decode(row["input_ids"][: -len(learned)]) == questions[0].prompt


def test_targets():
    assert demonstrate(question(), "answer") == "<answer>B</answer>"
    assert demonstrate(question(), "reasoning") == "<think>1 right east</think><answer>B</answer>"
    assert demonstrate(question(kind="number", gold="2.5", options=(), chain=None), "answer") == "<answer>2.5</answer>"
    with pytest.raises(SpecError, match="no chain of reasoning"):
        demonstrate(question(chain=None), "reasoning")
    with pytest.raises(SpecError, match="no answer that can be read"):
        demonstrate(question(gold="Z"), "answer")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"target": "both"}, "must be reasoning or answer"),
        ({"epochs": 0}, "epochs must be above 0"),
        ({"micro_batch": 7}, "must divide"),
        ({"num_processes": 2}, "set settings.num_processes to 1"),
        ({"zero_stage": 3}, "settings.zero_stage to 0"),
        ({"judge_variants": "kind"}, "judge_variants"),
    ],
)
def test_a_wrong_spec_is_named(settings, words):
    with pytest.raises(SpecError, match=words):
        read_sft_plan({"run_id": "r", "settings": settings})
