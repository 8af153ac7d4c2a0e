"""The stages of a run, as its spec gives them: weights by name over stretches of epochs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sightline_trainer.rewards.score import PARTS

# Steps divide epochs into fractions that are not exact.
_EPSILON = 1e-9


class SpecError(ValueError):
    """The spec can't be run; the message says which value is wrong and what would do."""


@dataclass(frozen=True)
class Stage:
    """A stretch of a run with one set of weights, over a half-open range of epochs."""

    name: str
    weights: Mapping[str, float]
    from_epoch: float
    to_epoch: float


def _read_stage(number: int, value: Any) -> Stage:
    try:
        weights = {part: float(value["weights"][part]) for part in PARTS}
        stage = Stage(
            str(value.get("name") or f"stage {number}"), weights, float(value["from_epoch"]), float(value["to_epoch"])
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SpecError(
            f"stage {number} must hold weights of format, accuracy and consistency, from_epoch and to_epoch: {error!r}"
        ) from error
    if min(weights.values()) < 0 or sum(weights.values()) <= 0:
        raise SpecError(f"stage {number}: weights must be 0 or more and not all 0")
    if stage.to_epoch <= stage.from_epoch:
        raise SpecError(f"stage {number} ends at epoch {stage.to_epoch}, before it begins")
    return stage


def read_stages(values: Sequence[Any] | None) -> list[Stage]:
    """Stages in order, each beginning where the one before ends; empty when none is given. Raises SpecError."""
    stages = [_read_stage(index + 1, value) for index, value in enumerate(values or [])]
    for before, after in pairwise(stages):
        if abs(before.to_epoch - after.from_epoch) > _EPSILON:
            raise SpecError(f"stage {after.name!r} must begin where {before.name!r} ends, at epoch {before.to_epoch}")
    return stages


def stage_end_steps(stages: Sequence[Stage], steps_per_epoch: int) -> frozenset[int]:
    """Steps after which a stage is over, the last one left out: where another schedule may branch off."""
    return frozenset(round(stage.to_epoch * steps_per_epoch) for stage in stages[:-1])


def stage_at(stages: Sequence[Stage], epoch: float) -> int:
    """Index of the stage in force for a step that begins at `epoch`; the last one beyond the end."""
    for index, stage in enumerate(stages):
        if epoch < stage.to_epoch - _EPSILON:
            return index
    return len(stages) - 1
