"""TRL's GRPOTrainer with three named rewards, weights by stage, and a record of every completion.

What is overridden is little, and pinned by tests/grpo/test_trl_contract.py: generation, to record it once it is scored,
and the sampler, so that an epoch's order is the same in a resumed run.
Weights, control, guards and checkpoints are a callback's work.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import torch
from accelerate.utils import broadcast_object_list, gather_object
from torch.optim.lr_scheduler import LambdaLR
from transformers import TrainerState
from trl.trainer.grpo_trainer import GRPOTrainer
from trl.trainer.utils import RepeatSampler

from sightline_trainer.grpo.models import load_policy
from sightline_trainer.grpo.order import EpochSampler
from sightline_trainer.grpo.own_rewards import name_weights
from sightline_trainer.grpo.prompt import tokenizer_of, unspoken_ids
from sightline_trainer.grpo.record import count_values, wire_row
from sightline_trainer.grpo.scorer import Generation, Scored, Scorer
from sightline_trainer.grpo.settings import Plan
from sightline_trainer.grpo.tiny import end_id
from sightline_trainer.wire.log import EndReason, EventLog

NO_SIGNAL_AFTER = 5
"""Generations without any advantage after which a warning is due."""
JUDGE_WINDOW = 5
"""Generations over which the judge's failures are counted."""


@dataclass
class Progress:
    """What the callback and the trainer tell each other and the process around them."""

    step: int = 0
    saved_step: int | None = None
    ended: EndReason | None = None
    is_terminated: bool = False
    values: dict[str, float | None] = field(default_factory=dict)
    generation: Generation | None = None
    judge_calls: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=JUDGE_WINDOW))
    """Failed calls of the judge and all calls, of the last generations that asked it."""
    without_signal: int = 0
    """Generations on end in which every advantage was 0."""
    problem: Exception | None = None
    """Why training ended early after its checkpoint was saved."""


class StepTrainer(Protocol):
    """What the callback and the run need of a trainer, whatever it optimises."""

    steps_per_epoch: int
    args: Any
    state: TrainerState
    accelerator: Any
    model: Any
    train: Callable[..., Any]


