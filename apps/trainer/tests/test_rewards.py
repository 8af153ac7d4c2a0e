"""python -m pytest apps/trainer/tests/test_rewards.py"""

import hashlib
import json
import os
import re
import time
from pathlib import Path

import pytest

from sightline_trainer.rewards.blocks import utf16_span
from sightline_trainer.rewards.letter import Options
from sightline_trainer.rewards.score import Gold, combine_rewards, group_advantages, score_completion

ROOT = Path(__file__).parents[3]
CASES = json.loads((ROOT / "fixtures/rewards/cases.json").read_text())["cases"]
SHARED = Path(os.environ.get("SIGHTLINE_SHARED", ROOT.parent / "shared"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['case'] or 'ours'}-{case['id']}")
def test_table_shared_with_typescript(case):
    gold = Gold(case["gold"], Options(case["options"]["count"], case["options"]["texts"]), case["kind"])
    text = case["completion"]
    score = score_completion(text, gold, case["rule_set"], case["prompt"])
    wanted = case["expect"]
    assert score.format.raw == wanted["format"]
    assert score.accuracy.raw == (None if wanted["accuracy"] is None else pytest.approx(wanted["accuracy"], abs=1e-12))
    assert score.reading.letter == wanted["letter"]
    if "rule" in wanted:
        assert score.reading.rule == wanted["rule"]
    if "reason" in wanted:
        assert score.accuracy.reason == wanted["reason"]
    if "problems" in wanted:
        assert score.reading.problems == wanted["problems"]
    for part in ("think", "answer"):
        if part in wanted:
            span = getattr(score.reading, part)
            assert span is not None
            assert text[slice(*span)] == wanted[part]


@pytest.mark.parametrize("head", ["Answer", "The answer is", "Answer:", "\\boxed{", "\\boxed{A " * 1000])
def test_blanks_without_end_are_read_in_no_time(head):
    gold = Gold("A", Options(4, ["left", "right", "ahead", "behind"]), "choice")
    began = time.process_time()
    score_completion(f"<think>t</think><answer>{head}{chr(10) * 100_000}zz</answer>", gold, "sightline", None)
    assert time.process_time() - began < 2


def test_spans_on_the_wire_count_utf16_units():
    assert utf16_span("🚁 left", (2, 6)) == (3, 7)
    assert utf16_span("left", (1, 3)) == (1, 3)
    assert utf16_span("left", None) is None


def test_a_part_without_weight_may_be_null():
    raw = {"format": 1.0, "accuracy": 0.2, "consistency": None}
    assert combine_rewards(raw, {"format": 1, "accuracy": 9, "consistency": 0}) == pytest.approx(0.28)
    assert combine_rewards(raw, {"format": 1, "accuracy": 7, "consistency": 2}) is None


def test_equal_rewards_give_no_advantage():
    assert group_advantages([0.5, 0.5, 0.5]) == [0.0, 0.0, 0.0]
    assert sum(group_advantages([1.0, 0.0, 0.0, 0.5])) == pytest.approx(0, abs=1e-12)


@pytest.mark.field
@pytest.mark.skipif(not (SHARED / "data").exists(), reason="the shared data is not here")
def test_s05_released_verdicts_over_the_fork():
    golden = json.loads((ROOT / "fixtures/rewards/embodied-r-golden.json").read_text())["verdicts"]
    compared = 0
    for name in ("urban_original_results.json", "urban_rain_fog_results.json"):
        for row in json.loads((SHARED / "data/traces/embodied_r_fork" / name).read_text()):
            key = hashlib.sha256(f"{row['content']}\0{row['answer']}".encode()).hexdigest()
            score = score_completion(row["content"], Gold(row["answer"], Options(8)), "embodied-r")
            assert (score.accuracy.raw, score.format.raw) == (golden[key]["accuracy"], golden[key]["format"])
            compared += 1
    assert compared == len(golden)


@pytest.mark.field
@pytest.mark.skipif(not (SHARED / "data").exists(), reason="the shared data is not here")
def test_s08_letter_or_option_text_over_the_fork():
    """4 and 6 of 14 by letter or option text, and one more that declares its letter without a tag."""
    right = []
    for name in ("urban_original_results.json", "urban_rain_fog_results.json"):
        rows = json.loads((SHARED / "data/traces/embodied_r_fork" / name).read_text())
        right.append(sum(is_right(row) for row in rows))
    assert right == [4, 6 + 1]


def is_right(row: dict[str, str]) -> bool:
    question = row["question"][row["question"].rindex("Question:") :]
    texts = re.findall(r"^\s*[A-H]\.\s*(.+)$", question, re.MULTILINE)
    score = score_completion(row["content"], Gold(row["answer"], Options(len(texts), tuple(texts))), "sightline")
    return score.accuracy.raw == 1.0
