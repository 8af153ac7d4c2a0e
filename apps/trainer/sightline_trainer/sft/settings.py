"""Settings of a supervised run: those of a GRPO run that it shares, and its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sightline_trainer.grpo.judge_variants import read_variants
from sightline_trainer.grpo.settings import Plan, Settings, make_plan, read_settings
from sightline_trainer.rewards.score import PARTS
from sightline_trainer.stages import SpecError, Stage, read_stages

TARGETS = ("reasoning", "answer")
ONE_PROCESS = "a supervised run is one process"


@dataclass(frozen=True)
class SftSettings(Settings):
    """Defaults are those of the preset `tiny-sft-reasoning`."""

    target: str = "reasoning"
    """`reasoning`: chain and answer in their tags; `answer`: the answer's tag alone."""
    epochs: float = 3.0
    """Where the spec has no stages."""
    prompts_per_step: int = 64
    """Demonstrations an optimiser step."""
    micro_batch: int = 64
    """Demonstrations a forward pass; divides prompts_per_step."""
    learning_rate: float = 5e-4
    save_steps: int = 8
    eval_steps: int = 8


def read_sft_plan(spec: Mapping[str, Any]) -> Plan:
    """Reads a spec; of its stages only their length counts, in place of `epochs`. Raises SpecError."""
    settings = read_settings(spec, SftSettings)
    if settings.target not in TARGETS:
        raise SpecError(f"settings.target {settings.target!r} must be reasoning or answer")
    if settings.vlm_frames or settings.model == "tiny-vlm":
        raise SpecError("a supervised run learns from text alone; leave settings.vlm_frames at 0")
    if settings.num_processes != 1 or settings.zero_stage:
        raise SpecError(f"{ONE_PROCESS}: set settings.num_processes to 1 and settings.zero_stage to 0")
    if settings.epochs <= 0:
        raise SpecError("settings.epochs must be above 0; the untrained policy is an evaluation without a checkpoint")
    if settings.prompts_per_step < 1 or settings.prompts_per_step % max(1, settings.micro_batch):
        raise SpecError(
            f"settings.micro_batch {settings.micro_batch} must divide prompts_per_step {settings.prompts_per_step}"
        )
    given = read_stages(spec.get("stages"))
    stages = tuple(given) or (Stage("supervised", dict.fromkeys(PARTS, 1.0), 0.0, settings.epochs),)
    try:
        variants = read_variants(settings.judge_variants)
    except ValueError as error:
        raise SpecError(f"settings.judge_variants: {error}") from error
    return make_plan(spec, stages, settings, variants)
