"""python -m pytest apps/trainer/tests/grpo/test_warm_start.py: what the demonstrations teach, and what they leave."""

import random

import pytest

from sightline_trainer.grpo.data import read_questions
from sightline_trainer.grpo.settings import Settings
from sightline_trainer.grpo.tiny import build_tokenizer
from sightline_trainer.grpo.warm_start import CONCLUSION, CONTRADICTING_WRONG, draw_demonstration
from sightline_trainer.rewards.score import score_completion
from tests.grpo.attempts import QUESTIONS

WARM = read_questions(QUESTIONS / "warm.jsonl")
DRAWS = 4000


def draw(*, is_flawed: bool):
    """Questions with their scored demonstrations, those in the judge's form apart."""
    rng = random.Random(5)
    policy, judge = [], []
    for _ in range(DRAWS):
        question = rng.choice(WARM)
        prompt, text = draw_demonstration(question, Settings(), rng, is_flawed=is_flawed)
        if prompt == question.prompt:
            policy.append((question, text, score_completion(text, question.target, "sightline", prompt)))
        else:
            judge.append((question, prompt, text))
    return policy, judge


def share(flags: list[bool]) -> float:
    return sum(flags) / len(flags)


def test_early_ones_are_well_formed_and_right():
    policy, _ = draw(is_flawed=False)
    assert all(score.accuracy.raw == 1 and score.format.raw == 1 for _, _, score in policy)


def test_late_ones_leave_each_stage_something_to_mend():
    policy, _ = draw(is_flawed=True)
    settings = Settings()
    wrong = settings.warm_wrong * (1 - settings.warm_contradicting * (1 - CONTRADICTING_WRONG))
    assert share([score.accuracy.raw == 0 for _, _, score in policy]) == pytest.approx(wrong, abs=0.03)
    untagged = share(["<think>" not in text for _, text, _ in policy])
    assert untagged == pytest.approx(settings.warm_untagged, abs=0.03)


def test_contradicting_ones_are_right_more_often_than_the_others():
    policy, _ = draw(is_flawed=True)
    contradicting = [score.accuracy.raw == 1 for _, text, score in policy if f" {CONCLUSION} " in text]
    others = [score.accuracy.raw == 1 for _, text, score in policy if f" {CONCLUSION} " not in text]
    wrong = Settings().warm_wrong
    assert share(contradicting) == pytest.approx(1 - wrong * CONTRADICTING_WRONG, abs=0.03)
    assert share(others) == pytest.approx(1 - wrong, abs=0.04)
    assert len(contradicting) / len(policy) == pytest.approx(Settings().warm_contradicting, abs=0.03)


def test_the_judge_learns_to_read_where_a_chain_ends():
    _, judge = draw(is_flawed=True)
    for question, prompt, text in judge:
        last = prompt.split()[-3]  # … LAST </think> <answer>
        assert text == f"{'ABCDEFGH'[question.options.index(last)]} </answer>"


def test_the_tokenizer_knows_every_word_of_a_demonstration():
    tokenizer = build_tokenizer(WARM)
    policy, judge = draw(is_flawed=True)
    for text in [text for _, text, _ in policy] + [f"{prompt} {text}" for _, prompt, text in judge]:
        assert tokenizer.unk_token_id not in tokenizer(text)["input_ids"]
