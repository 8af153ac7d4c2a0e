"""python -m pytest apps/trainer/tests/test_own_rewards.py: a person's file of rewards, and what is refused."""

import math
from pathlib import Path

import pytest

from sightline_trainer.rewards import own
from sightline_trainer.rewards.own import OwnReward, adopt_file, load_rewards, probe_rewards, read_value
from sightline_trainer.rundir import RunDir
from sightline_trainer.stages import SpecError

SAMPLE = {"text": "<think>left</think><answer>A</answer>", "think": "left", "letter": "A", "accuracy": 1.0}
GOOD = '''
import math

def _share(text):
    return len(text) / 400

def brevity(completion):
    """1 for a short reasoning."""
    return max(0.0, 1 - _share(completion["think"]))

def has_answer(completion):
    return (None, "there is no answer") if completion["letter"] is None else True
'''


@pytest.fixture
def write(tmp_path: Path):
    def write(text: str) -> list[OwnReward]:
        path = tmp_path / "rewards.py"
        path.write_text(text)
        return load_rewards(path)

    return write


def test_every_public_function_is_a_reward_by_its_name(write):
    brevity, has_answer = write(GOOD)
    assert (brevity.name, has_answer.name) == ("brevity", "has_answer")
    probe_rewards([brevity, has_answer], [SAMPLE, {**SAMPLE, "letter": None}])
    assert brevity(SAMPLE).raw == pytest.approx(0.99)
    assert has_answer(SAMPLE).raw == 1.0
    assert has_answer({**SAMPLE, "letter": None}) == own.RawReward(None, "there is no answer")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def r(completion)\n    return 1\n", r"rewards\.py, line 1: this is not Python: expected ':'"),
        ("x = 1\n", r"rewards\.py, line 1: there is no function that could be a reward"),
        ("import nothing_of_this_name\ndef r(c): return 1\n", r"line 1: the file can't be loaded: ModuleNotFoundError"),
        ("raise KeyboardInterrupt\ndef r(c): return 1\n", r"line 1: the file can't be loaded: KeyboardInterrupt"),
        ("\ndef accuracy(c): return 1\n", r"line 2: accuracy has the name of a reward that is there already"),
        ("\n\ndef r(): return 1\n", r"line 3: r must take one argument"),
        ("def r(a, b): return 1\n", r"line 1: r must take one argument"),
        ("async def r(c): return 1\n", r"line 1: r is async"),
        ("def r(c): return 1\ndel r\n", r"line 1: r must take one argument"),
    ],
)
def test_a_file_that_can_not_be_used_is_named_by_its_line(write, text, words):
    with pytest.raises(SpecError, match=words):
        write(text)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 'much'", r"line 2: r returned a str; it must return a number from 0 to 1"),
        ("return 1.5", r"line 2: r returned 1\.5; it must"),
        ("return -0.1", r"r returned -0\.1"),
        ("return float('nan')", r"r returned nan"),
        ("return [1]", r"r returned a list"),
        ("return completion['nothing']", r"line 3: r raised KeyError: 'nothing'"),
        ("raise SystemExit(0)", r"line 3: r raised SystemExit"),
        ("raise KeyboardInterrupt", r"line 3: r raised KeyboardInterrupt"),
        ("import time; time.sleep(0.4); return 1", r"line 2: r took \d+\.\d s for one completion"),
        ("while True: pass", r"line 3: r took too long"),
        ("while True:\n        try:\n            x = 1\n        except Exception: pass", r"r took too long"),
    ],
)
def test_a_reward_that_breaks_its_contract_is_refused_before_the_run(write, monkeypatch, body, words):
    monkeypatch.setattr(own, "PROBE_SECS", 0.2)
    rewards = write(f"\ndef r(completion):\n    {body}\n")
    with pytest.raises(SpecError, match=words) as refusal:
        probe_rewards(rewards, [SAMPLE])
    assert "when tried on the completion" in str(refusal.value)


