"""Reward parts, their weighted sum, and advantages within a group."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sightline_trainer.rewards.letter import Options
from sightline_trainer.rewards.numeric import mean_relative_accuracy, read_number
from sightline_trainer.rewards.released import read_released
from sightline_trainer.rewards.trace import TraceReading, read_gold, read_trace

RuleSet = Literal["sightline", "embodied-r"]
PARTS: tuple[str, ...] = ("format", "accuracy", "consistency")


@dataclass(frozen=True)
class RawReward:
    """A raw reward in [0, 1], or None with the reason why none can be given."""

    raw: float | None
    reason: str | None = None


@dataclass(frozen=True)
class Gold:
    """What a completion is scored against."""

    answer: str | None
    options: Options
    kind: Literal["choice", "number"] = "choice"


@dataclass(frozen=True)
class Score:
    """Format and accuracy, each on its own, and how the trace was read."""

    format: RawReward
    accuracy: RawReward
    reading: TraceReading


_GOLD_UNREADABLE = RawReward(None, "gold not readable")


def _score_number(text: str, gold: Gold) -> RawReward:
    try:
        wanted = float(gold.answer or "")
    except ValueError:
        return _GOLD_UNREADABLE
    if not math.isfinite(wanted):
        return _GOLD_UNREADABLE
    answer, reason = read_number(text)
    return RawReward(0.0, reason) if answer is None else RawReward(mean_relative_accuracy(answer, wanted))


def _score_choice(reading: TraceReading, gold: Gold) -> RawReward:
    wanted = read_gold(gold.answer, gold.options)
    if wanted is None:
        return _GOLD_UNREADABLE
    if reading.letter is None:
        return RawReward(0.0, reading.reason)
    return RawReward(1.0 if reading.letter == wanted else 0.0)


def score_completion(text: str, gold: Gold, rule_set: RuleSet, prompt: str | None = None) -> Score:
    """Scores format and accuracy of one completion; a slip of format never hides a right answer."""
    reading = read_trace(text, gold.options, prompt)
    if rule_set == "embodied-r":
        released = read_released(text)
        accuracy = _GOLD_UNREADABLE
        if gold.answer is not None:
            accuracy = RawReward(1.0 if released.answer == read_released(gold.answer).answer else 0.0)
        return Score(RawReward(float(released.format)), accuracy, replace(reading, letter=released.letter))
    accuracy = _score_number(text, gold) if gold.kind == "number" else _score_choice(reading, gold)
    form = RawReward(1.0 if reading.is_well_formed else 0.0, "; ".join(reading.problems) or None)
    return Score(form, accuracy, reading)


def normalise_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """Weights that sum to 1. Raises ValueError when all are 0."""
    total = sum(weights.values())
    if total <= 0:
        raise ValueError("the weights of the rewards are all 0")
    return {name: weight / total for name, weight in weights.items()}


def combine_rewards(raw: Mapping[str, float | None], weights: Mapping[str, float]) -> float | None:
    """The weighted sum, weights made to sum to 1; None when a part that carries weight is None."""
    total = 0.0
    for part, weight in normalise_weights(weights).items():
        if weight == 0:
            continue
        value = raw[part]
        if value is None:
            return None
        total += value * weight
    return total


def group_advantages(rewards: Sequence[float], *, eps: float = 1e-4) -> list[float]:
    """Each reward relative to its prompt's group: (r - mean) / (std + eps), sample standard deviation, as TRL does.

    rewards: (G,) of one group. Returns (G,); a group of equal rewards gives zeros.
    """
    if len(rewards) < 2:
        return [0.0 for _ in rewards]
    mean = statistics.fmean(rewards)
    std = math.sqrt(sum((reward - mean) ** 2 for reward in rewards) / (len(rewards) - 1))
    return [(reward - mean) / (std + eps) for reward in rewards]
