"""python -m pytest apps/trainer/tests/grpo/test_rewards_of_a_run.py: raw rewards of a generation, and their sum."""

import random
from collections.abc import Sequence

import pytest

from sightline_trainer.grpo.data import Question
from sightline_trainer.grpo.judge import Inquiry, Verdict
from sightline_trainer.grpo.own_rewards import check_names, sample_completions
from sightline_trainer.grpo.record import wire_row
from sightline_trainer.grpo.scorer import NO_LETTER, NULL_BESIDE, Scorer
from sightline_trainer.grpo.trainer import weigh
from sightline_trainer.rewards.score import PARTS, RawReward
from sightline_trainer.stages import SpecError, Stage

OPTIONS = ("north", "east", "south", "west")


class Echo:
    """A judge who finds in every reasoning what stands in it last."""

    def ask(self, items: Sequence[Inquiry]) -> list[Verdict]:
        return [Verdict((item.think.split() or ["A"])[-1][:1].upper(), 1.0, False) for item in items]


def question(gold: str | None, kind: str = "choice") -> Question:
    return Question(f"q-{gold}-{kind}", "heading", "Question: where?", "where?", OPTIONS, gold, kind)  # pyright: ignore[reportArgumentType]


def score(item: Question, texts: Sequence[str], **own):
    scorer = Scorer({item.question_id: item}, "sightline", Echo(), 1, own=own)
    return scorer.score(
        [item.question_id] * len(texts), texts, group_size=len(texts), first_group=0, is_consistency_weighted=True
    ).rows


@pytest.mark.parametrize("rule_set", ["sightline", "embodied-r"])
@pytest.mark.parametrize(
    ("gold", "kind"),
    [("A", "choice"), ("north", "choice"), ("Z", "choice"), ("", "choice"), (None, "choice"), ("3.5", "number"),
     ("far", "number"), (None, "number"), ("inf", "number"), ("0", "number")],
)  # fmt: skip
def test_every_raw_reward_is_from_0_to_1_or_null_with_a_reason(rule_set, gold, kind):
    """Over texts put together at random from what policies write."""
    rng = random.Random(7)
    pieces = ["<think>", "</think>", "<answer>", "</answer>", "A", "B.", "north", "3.5", "1e999", "-", "\\boxed{C}",
              "🚁", " ", "\n", "so the answer is D", "nan", "0"]  # fmt: skip
    texts = ["".join(rng.choices(pieces, k=rng.randrange(9))) for _ in range(300)]
    item = question(gold, kind)
    scorer = Scorer({item.question_id: item}, rule_set, Echo(), 1)
    rows = scorer.score(
        [item.question_id] * len(texts), texts, group_size=4, first_group=0, is_consistency_weighted=True
    ).rows
    for row in rows:
        assert set(row.raw) == set(PARTS) == set(row.null_reason)
        for part, raw in row.raw.items():
            assert (raw is None) == bool(row.null_reason[part]), (part, row.text)
            assert raw is None or 0 <= raw <= 1
    readable = gold in ("A", "north", "3.5", "0") or (rule_set == "embodied-r" and gold is not None)
    assert {row.raw["accuracy"] is None for row in rows} == {not readable}
    if not readable:
        assert rows[0].null_reason["accuracy"] == "gold not readable"


def test_a_judge_that_gives_letters_is_not_asked_about_a_number():
    class Unasked:
        def ask(self, items: Sequence[Inquiry]) -> list[Verdict]:
            assert not items
            return []

    item = Question("n", "counting", "how many?", "how many?", (), "4", "number")
    scorer = Scorer({"n": item}, "sightline", Unasked(), 1, ("paper", "unconditional", "letter_stripped"))
    texts = ["<think>four of them</think><answer>4</answer>", "<think>many</think><answer>9</answer>"]
    rows = scorer.score(["n", "n"], texts, group_size=2, first_group=0, is_consistency_weighted=True).rows
    assert [row.raw["accuracy"] for row in rows] == [1.0, 0.0]
    assert [(row.raw["consistency"], row.null_reason["consistency"]) for row in rows] == [(None, NO_LETTER)] * 2


def test_a_reward_that_raises_for_one_completion_is_null_for_its_group_and_keeps_every_sample():
    def fussy(completion) -> RawReward:
        is_bad = completion["letter"] is None
        return RawReward(None, "fussy raised ValueError: no letter (rewards.py, line 3)") if is_bad else RawReward(0.5)

    texts = ["<think>A</think><answer>A</answer>", "nothing", "<think>B</think><answer>B</answer>"]
    rows = score(question("A"), texts, fussy=fussy)
    assert [row.text for row in rows] == texts
    assert [row.raw["fussy"] for row in rows] == [None] * 3
    reasons = [row.null_reason["fussy"] for row in rows]
    assert reasons == [NULL_BESIDE, "fussy raised ValueError: no letter (rewards.py, line 3)", NULL_BESIDE]
    line = wire_row(rows[1], {"format": 1.0}, reward=0.0, advantage=0.0, tokens=1, is_finished=True)
    assert line["rewards"]["fussy"] == {"raw": None, "weight": 0.0, "null_reason": reasons[1]}


def test_a_reward_of_ones_own_is_weighed_like_the_others():
    [row] = score(question("A"), ["<think>A</think><answer>A</answer>"], half=lambda completion: RawReward(0.5))
    assert row.raw == {"format": 1.0, "accuracy": 1.0, "consistency": 1.0, "half": 0.5}
    assert weigh(row, {"format": 0.25, "accuracy": 0.25, "consistency": 0.0, "half": 0.5}) == pytest.approx(0.75)


def test_samples_hold_all_that_the_contract_names():
    for record in sample_completions([question("A"), question("3", "number")], "sightline"):
        assert set(record) == {
            "question_id", "task", "clip_id", "prompt", "question", "options", "gold", "kind",
            "text", "think", "letter", "format", "accuracy",
        }  # fmt: skip


def test_a_weight_for_a_reward_that_nobody_gives_is_refused():
    stage = Stage("first", {"format": 1, "accuracy": 1, "consistency": 0, "brevity": 1}, 0, 1)
    check_names([stage], ["brevity"])
    with pytest.raises(SpecError, match=r"stage 'first' weighs brevity, and settings\.reward_file names no file"):
        check_names([stage], [])
    with pytest.raises(SpecError, match="the file of rewards has length"):
        check_names([stage], ["length"])
