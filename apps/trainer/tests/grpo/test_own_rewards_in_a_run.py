"""python -m pytest apps/trainer/tests/grpo/test_own_rewards_in_a_run.py: a file of rewards, from spec to record."""

import hashlib
import json

import pytest

from tests.grpo.attempts import STAGES, make_run, of_type, read_lines, start

FILE = '''
def brevity(completion):
    """1 for nothing, 0 for 200 characters or more."""
    return max(0.0, 1 - len(completion["text"]) / 200)


def unpaid(completion):
    return (None, "only of right answers") if completion["accuracy"] != 1.0 else 1.0
'''
WEIGHTS = {"format": 1, "accuracy": 2, "consistency": 0, "brevity": 1}


def begin(tmp_path, text: str):
    source = tmp_path / "mine.py"
    source.write_text(text)
    stages = [STAGES[0] | {"steps": 1, "weights": WEIGHTS}]
    run = make_run(tmp_path, "own", stages=stages, reward_file=str(source))
    return run, start(run, 1).wait(timeout=900)


def test_a_reward_of_ones_own_is_paid_recorded_and_kept(tmp_path):
    run, code = begin(tmp_path, FILE)
    assert code == 0, run.attempt(1).log.read_text()[-3000:]
    rows = [line for line in read_lines(run, 1, "completions") if line.get("split") != "eval"]
    for row in rows:
        assert list(row["rewards"]) == ["format", "accuracy", "consistency", "brevity", "unpaid"]
        part = {name: value["raw"] for name, value in row["rewards"].items()}
        assert part["brevity"] == pytest.approx(max(0.0, 1 - len(row["text"]) / 200))
        assert row["rewards"]["brevity"]["weight"] == 0.25 and row["rewards"]["unpaid"]["weight"] == 0
        wanted = 0.25 * part["format"] + 0.5 * part["accuracy"] + 0.25 * part["brevity"]
        assert row["reward"] == pytest.approx(wanted, abs=1e-6)
    assert "only of right answers" in {row["rewards"]["unpaid"]["null_reason"] for row in rows}
    values = of_type(read_lines(run, 1), "metrics")[0]["values"]
    mean = sum(row["rewards"]["brevity"]["raw"] for row in rows) / len(rows)
    assert values["rewards/brevity/mean"] == pytest.approx(mean, abs=1e-6)
    kept = json.loads((run.data / "rewards.json").read_text())
    assert (run.data / "rewards.py").read_text() == FILE
    assert kept["sha256"] == hashlib.sha256(FILE.encode()).hexdigest()


def test_one_that_breaks_its_contract_ends_with_64_before_anything_is_trained(tmp_path):
    run, code = begin(tmp_path, "\ndef brevity(completion):\n    return 200 - len(completion['text'])\n")
    assert code == 64
    [error] = of_type(read_lines(run, 1), "error")
    assert error["code"] == "bad_spec"
    assert error["message"].startswith("rewards.py, line 2: brevity returned ")
    assert of_type(read_lines(run, 1), "generation") == []
