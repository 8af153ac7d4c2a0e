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
from typing import Any, Protocol

import torch
from torch.optim.lr_scheduler import LambdaLR
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments
from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.grpo_trainer import GRPOTrainer
from trl.trainer.utils import RepeatSampler

from sightline_trainer.attempt import Attempt
from sightline_trainer.checkpoints import checkpoint_dir, mark_complete, prune
from sightline_trainer.grpo.order import EpochSampler
from sightline_trainer.grpo.record import count_values, wire_row
from sightline_trainer.grpo.scorer import Generation, Scored, Scorer
from sightline_trainer.grpo.settings import Plan
from sightline_trainer.grpo.tiny import end_id
from sightline_trainer.rewards.score import PARTS
from sightline_trainer.wire.log import EndReason, EventLog


class DivergedError(RuntimeError):
    """Loss or gradient is no longer a finite number."""


class JudgeUnavailableError(RuntimeError):
    """The judge failed too often for consistency to mean anything."""


JUDGE_WINDOW = 5
"""Generations over which the judge's failures are counted."""
JUDGE_FAILURES = 0.2
"""Share of failed calls above which the run saves and ends."""


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
    problem: Exception | None = None
    """Why training ended early after its checkpoint was saved."""


def build_config(plan: Plan, output_dir: str, *, has_gpu: bool) -> GRPOConfig:
    """TRL's settings of a run. Nothing is reported anywhere: the rows are ours."""
    settings = plan.settings
    completions = settings.group_size * settings.prompts_per_step
    return GRPOConfig(
        output_dir=output_dir,
        seed=plan.seed,
        data_seed=plan.seed,
        num_train_epochs=plan.epochs,
        per_device_train_batch_size=settings.micro_batch,
        gradient_accumulation_steps=completions // settings.micro_batch,
        num_generations=settings.group_size,
        max_completion_length=settings.max_completion_tokens,
        temperature=settings.temperature,
        beta=settings.beta,
        loss_type=settings.loss_type,
        learning_rate=settings.learning_rate,
        lr_scheduler_type="cosine_with_min_lr",
        lr_scheduler_kwargs={"min_lr_rate": 0.4},
        save_strategy="steps",
        save_steps=settings.save_steps,
        logging_strategy="steps",
        logging_steps=1,
        logging_nan_inf_filter=False,
        report_to=[],
        disable_tqdm=True,
        use_cpu=not has_gpu,
        bf16=has_gpu,
        gradient_checkpointing=has_gpu,
        dataloader_pin_memory=has_gpu,
    )


class StepTrainer(Protocol):
    """What the callback and the run need of a trainer, whatever it optimises."""

    steps_per_epoch: int
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
        self.end_id = end_id(kwargs["processing_class"])
        self._scored_for: object = None
        super().__init__(reward_funcs=[self._part(part) for part in PARTS], **kwargs)

    @property
    def epoch_at_step(self) -> float:
        """Epochs done when the step at hand began: a pure function of the trainer's state, so that resuming agrees."""
        return self.state.global_step / self.steps_per_epoch

    def _part(self, part: str) -> Callable[..., list[float | None]]:
        def reward(completions: list[str], question_id: list[str], **_: Any) -> list[float | None]:
            return [row.raw[part] for row in self._score(completions, question_id).rows]

        reward.__name__ = part
        return reward

    def _score(self, completions: list[str], question_ids: list[str]) -> Generation:
        """Scores a generation once for its three rewards."""
        if self._scored_for is not completions or self.progress.generation is None:
            settings = self.plan.settings
            self.progress.generation = self.scorer.score(
                question_ids,
                completions,
                group_size=settings.group_size,
                first_group=self.state.global_step * settings.prompts_per_step,
                is_consistency_weighted=self.schedule.weights_at(self.state.global_step)["consistency"] > 0,
            )
            self._scored_for = completions
        return self.progress.generation

    def _get_train_sampler(self, dataset: Any = None) -> EpochSampler:
        sampler = super()._get_train_sampler(dataset)
        assert isinstance(sampler, RepeatSampler)
        return EpochSampler.of(sampler)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        """As TRL's; the learning rate is that of this attempt's settings, at the step at which it goes on.

        A checkpoint also holds the rate that it was saved with, and none where the optimiser begins anew.
        """
        super()._load_optimizer_and_scheduler(checkpoint)
        if checkpoint is not None and isinstance(self.lr_scheduler, LambdaLR):
            place_schedule(self.lr_scheduler, self.args.learning_rate, self.progress.step)

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        began = time.monotonic()
        output = super()._generate_and_score_completions(inputs)
        generation = self.progress.generation
        if generation is None:
            raise RuntimeError("TRL scored a generation without asking for its rewards")
        self._record(generation, output, time.monotonic() - began)
        self._scored_for = None
        return output

    def _record(self, generation: Generation, output: dict[str, Any], secs: float) -> None:
        settings = self.plan.settings
        epoch = self.epoch_at_step
        stage = self.schedule.index_at(self.state.global_step)
        weights = self.schedule.weights_at(self.state.global_step)
        step = self.state.global_step + 1
        advantages = output["advantages"].tolist()  # (P × G,)
        counts = output["completion_mask"].sum(dim=1, keepdim=True)  # (P × G, 1)
        lengths = counts.squeeze(1).tolist()
        last_ids = output["completion_ids"].gather(1, (counts - 1).clamp(min=0)).squeeze(1)  # (P × G,)
        is_finished = (last_ids == self.end_id).tolist()
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
                        is_finished=bool(is_finished[index]),
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
    return sum(weights[part] * (row.raw[part] or 0.0) for part in PARTS)


