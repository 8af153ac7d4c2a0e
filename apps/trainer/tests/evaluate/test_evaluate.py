"""python -m pytest apps/trainer/tests/evaluate/test_evaluate.py

A short run, then evaluations of its checkpoint: one left alone, one killed and resumed; and the untrained policy.
"""

import itertools
import json
import os
import signal
import time
from typing import Any

import jsonschema
import pytest
import torch
from transformers import PreTrainedTokenizerFast

from sightline_trainer.checkpoints import checkpoint_dir
from sightline_trainer.evaluate.settings import read_evaluation_plan
from sightline_trainer.grpo.data import read_questions
from sightline_trainer.grpo.evaluate import Watch, answer
from sightline_trainer.grpo.models import load_policy
from sightline_trainer.grpo.settings import Settings
from sightline_trainer.rundir import RunDir
from sightline_trainer.stages import SpecError
from tests.grpo.attempts import ROOT, make_run, of_type, read_lines, start

SHORT: dict[str, Any] = {"prompts_per_step": 8, "micro_batch": 8, "save_steps": 2, "eval_steps": 0, "warm_steps": 12}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("runs")
    run = make_run(folder, "trained", "sft", **SHORT)
    assert start(run, 1).wait(timeout=900) == 0, run.attempt(1).log.read_text()[-3000:]
    return folder


def evaluation(root, name, **settings):
    return make_run(root, name, "evaluate", **({"checkpoint": "trained/2", "batch": 2, "warm_steps": 12} | settings))


@pytest.fixture(scope="module")
def whole(root):
    run = evaluation(root, "whole")
    assert start(run, 1).wait(timeout=900) == 0, run.attempt(1).log.read_text()[-3000:]
    return run


def answers(run, *numbers):
    lines = [line for number in numbers for line in read_lines(run, number, "completions")]
    return [(line["question_id"], line["text"], line["parse"]["letter"]) for line in lines]


def test_a_row_per_question_under_a_hashed_card(whole):
    schema = json.loads((ROOT / "packages/core/src/wire/events.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    for stream in ("events", "completions"):
        for line in read_lines(whole, 1, stream):
            validator.validate(line)
    questions = [json.loads(line) for line in (whole.data / "eval.jsonl").read_text().splitlines()]
    assert [id for id, _, _ in answers(whole, 1)] == [item["question_id"] for item in questions]
    events = read_lines(whole, 1)
    [result] = of_type(events, "evaluation")
    assert (result["step"], result["overall"]["n"]) == (2, len(questions))
    assert [line["step"] for line in of_type(events, "metrics")][-1] == len(questions)
    assert events[-1]["reason"] == "done"


def test_killed_and_resumed_it_asks_only_what_is_left(root, whole):
    run = evaluation(root, "killed")
    process = start(run, 1, module="tests.grpo.held", HELD="sightline_trainer.evaluate", HOLD_AFTER_ROWS="6")
    deadline = time.monotonic() + 900
    while len(answers(run, 1)) < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = len(answers(run, 1))
    assert 0 < before < len(answers(whole, 1))
    with (run.attempt(1).completions(1)).open("ab") as file:
        file.write(b'{"question_id": "torn')
    assert start(run, 2).wait(timeout=900) == 0, run.attempt(2).log.read_text()[-3000:]
    assert len(answers(run, 2)) == len(answers(whole, 1)) - before
    assert sorted(answers(run, 1, 2)) == sorted(answers(whole, 1))
    [wanted], [got] = (of_type(read_lines(one, number), "evaluation") for one, number in ((whole, 1), (run, 2)))
    assert (got["overall"], got["per_task"], got["settings_hash"]) == (
        wanted["overall"],
        wanted["per_task"],
        wanted["settings_hash"],
    )


def test_the_untrained_policy_is_a_baseline_under_the_same_card(root, whole):
    run = evaluation(root, "untrained", checkpoint="")
    assert start(run, 1).wait(timeout=900) == 0, run.attempt(1).log.read_text()[-3000:]
    [mine] = of_type(read_lines(run, 1), "evaluation")
    [other] = of_type(read_lines(whole, 1), "evaluation")
    assert mine["step"] == 0
    assert mine["settings_hash"] == other["settings_hash"]
    assert answers(run, 1) != answers(whole, 1)


def test_another_temperature_is_another_card_and_zero_is_greedy(root, whole):
    first, second = evaluation(root, "greedy", temperature=0), evaluation(root, "greedy-2", temperature=0, batch=64)
    for run in (first, second):
        assert start(run, 1).wait(timeout=900) == 0, run.attempt(1).log.read_text()[-3000:]
    assert answers(first, 1) == answers(second, 1)
    [mine] = of_type(read_lines(first, 1), "evaluation")
    [other] = of_type(read_lines(whole, 1), "evaluation")
    assert mine["settings_hash"] != other["settings_hash"]


def test_a_stop_while_the_model_loads_is_heard_before_the_first_question(root):
    run = evaluation(root, "stopped", batch=64)
    (run.control / "stop").touch()
    assert start(run, 1).wait(timeout=900) == 75, run.attempt(1).log.read_text()[-3000:]
    assert answers(run, 1) == []
    lines = read_lines(run, 1)
    assert lines[-1]["reason"] == "stopped"
    assert "evaluate" not in {line["name"] for line in of_type(lines, "phase")}


def test_answers_that_had_ended_before_a_cut_are_kept_as_they_are(root, whole):
    """So many tokens after the longest of them that some answers have ended and some have not."""
    settings = Settings(temperature=0, max_completion_tokens=24)
    questions = read_questions(whole.data / "eval.jsonl")
    folder = checkpoint_dir(RunDir(root / "trained"), 2)
    reader = PreTrainedTokenizerFast.from_pretrained(folder)
    policy = load_policy(folder, dtype=torch.float32)
    told: list[int] = []
    ended = answer(policy, reader, questions, settings, 1, told.append)
    lengths = sorted({tokens for _, tokens, _ in filter(None, ended)})
    assert len(lengths) > 1 and told == [len(questions)]
    tokens = itertools.count(1)
    cut = answer(policy, reader, questions, settings, 1, told.append, lambda: next(tokens) == lengths[0])
    assert cut == [one if one is not None and one[1] <= lengths[0] and one[2] else None for one in ended]
    assert None in cut and len(set(cut)) > 1


def test_answers_are_counted_while_a_batch_is_on_its_way(monkeypatch):
    monkeypatch.setattr("sightline_trainer.grpo.evaluate.COUNTED_EVERY_SECS", 0)
    told: list[int] = []
    watch = Watch(1, 9, told.append, lambda: False)
    for ids in ([[9, 1, 2], [9, 1, 2]], [[9, 1, 9], [9, 1, 2]], [[9, 9, 0], [9, 1, 9]]):
        assert watch(torch.tensor(ids), None).tolist() == [False, False]
    assert told == [0, 1, 2]


def test_a_checkpoint_that_is_not_there_is_named(root):
    run = evaluation(root, "absent", checkpoint="trained/99")
    assert start(run, 1).wait(timeout=900) == 66
    [error] = of_type(read_lines(run, 1), "error")
    assert "no whole checkpoint of step 99" in error["message"]


@pytest.mark.parametrize("settings", [{"checkpoint": "../../etc/3"}, {"checkpoint": "x"}, {"batch": -1}])
def test_a_wrong_spec_is_named(settings):
    with pytest.raises(SpecError, match=next(iter(settings))):
        read_evaluation_plan({"run_id": "r", "settings": settings})
