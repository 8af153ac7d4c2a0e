"""Settings of a GRPO run, read from the flat `settings` of its spec."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from sightline_trainer.grpo.judge_variants import Variant, read_variants
from sightline_trainer.stages import Schedule, SpecError, Stage, lay_out, read_stages


@dataclass(frozen=True)
class Settings:
    """Defaults are those of the preset `tiny`."""

    model: str = "tiny"
    """`tiny`, or a folder with a model and its tokenizer in Hugging Face's layout."""
    group_size: int = 8
    prompts_per_step: int = 8
    micro_batch: int = 64
    """Completions a forward pass; divides group_size × prompts_per_step."""
    learning_rate: float = 1.2e-4
    """At the first step; it falls along a cosine to two fifths of it."""
    beta: float = 0.001
    """Weight of the KL divergence from the reference model."""
    temperature: float = 1.0
    max_completion_tokens: int = 48
    loss_type: str = "dapo"
    rule_set: str = "sightline"
    judge_every_groups: int = 8
    """Where consistency has no weight the judge sees one group in so many."""
    judge_variants: str = "paper"
    """Names from judge_variants.py, the one that pays first."""
    judge_url: str = ""
    """An OpenAI-compatible base URL, its key in the environment; empty: the frozen reference model in this process."""
    judge_model: str = ""
    """Name of the model behind `judge_url`."""
    judge_at_once: int = 16
    judge_timeout_secs: float = 30.0
    save_steps: int = 32
    keep_checkpoints: int = 2
    keep_stage_ends: bool = True
    """A checkpoint is saved where a stage ends, and stays: another schedule may branch off there."""
    eval_steps: int = 64
    """0: held-out questions are asked only before the first step and after the last."""
    warm_steps: int = 300
    warm_learning_rate: float = 2e-3
    warm_batch: int = 64
    warm_wrong: float = 0.3
    """Share of late demonstrations whose chain leads to a wrong answer."""
    warm_untagged: float = 0.4
    """Share of late demonstrations without their think tags."""
    warm_contradicting: float = 0.5
    """Share of demonstrations that conclude with another answer than they worked out and gave."""


@dataclass(frozen=True)
class Plan:
    """What one run does."""

    run_id: str
    seed: int
    root_seed: int
    """Seed of the run at the root of the lineage: the warm start, and with it reference and judge, are its."""
    stages: tuple[Stage, ...]
    settings: Settings
    variants: tuple[Variant, ...]
    """Of the judge, the one that pays first."""

    @property
    def epochs(self) -> float:
        return self.stages[-1].to_epoch

    def stage_ends(self, steps_per_epoch: int) -> frozenset[int]:
        """Steps whose checkpoints are saved and stay."""
        return self.schedule(steps_per_epoch).boundaries if self.settings.keep_stage_ends else frozenset()

    def schedule(self, steps_per_epoch: int) -> Schedule:
        """The stages laid over the steps."""
        return lay_out(self.stages, steps_per_epoch)


S = TypeVar("S", bound=Settings)


def _convert(name: str, value: Any, default: Any) -> Any:
    kind = type(default)
    if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    if kind is int and isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value):
        return int(value)
    if kind is bool and isinstance(value, bool):
        return value
    if kind is str and isinstance(value, str):
        return value
    raise SpecError(f"settings.{name} is {value!r}; it must be a {kind.__name__}")


def read_settings(spec: Mapping[str, Any], kind: type[S]) -> S:
    """The spec's flat settings as `kind` names them; others are ignored. Raises SpecError."""
    given = dict(spec.get("settings") or {})
    defaults = {item.name: item.default for item in fields(kind)}
    values = {name: _convert(name, given[name], defaults[name]) for name in defaults if given.get(name) is not None}
    return kind(**values)


def read_plan(spec: Mapping[str, Any]) -> Plan:
    """Reads a spec. Raises SpecError."""
    settings = read_settings(spec, Settings)
    stages = tuple(read_stages(spec.get("stages")))
    if not stages:
        raise SpecError("the run has no stage; give at least one with its weights")
    if settings.group_size < 2:
        raise SpecError("settings.group_size must be 2 or more: an advantage is relative to the group")
    if (settings.group_size * settings.prompts_per_step) % settings.micro_batch:
        raise SpecError(
            f"settings.micro_batch {settings.micro_batch} must divide group_size × prompts_per_step = "
            f"{settings.group_size * settings.prompts_per_step}"
        )
    try:
        variants = read_variants(settings.judge_variants)
    except ValueError as error:
        raise SpecError(f"settings.judge_variants: {error}") from error
    if settings.judge_url and not settings.judge_model:
        raise SpecError("settings.judge_model must name the model behind settings.judge_url")
    if settings.judge_url and not settings.judge_url.startswith(("http://", "https://")):
        raise SpecError(f"settings.judge_url {settings.judge_url!r} must begin with http:// or https://")
    return make_plan(spec, stages, settings, variants)


def make_plan(
    spec: Mapping[str, Any], stages: tuple[Stage, ...], settings: Settings, variants: tuple[Variant, ...]
) -> Plan:
    """The plan of a spec whose settings and stages were read."""
    seed = int(spec.get("seed") or 0)
    origin = spec.get("forked_from") or {}
    return Plan(str(spec.get("run_id")), seed, int(origin.get("root_seed", seed)), stages, settings, variants)
