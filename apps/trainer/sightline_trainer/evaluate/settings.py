"""Settings of an evaluation: which model, and how it is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sightline_trainer.grpo.judge_variants import read_variants
from sightline_trainer.grpo.settings import Plan, Settings, check_pictures, make_plan, read_settings
from sightline_trainer.rewards.score import PARTS
from sightline_trainer.stages import SpecError, Stage

_CHECKPOINT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]{0,127})/([0-9]{1,9})")


@dataclass(frozen=True)
class EvaluationSettings(Settings):
    """Those of the run whose policy is asked, and what an evaluation adds."""

    checkpoint: str = ""
    """`RUN_ID/STEP`: a checkpoint of a run on the same host; empty: `model` as it is, before any training."""
    batch: int = 0
    """Questions that are answered together; 0: 64, or as many as a GPU has room for."""
    prompt_version: str = ""
    """How the prompts were laid out; it goes into the card as given."""
    frames: str = ""
    """Which frames the prompts tell of; it goes into the card as given."""


def read_evaluation_plan(spec: Mapping[str, Any]) -> Plan:
    """Reads a spec. Raises SpecError."""
    settings = read_settings(spec, EvaluationSettings)
    if settings.checkpoint and not _CHECKPOINT.fullmatch(settings.checkpoint):
        raise SpecError(f"settings.checkpoint {settings.checkpoint!r} must be RUN_ID/STEP")
    if settings.batch < 0:
        raise SpecError("settings.batch must be 1 or more, or 0 for as many as there is room for")
    if settings.temperature < 0:
        raise SpecError("settings.temperature must be 0 or more; 0 takes the likeliest word each time")
    check_pictures(settings)
    try:
        variants = read_variants(settings.judge_variants)
    except ValueError as error:
        raise SpecError(f"settings.judge_variants: {error}") from error
    return make_plan(spec, (Stage("evaluation", dict.fromkeys(PARTS, 1.0), 0.0, 1.0),), settings, variants)


def split_checkpoint(text: str) -> tuple[str, int]:
    """Run and step of a `checkpoint` that was read."""
    run_id, step = text.split("/")
    return run_id, int(step)
