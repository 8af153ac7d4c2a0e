"""What happens around a run's steps: stages and weights, metrics, control, guards, and checkpoints."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import torch
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from sightline_trainer.attempt import Attempt
from sightline_trainer.checkpoints import checkpoint_dir, mark_complete, prune
from sightline_trainer.grpo import processes
from sightline_trainer.grpo.faults import DivergedError, JudgeUnavailableError
from sightline_trainer.grpo.settings import Plan
from sightline_trainer.grpo.trainer import JUDGE_WINDOW, Progress, SightlineTrainer, StepTrainer
from sightline_trainer.wire.log import EventLog

JUDGE_FAILURES = 0.2
"""Share of failed calls of the judge above which the run saves and ends."""


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
        trainer.enter_step()
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
        if processes.rank() == 0:
            print(f"step {state.global_step}/{state.max_steps}", flush=True)
        is_last = state.global_step >= state.max_steps
        is_stage_end = state.global_step in self.plan.stage_ends(self._trainer.steps_per_epoch)
        is_wanted, is_stopped, is_terminated, is_judge_down = self._agree(
            self.attempt.is_checkpoint_requested(),
            self.attempt.is_stop_requested(),
            self.progress.is_terminated,
            self._is_judge_down(),
        )
        if is_wanted or is_last or is_stage_end:
            control.should_save = True
        if (is_stopped or is_terminated) and not is_last:
            self.progress.ended = "stopped" if is_stopped else "interrupted"
            control.should_save = True
            control.should_training_stop = True
        elif is_judge_down:
            self.progress.problem = self.progress.problem or JudgeUnavailableError("The judge failed.")
            control.should_save = True
            control.should_training_stop = True
        if control.should_save:
            self._saving_since = time.monotonic()
            self.log.sync()

    def _agree(self, *mine: bool) -> list[bool]:
        """What any of the processes has seen: a signal or a file reaches them at different steps, and all must save."""
        accelerator = self._trainer.accelerator
        if accelerator.num_processes == 1:
            return list(mine)
        seen = torch.tensor([mine], dtype=torch.int32, device=accelerator.device)  # (1, flags)
        return [bool(flag) for flag in accelerator.gather(seen).amax(dim=0).tolist()]

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
        # Each process saves its own random state beside what the first one saves.
        self._trainer.accelerator.wait_for_everyone()
        if processes.rank() == 0:
            self._seal(step)
        self._trainer.accelerator.wait_for_everyone()
        self.progress.saved_step = step
        every = self.plan.settings.eval_steps
        if every and step % every == 0 and step < state.max_steps:
            self.on_evaluate_step(step)

    def _seal(self, step: int) -> None:
        """Marks a checkpoint as whole, and removes those that are no longer kept."""
        path = checkpoint_dir(self.attempt.run, step)
        size = mark_complete(path, step)
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

    @property
    def _trainer(self) -> StepTrainer:
        if self.trainer is None:
            raise RuntimeError("the callback was not given its trainer")
        return self.trainer
