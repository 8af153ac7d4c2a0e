"""A person's own rewards in a GRPO run: what they are given, and what they are tried on before it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sightline_trainer.grpo.data import Question
from sightline_trainer.rewards.letter import LETTERS
from sightline_trainer.rewards.own import OwnReward, adopt_file, load_rewards, probe_rewards
from sightline_trainer.rewards.score import PARTS, RuleSet, Score, score_completion
from sightline_trainer.rundir import RunDir
from sightline_trainer.stages import SpecError, Stage

if TYPE_CHECKING:
    from sightline_trainer.grpo.settings import Plan

SAMPLES = 3
"""Questions whose made-up completions a reward is tried on."""


def completion_record(question: Question, text: str, score: Score) -> dict[str, Any]:
    """What a reward is given; `rewards/own.py` says what the fields mean."""
    span = score.reading.think
    return {
        **{name: value for name, value in asdict(question).items() if name not in ("chain", "frames")},
        "options": list(question.options),
        "text": text,
        "think": text[slice(*span)] if span else "",
        "letter": score.reading.letter,
        "format": score.format.raw,
        "accuracy": score.accuracy.raw,
    }


def sample_completions(questions: Sequence[Question], rule_set: RuleSet) -> list[dict[str, Any]]:
    """Made-up completions of a few questions: right, wrong, cut short, without tags, empty, in another script."""
    records: list[dict[str, Any]] = []
    for question in questions[:SAMPLES]:
        letters = LETTERS[: max(1, len(question.options))]
        texts = [
            f"<think>First left, then ahead.</think><answer>{question.gold or letters[0]}</answer>",
            f"<think>{'It turns around. ' * 200}</think><answer>{letters[-1]}</answer>",
            "<think>The drone moves on and",
            f"The answer is {letters[0]}.",
            "",
            "<think>先左转 🚁</think><answer></answer>",
        ]
        records += [
            completion_record(question, text, score_completion(text, question.target, rule_set, question.prompt))
            for text in texts
        ]
    return records


def read_own_rewards(run: RunDir, plan: Plan, questions: Sequence[Question]) -> list[OwnReward]:
    """The rewards that the run's file holds, checked; none without a file. Raises SpecError."""
    settings = plan.settings
    if not settings.reward_file:
        check_names(plan.stages, ())
        return []
    rewards = load_rewards(adopt_file(run, settings.reward_file))
    check_names(plan.stages, [reward.name for reward in rewards])
    probe_rewards(rewards, sample_completions(questions, settings.rule_set))
    return rewards


def check_names(stages: Sequence[Stage], names: Sequence[str]) -> None:
    """Raises SpecError when a stage weighs a reward that nobody gives."""
    for stage in stages:
        unknown = [name for name in stage.weights if name not in (*PARTS, *names)]
        if unknown:
            there = f"the file of rewards has {', '.join(names)}" if names else "settings.reward_file names no file"
            raise SpecError(f"stage {stage.name!r} weighs {', '.join(unknown)}, and {there}")


def name_weights(weights: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
    """A weight for every name, 0 where the stage gives none."""
    return {name: weights.get(name, 0.0) for name in names}
