"""A supervised run: TRL's SFTTrainer between the same data, checkpoints and held-out questions as a GRPO run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from datasets import Dataset
from transformers import PreTrainedTokenizerBase, TrainerControl, TrainerState, TrainingArguments
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from sightline_trainer.grpo.callback import RunCallback
from sightline_trainer.grpo.config import common_args, lora_config
from sightline_trainer.grpo.data import Question
from sightline_trainer.grpo.prompt import Reader, policy_prompt, tokenizer_of
from sightline_trainer.grpo.run import Run
from sightline_trainer.grpo.scorer import Scorer
from sightline_trainer.grpo.settings import Plan
from sightline_trainer.grpo.tiny import end_id, space_tags
from sightline_trainer.grpo.trainer import StepTrainer
from sightline_trainer.rewards.letter import Options
from sightline_trainer.rewards.trace import read_gold
from sightline_trainer.sft.settings import SftSettings
from sightline_trainer.stages import SpecError


class SftCallback(RunCallback):
    """A run's callback where no reward is weighed."""

    def on_step_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        self.attempt.check_fence()

    def on_log(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, logs: Any = None, **kwargs: Any
    ) -> None:
        # TRL counts these from each attempt's beginning, so that a resumed run's curve would fall.
        super().on_log(args, state, control, {key: logs[key] for key in logs if key != "num_tokens"} if logs else None)


class StepSftTrainer(SFTTrainer):
    """SFTTrainer that knows how many steps make an epoch."""

    def __init__(self, *, steps_per_epoch: int, **kwargs: Any) -> None:
        self.steps_per_epoch = steps_per_epoch
        super().__init__(**kwargs)


class SftRun(Run):
    """One attempt of a supervised run."""

    callback_kind = SftCallback

    def _make_trainer(
        self,
        base: Path,
        reader: Reader,
        scorer: Scorer,
        callback: RunCallback,
        questions: list[Question],
        steps_per_epoch: int,
    ) -> StepTrainer:
        settings = self.plan.settings
        assert isinstance(settings, SftSettings)
        tokenizer = tokenizer_of(reader)
        rows = [encode(item, settings, tokenizer) for item in questions]
        return StepSftTrainer(
            steps_per_epoch=steps_per_epoch,
            model=str(base),
            args=build_sft_config(
                self.plan,
                str(self.attempt.run.checkpoints),
                self.plan.schedule(steps_per_epoch).max_steps,
                has_gpu=self.has_gpu,
            ),
            train_dataset=Dataset.from_list(rows),
            processing_class=tokenizer,
            callbacks=[callback],
            peft_config=lora_config(settings),
        )


def build_sft_config(plan: Plan, output_dir: str, max_steps: int, *, has_gpu: bool) -> SFTConfig:
    """TRL's settings of a supervised run."""
    settings = plan.settings
    return SFTConfig(
        **common_args(plan, output_dir, max_steps, has_gpu=has_gpu),
        gradient_accumulation_steps=settings.prompts_per_step // settings.micro_batch,
        max_length=None,
        loss_type="nll",
        completion_only_loss=True,
    )


def demonstrate(question: Question, target: str) -> str:
    """What the policy should write. Raises SpecError where the question holds too little for it."""
    letter = read_gold(question.gold, Options(len(question.options), question.options))
    answer = question.gold if question.kind == "number" else letter
    if answer is None:
        raise SpecError(f"question {question.question_id} has no answer that can be read: {question.gold!r}")
    if target == "answer":
        return f"<answer>{answer}</answer>"
    if not question.chain:
        raise SpecError(
            f"question {question.question_id} has no chain of reasoning: give `chain` with each question, "
            "or set settings.target to answer"
        )
    return f"<think>{question.chain}</think><answer>{answer}</answer>"


def encode(question: Question, settings: SftSettings, tokenizer: PreTrainedTokenizerBase) -> dict[str, list[int]]:
    """Token ids of prompt and demonstration, with the end of the text, and 1 where they are learned."""
    text = demonstrate(question, settings.target)
    before: list[int] = tokenizer(policy_prompt(question, tokenizer, settings))["input_ids"]  # pyright: ignore[reportAssignmentType]
    after: list[int] = tokenizer(space_tags(text) if settings.is_word_level else text, add_special_tokens=False)[
        "input_ids"
    ]  # pyright: ignore[reportAssignmentType]
    after = [*after, end_id(tokenizer)]
    return {"input_ids": [*before, *after], "completion_mask": [0] * len(before) + [1] * len(after)}