def test_what_happens_in_the_run_is_null_with_its_reason(write, monkeypatch):
    monkeypatch.setattr(own, "CALL_SECS", 0.2)
    text = """
def r(completion):
    if completion["text"] == "raise":
        return 1 / 0
    if completion["text"] == "loop":
        while True:
            pass
    return 7 if completion["text"] == "seven" else None
"""
    [reward] = write(text)
    given = {word: reward({**SAMPLE, "text": word}) for word in ("raise", "loop", "seven", "none")}
    assert {one.raw for one in given.values()} == {None}
    assert given["raise"].reason == "r raised ZeroDivisionError: division by zero (rewards.py, line 4)"
    assert given["loop"].reason is not None and given["loop"].reason.startswith("r took too long (rewards.py, line ")
    assert given["seven"].reason == "r returned 7; it must return a number from 0 to 1, or None"
    assert given["none"].reason == "no reward was given"


@pytest.mark.parametrize(
    "caught", ["BaseException: pass", "BaseException: continue", "BaseException as error: seen = [error]"]
)
@pytest.mark.parametrize("work", ["x = 1", "time.sleep(60)"])
def test_one_that_catches_everything_in_a_loop_is_given_up_all_the_same(write, monkeypatch, work, caught):
    monkeypatch.setattr(own, "CALL_SECS", 0.2)
    loop = f"while True:\n        try:\n            {work}\n        except {caught}"
    [reward] = write(f"import time\n\ndef r(completion):\n    {loop}\n")
    given = reward(SAMPLE)
    assert given.raw is None
    assert (given.reason or "").startswith("r took too long (rewards.py, line ")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return [0.5, 10**400][c['odd']]", "r returned 1000"),
        ("return [0.5, Two()][c['odd']]", "r raised ValueError: two"),
    ],
)
def test_what_can_not_be_read_as_a_number_does_not_end_the_run(write, body, words):
    text = f"class Two:\n    def item(self): raise ValueError('two')\n\ndef r(c): {body}\n"
    (reward,) = write(text)
    probe_rewards([reward], [{**SAMPLE, "odd": 0}])
    scored = reward({**SAMPLE, "odd": 1})
    assert scored.raw is None
    assert (scored.reason or "").startswith(words)
    with pytest.raises(SpecError, match=words):
        probe_rewards([reward], [{**SAMPLE, "odd": 1}])


@pytest.mark.parametrize("value", [0, 1, 0.5, True, False])
def test_numbers_from_0_to_1_are_taken_as_they_are(value):
    reward, fault = read_value(value)
    assert (reward.raw, fault) == (float(value), None)
    assert reward.raw is not None and math.isfinite(reward.raw)


def test_the_run_keeps_its_own_copy_and_notices_a_change(tmp_path: Path):
    run = RunDir(tmp_path / "run")
    run.data.mkdir(parents=True)
    source = tmp_path / "mine.py"
    source.write_text(GOOD)
    kept = adopt_file(run, str(source))
    assert (kept, kept.read_text()) == (run.data / "rewards.py", GOOD)
    source.write_text("def r(c): return 0\n")
    assert adopt_file(run, str(source)).read_text() == GOOD
    kept.write_text("def r(c): return 0\n")
    with pytest.raises(SpecError, match="is not the file that this run began with"):
        adopt_file(run, str(source))


def test_a_file_that_is_missing_or_another_is_refused(tmp_path: Path):
    run = RunDir(tmp_path / "run")
    run.data.mkdir(parents=True)
    with pytest.raises(SpecError, match="can't be read: No such file"):
        adopt_file(run, str(tmp_path / "none.py"))
    with pytest.raises(SpecError, match="did not come with the launch"):
        adopt_file(run, "0" * 64)
    (run.data / "rewards.py").write_text(GOOD)
    with pytest.raises(SpecError, match="is not the file"):
        adopt_file(run, "0" * 64)
