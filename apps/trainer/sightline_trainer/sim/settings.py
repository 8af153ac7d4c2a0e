"""Settings of a simulated run, read from the flat `settings` of its spec."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from sightline_trainer.rewards.score import normalise_weights
from sightline_trainer.stages import Schedule, SpecError, Stage, lay_out, read_stages

_FAULT = re.compile(r"([a-z][a-z0-9_]*)(?:@(\d+)(?:-(\d+))?)?(?::([0-9.]+))?(!?)")

FAULTS = {
    "stall": "silence at the step, for SECS (default: an hour); a stop is still obeyed",
    "hang_on_stop": "stop and TERM are ignored, only KILL ends it",
    "slow_start": "SECS (default 10) pass before the first step",
    "torn_line": "half of the metrics line is written, the rest SECS (default 1) later",
    "utf8_cut": "a line is cut inside a character, the rest comes SECS (default 1) later",
    "bad_line": "a line that is not JSON",
    "bad_utf8": "a line whose bytes are not UTF-8",
    "huge_line": "a line of 3 MB",
    "unknown_type": "a well-formed line of a type that nobody knows",
    "duplicate_line": "the metrics line is written twice, byte for byte",
    "nan": "loss and grad_norm are NaN",
    "infinity": "loss is Infinity, kl is -Infinity",
    "diverged": "loss is NaN, and the trainer gives up with 76",
    "no_signal": "all rewards of each group are equal",
    "judge_down": "the judge fails (from step to step); above 20 % in 5 generations the trainer ends with 69",
    "gpu_memory": "out of GPU memory, 71",
    "host_memory": "out of host memory, 72",
    "disk_full": "no space left, 74",
    "crash": "an exception, 70",
    "silent_crash": "the process ends with 70 and without a last word",
    "kill": "SIGKILL of itself",
    "torn_kill": "half a line, then SIGKILL of itself",
    "interrupted": "TERM of itself, as a scheduler would send it: checkpoint and 75",
    "half_checkpoint": "the checkpoint of that step stays without its marker, then SIGKILL",
    "child": "starts a child process that would outlive it",
    "stray_child": "the same, in a session of its own",
    "missing_input": "a data file is missing, 66",
}


@dataclass(frozen=True)
class Fault:
    """One fault on demand."""

    name: str
    from_step: int
    to_step: int
    secs: float | None
    in_every_attempt: bool


@dataclass(frozen=True)
class Settings:
    """Every setting has a default; unknown names are kept apart and warned of."""

    steps_per_epoch: int = 64
    max_steps: int = 0
    """0: as many as the stages need."""
    steps_per_sec: float = 2.0
    """0: as fast as possible."""
    prompts_per_step: int = 4
    group_size: int = 8
    save_steps: int = 32
    keep_checkpoints: int = 2
    keep_stage_ends: bool = True
    """A checkpoint is saved where a stage ends, and stays: another schedule may branch off there."""
    micro_batch: int = 8
    """Says nothing to a simulation but its log."""
    checkpoint_bytes: int = 4096
    eval_steps: int = 64
    """0: no evaluation."""
    eval_questions: int = 128
    system_every_secs: float = 10.0
    gpus: int = 0
    """Simulated GPUs in the system lines."""
    learning_rate: float = 3e-5
    beta: float = 0.001
    learn_rate: float = 1.0
    """How fast the model of learning learns; at 1 it needs about two thirds of the schedule."""
    judge_every_groups: int = 8
    """Where the weight of consistency is 0 the judge sees one group in so many."""
    warm_start_steps: int = 0
    segment_bytes: int = 16 * 1024 * 1024
    faults: str = ""


@dataclass(frozen=True)
class Plan:
    """What one simulated run does."""

    run_id: str
    seed: int
    stages: list[Stage]
    settings: Settings
    faults: list[Fault] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    @cached_property
    def schedule(self) -> Schedule:
        """The stages laid over the steps."""
        return lay_out(self.stages, self.settings.steps_per_epoch)

    @property
    def scheduled_steps(self) -> int:
        """Steps that the stages need."""
        return self.schedule.max_steps

    @property
    def max_steps(self) -> int:
        """Steps in all."""
        limit = self.settings.max_steps
        return min(self.scheduled_steps, limit) if limit else self.scheduled_steps

    @property
    def stage_ends(self) -> frozenset[int]:
        """Steps whose checkpoints are saved and stay."""
        return self.schedule.boundaries if self.settings.keep_stage_ends else frozenset()

    def epoch(self, step: int) -> float:
        """Epochs done after `step` steps."""
        return step / self.settings.steps_per_epoch

    def stage_at(self, step: int) -> int:
        """Index of the stage that is in force for step `step` (from 1): where that step begins."""
        return self.schedule.index_at(step - 1)

    def weights_at(self, step: int) -> dict[str, float]:
        """Weights in force, summing to 1."""
        return normalise_weights(self.stages[self.stage_at(step)].weights)

    def fault(self, name: str, step: int, attempt: int) -> Fault | None:
        """The fault of that name that strikes at the step, if any."""
        for fault in self.faults:
            is_due = fault.name == name and fault.from_step <= step <= fault.to_step
            if is_due and (attempt == 1 or fault.in_every_attempt):
                return fault
        return None


DEFAULT_STAGES = [
    Stage("format first", {"format": 7, "accuracy": 3, "consistency": 0}, 0, 1),
    Stage("accuracy", {"format": 3, "accuracy": 7, "consistency": 0}, 1, 2),
    Stage("consistency", {"format": 1, "accuracy": 7, "consistency": 2}, 2, 3),
]


def read_plan(spec: dict[str, Any]) -> Plan:
    """Reads a run's spec. Raises SpecError."""
    given = spec.get("settings") or {}
    known = {item.name: item for item in fields(Settings)}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name in known and value is not None:
            values[name] = _as_type(name, value, type(known[name].default))
    settings = Settings(**values)
    for name in (
        "steps_per_epoch",
        "prompts_per_step",
        "group_size",
        "save_steps",
        "keep_checkpoints",
        "eval_questions",
    ):
        if getattr(settings, name) < 1:
            raise SpecError(f"{name} must be 1 or more")
    stages = read_stages(spec.get("stages")) or DEFAULT_STAGES
    plan = Plan(
        run_id=str(spec.get("run_id")),
        seed=int(spec.get("seed", 0)),
        stages=stages,
        settings=settings,
        faults=read_faults(settings.faults),
        unknown=sorted(set(given) - set(known)),
    )
    if plan.max_steps < 1:
        raise SpecError("the stages hold no step")
    return plan


def _as_type(name: str, value: Any, kind: type) -> Any:
    try:
        return kind(value)
    except (TypeError, ValueError):
        raise SpecError(f"{name} must be a {kind.__name__}, not {value!r:.100}") from None


def read_faults(text: str) -> list[Fault]:
    """`name[@STEP[-STEP]][:SECS][!]`, separated by commas or blanks.

    A fault strikes in the first attempt only, so that a resumed one gets past it; `!` makes it strike in each.
    """
    faults: list[Fault] = []
    for word in re.split(r"[,\s]+", text.strip()):
        if not word:
            continue
        match = _FAULT.fullmatch(word)
        if match is None or match.group(1) not in FAULTS:
            raise SpecError(f"unknown fault {word!r}; there are {', '.join(FAULTS)}")
        name, first, last, secs, every = match.groups()
        from_step = int(first) if first else 1
        faults.append(
            Fault(name, from_step, int(last) if last else from_step, float(secs) if secs else None, every == "!")
        )
    return faults