class SightlineTrainer(GRPOTrainer):
    """GRPO that records each generation with its scores, rewards and advantages."""

    def __init__(
        self, *, plan: Plan, scorer: Scorer, log: EventLog, progress: Progress, steps_per_epoch: int, **kwargs: Any
    ) -> None:
        self.plan = plan
        self.scorer = scorer
        self.event_log = log
        self.progress = progress
        self.steps_per_epoch = steps_per_epoch
        self.schedule = plan.schedule(steps_per_epoch)
        tokenizer = tokenizer_of(kwargs["processing_class"])
        self.end_id = end_id(tokenizer)
        super().__init__(reward_funcs=[_name_part(part) for part in scorer.parts], **kwargs)
        if plan.settings.vlm_frames and hasattr(self, "generation_config"):
            self.generation_config.suppress_tokens = unspoken_ids(tokenizer)

    @property
    def epoch_at_step(self) -> float:
        """Epochs done when the step at hand began: a pure function of the trainer's state, so that resuming agrees."""
        return self.state.global_step / self.steps_per_epoch

    def enter_step(self) -> dict[str, float]:
        """Puts in place what the stage of the step at hand says. Returns the weights in force, summing to 1.

        A function of the step alone, called before each step, so that a resumed run does as one that was not cut.
        """
        done = self.state.global_step
        settings = self.plan.settings
        own = self.schedule.stages[self.schedule.index_at(done)].own
        weights = name_weights(self.schedule.weights_at(done), self.scorer.parts)
        self.reward_weights = torch.tensor(list(weights.values()), dtype=torch.float32)
        self.beta = own.get("beta", settings.beta)
        self.temperature = own.get("temperature", settings.temperature)
        for sampler in (getattr(self, "generation_config", None), getattr(self, "vllm_generation", None)):
            if sampler is not None:
                sampler.temperature = self.temperature
        if getattr(self, "generation_kwargs", None):
            self.generation_kwargs["temperature"] = self.temperature
        if any("learning_rate" in stage.own for stage in self.schedule.stages):
            schedule = getattr(self.lr_scheduler, "scheduler", self.lr_scheduler)
            assert isinstance(schedule, LambdaLR)
            place_schedule(schedule, own.get("learning_rate", settings.learning_rate), done)
        return weights

    def _calculate_rewards(
        self, inputs: list[dict[str, Any]], prompts: Any, completions: Any, completion_ids_list: Any
    ) -> torch.Tensor:
        """As TRL's: (P × G, parts) of all processes, in the sampler's order. The first process scores for all.

        A group may lie on several processes, and the judge is asked once for the whole generation.
        """
        ids: list[str] = gather_object([row["question_id"] for row in inputs])
        # With pictures TRL wants a conversation, and gives a completion as its last turn.
        texts: list[str] = gather_object([one if isinstance(one, str) else one[0]["content"] for one in completions])
        table: list[list[list[float]] | None] = [None]
        if self.accelerator.is_main_process:
            table = [self._score(ids, texts)]
        [raws] = broadcast_object_list(table)
        return torch.tensor(raws, dtype=torch.float32, device=self.accelerator.device)

    def _score(self, ids: list[str], texts: list[str]) -> list[list[float]]:
        settings = self.plan.settings
        starts = range(0, len(ids), settings.group_size)
        if any(len(set(ids[start : start + settings.group_size])) > 1 for start in starts):
            raise RuntimeError("a group's completions answer different questions: the processes disagree on the order")
        generation = self.scorer.score(
            ids,
            texts,
            group_size=settings.group_size,
            first_group=self.state.global_step * settings.prompts_per_step,
            is_consistency_weighted=self.schedule.weights_at(self.state.global_step)["consistency"] > 0,
        )
        self.progress.generation = generation
        return [
            [math.nan if (raw := row.raw[part]) is None else raw for part in self.scorer.parts]
            for row in generation.rows
        ]

    def _get_train_sampler(self, dataset: Any = None) -> EpochSampler:
        sampler = super()._get_train_sampler(dataset)
        assert isinstance(sampler, RepeatSampler)
        return EpochSampler.of(sampler)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        """As transformers', but for a vision-language model, whose weights are saved under other names than it has.

        transformers 5.18 passes over names that it does not know, and would go on with the weights of the beginning.
        """
        settings = self.plan.settings
        if not settings.vlm_frames or settings.lora_rank:
            super()._load_from_checkpoint(resume_from_checkpoint, model)
            return
        saved = load_policy(Path(resume_from_checkpoint), dtype=torch.float32)
        target: Any = self.model if model is None else model
        target.load_state_dict(saved.state_dict())

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        """As TRL's; the learning rate is that of this attempt's settings, at the step at which it goes on.

        A checkpoint also holds the rate that it was saved with, and none where the optimiser begins anew.
        """
        super()._load_optimizer_and_scheduler(checkpoint)
        if checkpoint is not None and isinstance(self.lr_scheduler, LambdaLR):
            place_schedule(self.lr_scheduler, self.args.learning_rate, self.progress.step)

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        began = time.monotonic()
        self.progress.generation = None
        output = super()._generate_and_score_completions(inputs)
        secs = time.monotonic() - began
        counts = output["completion_mask"].sum(dim=1, keepdim=True)  # (local P × G, 1)
        last_ids = output["completion_ids"].gather(1, (counts - 1).clamp(min=0))  # (local P × G, 1)
        ended = (last_ids == self.end_id).float()
        local = torch.cat([output["advantages"].unsqueeze(1).float(), counts.float(), ended], dim=1)
        told: torch.Tensor = self.accelerator.gather(local)  # pyright: ignore[reportAssignmentType]  # (P × G, 3)
        if self.accelerator.is_main_process:
            if self.progress.generation is None:
                raise RuntimeError("TRL scored a generation without asking for its rewards")
            self._record(self.progress.generation, told, secs)
        return output

    def _record(self, generation: Generation, told: torch.Tensor, secs: float) -> None:
        """told: (P × G, 3), of each completion its advantage, its tokens, and 1 where it ended by itself."""
        settings = self.plan.settings
        epoch = self.epoch_at_step
        stage = self.schedule.index_at(self.state.global_step)
        weights = name_weights(self.schedule.weights_at(self.state.global_step), self.scorer.parts)
        step = self.state.global_step + 1
        advantages, lengths, ended = told.T.tolist()
        for index, row in enumerate(generation.rows):
            k = index % settings.group_size
            self.event_log.completion(
                {
                    "gen": step,
                    "step": step,
                    "epoch": epoch,
                    "stage": stage,
                    "group_id": f"g{step:06d}-{row.question.question_id}",
                    "k": k,
                    "group_size": settings.group_size,
                    "prompt": row.question.prompt if k == 0 else None,
                    **wire_row(
                        row,
                        weights,
                        reward=weigh(row, weights),
                        advantage=advantages[index],
                        tokens=int(lengths[index]),
                        is_finished=bool(ended[index]),
                    ),
                }
            )
        self.event_log.generation(
            gen=step,
            step=step,
            prompts=len(generation.rows) // settings.group_size,
            samples=len(generation.rows),
            generate_secs=round(secs - generation.secs, 4),
            score_secs=round(generation.secs, 4),
            tokens=int(sum(lengths)),
            judge={
                "calls": generation.judge_calls,
                "cached": generation.judge_cached,
                "failed": generation.judge_failed,
                "secs": round(generation.judge_secs, 4),
            },
        )
        self.progress.values = count_values(generation.rows)
        if generation.judge_calls:
            self.progress.judge_calls.append((generation.judge_failed, generation.judge_calls))
        self._look_for_signal(advantages)

    def _look_for_signal(self, advantages: list[float]) -> None:
        """Warns, once until it is over, when nothing has been learned for some generations."""
        self.progress.without_signal = 0 if any(advantages) else self.progress.without_signal + 1
        if self.progress.without_signal == NO_SIGNAL_AFTER:
            self.event_log.warn(
                "no_signal",
                f"In {NO_SIGNAL_AFTER} steps on end all completions of each group had the same reward, so that every "
                "advantage is 0 and nothing is learned.",
                hint="Look at the completions: the questions may be too hard or too easy, the temperature too low.",
            )


def place_schedule(schedule: LambdaLR, learning_rate: float, step: int) -> None:
    """Puts a schedule where it stands after `step` steps that begin at `learning_rate`."""
    schedule.base_lrs = [learning_rate for _ in schedule.base_lrs]
    schedule.last_epoch = step
    rates: list[float | torch.Tensor] = [learning_rate * factor(step) for factor in schedule.lr_lambdas]
    for group, rate in zip(schedule.optimizer.param_groups, rates, strict=True):
        group["initial_lr"] = learning_rate
        group["lr"] = rate
    schedule._last_lr = rates


def weigh(row: Scored, weights: dict[str, float]) -> float:
    """The reward as TRL sums it: parts that are None count nothing."""
    return sum(weights[part] * (raw or 0.0) for part, raw in row.raw.items())


def _name_part(part: str) -> Callable[..., list[float | None]]:
    """A reward as TRL names it in its metrics; the rewards themselves come from `_calculate_rewards`."""

    def reward(**_: Any) -> list[float | None]:
        raise RuntimeError("TRL calls reward functions past _calculate_rewards")

    reward.__name__ = part
    return reward