class RunCallback(TrainerCallback):
    """Sets the stage's weights before each step; emits metrics; obeys control files; guards; marks checkpoints."""

    def __init__(self, attempt: Attempt, log: EventLog, plan: Plan, progress: Progress) -> None:
        self.attempt = attempt
        self.log = log
        self.plan = plan
        self.progress = progress
        self.trainer: StepTrainer | None = None
        self.on_evaluate_step: Callable[[int], None] = lambda step: None
        self._shown_stage: int | None = None
        self._saving_since = 0.0

    def on_step_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        trainer = self._trainer
        assert isinstance(trainer, SightlineTrainer)
        self.attempt.check_fence()
        schedule = trainer.schedule
        weights = schedule.weights_at(state.global_step)
        trainer.reward_weights = torch.tensor([weights[part] for part in PARTS], dtype=torch.float32)
        index = schedule.index_at(state.global_step)
        if index != self._shown_stage:
            self._shown_stage = index
            stage = self.plan.stages[index]
            self.log.stage(
                index=index,
                name=stage.name,
                weights=stage.weights,
                from_step=schedule.first_step(index),
                from_epoch=(schedule.first_step(index) - 1) / trainer.steps_per_epoch,
                own=stage.own,
            )

    def on_log(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, logs: Any = None, **kwargs: Any
    ) -> None:
        if not logs or "train_runtime" in logs:
            return
        values = {name: value for name, value in logs.items() if name != "epoch"} | self.progress.values
        self.log.metrics(
            step=state.global_step,
            epoch=state.global_step / self._trainer.steps_per_epoch,
            max_steps=state.max_steps,
            values=values,
        )
        for name in ("loss", "grad_norm"):
            value = logs.get(name)
            if value is not None and not math.isfinite(value):
                raise DivergedError(f"{name} is {value} at step {state.global_step}")

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        self.progress.step = state.global_step
        print(f"step {state.global_step}/{state.max_steps}", flush=True)
        is_last = state.global_step >= state.max_steps
        is_stage_end = state.global_step in self.plan.stage_ends(self._trainer.steps_per_epoch)
        if self.attempt.is_checkpoint_requested() or is_last or is_stage_end:
            control.should_save = True
        is_stopped = self.attempt.is_stop_requested()
        if (is_stopped or self.progress.is_terminated) and not is_last:
            self.progress.ended = "stopped" if is_stopped else "interrupted"
            control.should_save = True
            control.should_training_stop = True
        elif self._is_judge_down():
            control.should_save = True
            control.should_training_stop = True
        if control.should_save:
            self._saving_since = time.monotonic()
            self.log.sync()

    def _is_judge_down(self) -> bool:
        """Puts down why the run can't go on, where that is so."""
        window = self.progress.judge_calls
        failed, calls = (sum(counts) for counts in zip(*window, strict=True)) if window else (0, 0)
        if len(window) < JUDGE_WINDOW or failed <= JUDGE_FAILURES * calls:
            return False
        share = f"{failed} of {calls}"
        self.progress.problem = JudgeUnavailableError(
            f"The judge failed in {share} calls over {JUDGE_WINDOW} generations."
        )
        return True

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        step = state.global_step
        path = checkpoint_dir(self.attempt.run, step)
        size = mark_complete(path, step)
        self.progress.saved_step = step
        ends = self.plan.stage_ends(self._trainer.steps_per_epoch)
        prune(self.attempt.run, keep=self.plan.settings.keep_checkpoints, protect=ends)
        self.attempt.checkpoint_done()
        self.log.checkpoint(
            step=step,
            path=str(path.relative_to(self.attempt.run.path)),
            bytes=size,
            secs=round(time.monotonic() - self._saving_since, 4),
            complete=True,
        )
        every = self.plan.settings.eval_steps
        if every and step % every == 0 and step < state.max_steps:
            self.on_evaluate_step(step)

    @property
    def _trainer(self) -> StepTrainer:
        if self.trainer is None:
            raise RuntimeError("the callback was not given its trainer")
        return self.trainer
