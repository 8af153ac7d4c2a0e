"""The stages of a run, as its spec gives them: weights by name over stretches of epochs or of steps."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

from sightline_trainer.rewards.score import PARTS, normalise_weights

# Steps divide epochs into fractions that are not exact.
_EPSILON = 1e-9
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
LOWEST = {"learning_rate": 0.0, "beta": 0.0, "temperature": 0.0}
"""What a stage may have of its own, and what it must not be below."""


class SpecError(ValueError):
    """The spec can't be run; the message says which value is wrong and what would do."""


@dataclass(frozen=True)
class Stage:
    """A stretch of a run with one set of weights, over a half-open range of epochs or for a number of steps."""

    name: str
    weights: Mapping[str, float]
    """By name: format, accuracy and consistency, and those of a person's own rewards."""
    from_epoch: float
    to_epoch: float
    steps: int | None = None
    """Optimiser steps that it lasts, in place of the epochs."""
    own: Mapping[str, float] = field(default_factory=dict)
    """Of `LOWEST`, what differs from the run's settings while it is in force."""


@dataclass(frozen=True)
class Schedule:
    """Stages laid over the steps of a run. Every answer is a function of the step alone, so that resuming agrees."""

    stages: tuple[Stage, ...]
    ends: tuple[int, ...]
    """Steps done when each stage is over, rising."""

    @property
    def max_steps(self) -> int:
        return self.ends[-1]

    def index_at(self, done: int) -> int:
        """Index of the stage in force for the step that is taken after `done` steps; the last one beyond the end."""
        return next((index for index, end in enumerate(self.ends) if done < end), len(self.ends) - 1)

    def first_step(self, index: int) -> int:
        """The first step of a stage, from 1."""
        return 1 + (self.ends[index - 1] if index else 0)

    def weights_at(self, done: int) -> dict[str, float]:
        """Weights in force for the step that is taken after `done` steps, summing to 1."""
        return normalise_weights(self.stages[self.index_at(done)].weights)

    @property
    def boundaries(self) -> frozenset[int]:
        """Steps after which a stage is over, the last one left out: where another schedule may branch off."""
        return frozenset(self.ends[:-1])


def _read_weights(number: int, value: Mapping[str, Any]) -> dict[str, float]:
    given = value["weights"]
    weights = {part: float(given[part]) for part in PARTS}
    for name in sorted(set(given) - set(PARTS)):
        if not _NAME.fullmatch(name):
            raise SpecError(f"stage {number}: {name!r} can't be the name of a reward; use letters, digits and _")
        weights[name] = float(given[name])
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights.values()) or sum(weights.values()) <= 0:
        raise SpecError(f"stage {number}: weights must be 0 or more and not all 0")
    return weights


def _read_own(number: int, value: Mapping[str, Any]) -> dict[str, float]:
    own = {name: float(value[name]) for name in LOWEST if value.get(name) is not None}
    for name, given in own.items():
        if not (math.isfinite(given) and (given > 0 or (name == "beta" and given == 0))):
            raise SpecError(f"stage {number}: {name} is {given}; it must be above 0" + " or 0" * (name == "beta"))
    return own


def _read_stage(number: int, value: Any) -> Stage:
    try:
        steps = value.get("steps")
        stage = Stage(
            str(value.get("name") or f"stage {number}"),
            _read_weights(number, value),
            float(value["from_epoch"]),
            float(value["to_epoch"]),
            None if steps is None else int(steps),
            _read_own(number, value),
        )
    except SpecError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SpecError(
            f"stage {number} must hold weights of format, accuracy and consistency, from_epoch and to_epoch: {error!r}"
        ) from error
    if stage.steps is not None and (stage.steps < 1 or stage.steps != steps):
        raise SpecError(f"stage {number}: steps is {steps}; it must be a whole number above 0")
    if stage.steps is None and not stage.to_epoch > stage.from_epoch:
        raise SpecError(f"stage {number} ends at epoch {stage.to_epoch}, before it begins")
    return stage


def read_stages(values: Sequence[Any] | None) -> list[Stage]:
    """Stages in order, each beginning where the one before ends; empty when none is given. Raises SpecError."""
    stages = [_read_stage(index + 1, value) for index, value in enumerate(values or [])]
    if len({stage.steps is None for stage in stages}) > 1:
        raise SpecError("some stages have steps and some have none; give all of them steps, or none")
    for before, after in pairwise(stages):
        if before.steps is None and abs(before.to_epoch - after.from_epoch) > _EPSILON:
            raise SpecError(f"stage {after.name!r} must begin where {before.name!r} ends, at epoch {before.to_epoch}")
    return stages


def lay_out(stages: Sequence[Stage], steps_per_epoch: int) -> Schedule:
    """Where each stage ends in steps; a stage that ends within a step ends with it."""
    if any(stage.steps is not None for stage in stages):
        ends = accumulate(stage.steps or 0 for stage in stages)
    else:
        ends = (math.ceil(stage.to_epoch * steps_per_epoch - _EPSILON) for stage in stages)
    return Schedule(tuple(stages), tuple(ends))
