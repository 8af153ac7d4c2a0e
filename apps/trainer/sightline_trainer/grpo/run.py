"""The order of a run: data, warm start, held-out questions, training, held-out questions again."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch
from accelerate import PartialState
from accelerate.utils import gather_object
from datasets import Dataset, Features, Image, List, Value
from transformers import (
    AutoConfig,
    AutoProcessor,
    AutoTokenizer,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    set_seed,
)
from trl.models.utils import unwrap_model_for_generation

from sightline_trainer.attempt import Attempt
from sightline_trainer.checkpoints import checkpoint_dir, remove_incomplete
from sightline_trainer.export.policy import ExportError, export_policy
from sightline_trainer.grpo import processes
from sightline_trainer.grpo.callback import RunCallback
from sightline_trainer.grpo.config import build_config, effective, lora_config
from sightline_trainer.grpo.data import Question, read_questions
from sightline_trainer.grpo.evaluate import BATCH, Answer, answer, evaluate, hash_values, settings_card
from sightline_trainer.grpo.judge import Inquiry, Judge, ModelJudge, Verdict
from sightline_trainer.grpo.models import find_model, load_policy, make_smoke_model, make_tiny_vlm
from sightline_trainer.grpo.monitor import Monitor
from sightline_trainer.grpo.own_rewards import read_own_rewards
from sightline_trainer.grpo.prompt import (
    Reader,
    check_lengths,
    conversation,
    policy_prompt,
    show_frames,
    tokenizer_of,
)
from sightline_trainer.grpo.remote_judge import JUDGE_KEY, RemoteJudge
from sightline_trainer.grpo.scorer import Scorer
from sightline_trainer.grpo.settings import Plan
from sightline_trainer.grpo.trainer import Progress, SightlineTrainer, StepTrainer
from sightline_trainer.grpo.warm_start import get_warm_start, warm_start_cache
from sightline_trainer.stages import SpecError
from sightline_trainer.wire.log import EndReason, EventLog


class Run:
    """One attempt of a GRPO run, from data to the last checkpoint."""

    callback_kind: type[RunCallback] = RunCallback

    def __init__(self, attempt: Attempt, log: EventLog, plan: Plan) -> None:
        self.attempt = attempt
        self.log = log
        self.plan = plan
        self.progress = Progress(step=attempt.resume_step or 0, saved_step=attempt.resume_step)
        self.has_gpu = torch.cuda.is_available()
        if not self.has_gpu:
            torch.set_num_threads(_threads())

    def train(self) -> EndReason:
        """Returns done, or why a person or the host ended it."""
        settings = self.plan.settings
        self.log.phase("load_data", 0, 1)
        here = join_processes(has_gpu=self.has_gpu)
        data = self.attempt.run.data
        train = show_frames(read_questions(data / "train.jsonl"), settings, data)
        held_out = show_frames(read_questions(data / "eval.jsonl"), settings, data)
        steps_per_epoch = len(train) // settings.prompts_per_step
        if steps_per_epoch < 1:
            raise SpecError(
                f"{len(train)} questions are fewer than settings.prompts_per_step {settings.prompts_per_step}"
            )
        own = read_own_rewards(self.attempt.run, self.plan, train)
        self.log.phase("load_data", 1, 1)
        with here.main_process_first():
            base = self._base_model(train)
        self.log.phase("load_model", 0, 1)
        reader = self._load_reader(base)
        check_lengths([*train, *held_out], reader, settings)
        questions = {item.question_id: item for item in [*train, *held_out]}
        scorer = Scorer(
            questions,
            settings.rule_set,
            self._make_judge(base, tokenizer_of(reader)) if here.is_main_process else _NoJudge(),
            settings.judge_every_groups,
            self.plan.variants,
            {reward.name: reward for reward in own},
        )
        callback = self.callback_kind(self.attempt, self.log, self.plan, self.progress)
        set_seed(self.plan.seed)
        trainer = self._make_trainer(
            base, reader, scorer, callback, train[: steps_per_epoch * settings.prompts_per_step], steps_per_epoch
        )
        callback.trainer = trainer
        self.log.phase("load_model", 1, 1)
        values = {**asdict(settings), **effective(trainer.args), "steps_per_epoch": steps_per_epoch}
        self.log.config("run", hash_values(values), values)

        def ask_held_out(step: int) -> None:
            self._evaluate(trainer, reader, held_out, scorer, step)
            self.log.phase("train", step, trainer.state.max_steps)

        callback.on_evaluate_step = ask_held_out
        monitor = Monitor(self.log, self.attempt.run.path)
        monitor.start()
        try:
            self._train(trainer, ask_held_out, base)
        finally:
            monitor.stop()
        return self.progress.ended or "done"

    def _make_trainer(
        self,
        base: Path,
        reader: Reader,
        scorer: Scorer,
        callback: RunCallback,
        questions: list[Question],
        steps_per_epoch: int,
    ) -> StepTrainer:
        return SightlineTrainer(
            plan=self.plan,
            scorer=scorer,
            log=self.log,
            progress=self.progress,
            steps_per_epoch=steps_per_epoch,
            model=str(base),
            args=build_config(
                self.plan,
                str(self.attempt.run.checkpoints),
                self.plan.schedule(steps_per_epoch).max_steps,
                has_gpu=self.has_gpu,
            ),
            train_dataset=self._dataset(questions, reader),
            peft_config=lora_config(self.plan.settings),
            processing_class=reader,
            callbacks=[callback],
        )

    def _train(self, trainer: StepTrainer, ask_held_out, base: Path) -> None:
        resume = self.attempt.resume_step
        removed = remove_incomplete(self.attempt.run) if processes.rank() == 0 else []
        if removed:
            self.log.warn(
                "half_checkpoint",
                f"Checkpoints that were not whole were removed: {', '.join(map(str, removed))}.",
                hint="The last whole one is used.",
            )
        if resume is None:
            ask_held_out(0)
        self.log.phase("train", resume or 0, 1)
        path = None if resume is None else str(checkpoint_dir(self.attempt.run, resume))
        trainer.train(resume_from_checkpoint=path)
        if self.progress.problem is not None:
            raise self.progress.problem
        if self.progress.ended is None:
            ask_held_out(self.progress.step)
            if self.plan.settings.model == "tiny" and processes.rank() == 0:
                self._export(base)
            self.log.phase("finish", 1, 1)

    def _export(self, base: Path) -> None:
        """Leaves the policy where a browser finds it. The checkpoint is whole, so that failing here is no failure."""
        self.log.phase("save", 0, 1)
        self.log.sync()
        try:
            export_policy(self.attempt.run, self.progress.saved_step or 0, reference=base)
        except (ExportError, OSError) as error:
            hint = "Free some space, then: python -m sightline_trainer.export RUN_DIR"
            self.log.warn("export_failed", f"The policy could not be exported: {error}", hint=hint)
        self.log.phase("save", 1, 1)

    def _base_model(self, train: list[Question]) -> Path:
        """The folder of the model that training starts from, which is the reference and the judge as well."""
        settings = self.plan.settings
        if settings.model == "smoke":
            return make_smoke_model(
                self.attempt.run.path.parent / f".smoke-{self.plan.root_seed}", train, self.plan.root_seed
            )
        if settings.model == "tiny-vlm":
            # By its words too: another set of questions has other ids.
            words = hash_values({item.question_id: [item.question, item.chain] for item in train})
            folder = self.attempt.run.path.parent / f".tiny-vlm-{self.plan.root_seed}-{words}"
            return make_tiny_vlm(folder, train, self.plan.root_seed)
        if settings.model != "tiny":
            return find_model(settings.model)
        path = self.attempt.run.data / "warm.jsonl"
        questions = read_questions(path) if path.exists() else train
        cache = warm_start_cache(self.attempt.run)
        cache.mkdir(exist_ok=True)

        def on_step(done: int, loss: float) -> None:
            if done % 10 == 0 or done == settings.warm_steps:
                self.log.phase("warm_start", done, settings.warm_steps)
                print(f"warm start {done}/{settings.warm_steps} loss {loss:.4f}", flush=True)

        return get_warm_start(questions, settings, self.plan.root_seed, cache, on_step)

    def _load_reader(self, path: Path) -> Reader:
        if self.plan.settings.vlm_frames:
            if AutoConfig.from_pretrained(path).model_type == "qwen2_5_vl":
                from sightline_trainer.grpo.tiny_vlm import PictureProcessor

                return PictureProcessor.from_pretrained(path)
            return AutoProcessor.from_pretrained(path)
        # AutoTokenizer would take Qwen2's byte-pair tokenizer by the model's type and split our words.
        if self.plan.settings.is_word_level:
            return PreTrainedTokenizerFast.from_pretrained(path)
        tokenizer = AutoTokenizer.from_pretrained(path, padding_side="left")
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        return tokenizer

    def _load(self, path: Path):
        model = load_policy(path, dtype=torch.bfloat16 if self.has_gpu else torch.float32)
        return model.to(torch.device("cuda" if self.has_gpu else "cpu"))  # pyright: ignore[reportArgumentType]

    def _make_judge(self, base: Path, tokenizer: PreTrainedTokenizerBase) -> Judge:
        settings = self.plan.settings
        if not settings.judge_url:
            return ModelJudge(self._load(base), tokenizer, is_tiny=settings.is_word_level)
        return RemoteJudge(
            settings.judge_url,
            settings.judge_model,
            key=os.environ.get(JUDGE_KEY),
            at_once=settings.judge_at_once,
            timeout_secs=settings.judge_timeout_secs,
        )

    def _dataset(self, questions: list[Question], reader: Reader) -> Dataset:
        settings = self.plan.settings
        if settings.vlm_frames:
            turn = {"role": Value("string"), "content": Value("string")}
            columns = Features({"prompt": List(turn), "images": List(Image()), "question_id": Value("string")})
            shown = [
                {
                    "prompt": conversation(item, settings),
                    "images": list(item.frames),
                    "question_id": item.question_id,
                }
                for item in questions
            ]
            return Dataset.from_list(shown, features=columns)
        tokenizer = tokenizer_of(reader)
        return Dataset.from_list(
            [
                {"prompt": policy_prompt(item, tokenizer, settings), "question_id": item.question_id}
                for item in questions
            ]
        )

    def _answer(self, trainer, reader: Reader, questions: list[Question]) -> list[Answer]:
        """One answer per question; each process asks some batches, so that one and several give the same answers."""
        accelerator = trainer.accelerator
        mine: list[tuple[int, list[Answer | None]]] = []
        with unwrap_model_for_generation(trainer.model_wrapped, accelerator) as model:
            for start in range(BATCH * accelerator.process_index, len(questions), BATCH * accelerator.num_processes):
                batch = questions[start : start + BATCH]
                seed = self.plan.seed + start

                def on_done(done: int, start: int = start) -> None:
                    self.log.phase("evaluate", min(len(questions), start + done), len(questions))

                mine.append((start, answer(model, reader, batch, self.plan.settings, seed, on_done)))
        return [one for _, batch in sorted(gather_object(mine)) for one in batch if one is not None]

    def _evaluate(self, trainer, reader: Reader, questions: list[Question], scorer: Scorer, step: int) -> None:
        self.log.phase("evaluate", 0, len(questions))
        settings = self.plan.settings
        answers = self._answer(trainer, reader, questions)
        if processes.rank() > 0:
            return
        per_task, overall, rows = evaluate(answers, questions, scorer)
        epoch = step / trainer.steps_per_epoch
        stage = self.plan.schedule(trainer.steps_per_epoch).index_at(max(0, step - 1))
        for row, question in zip(rows, questions, strict=True):
            self.log.completion(
                {
                    "gen": step,
                    "step": step,
                    "epoch": epoch,
                    "stage": stage,
                    "split": "eval",
                    "group_id": f"e{step:06d}-{question.question_id}",
                    "k": 0,
                    "group_size": 1,
                    "prompt": question.prompt,
                    **row,
                }
            )
        self.log.evaluation(
            step=step,
            settings_hash=hash_values(settings_card(settings, questions, self.plan.seed)),
            per_task=per_task,
            overall=overall,
        )
        sys.stdout.write(f"held out at step {step}: {overall}\n")
        sys.stdout.flush()


def join_processes(*, has_gpu: bool) -> PartialState:
    """Joins the other processes of the attempt, where there are some, before anything is loaded."""
    if processes.world_size() == 1:
        return PartialState(cpu=not has_gpu)
    return PartialState() if has_gpu else PartialState(cpu=True, backend="gloo")


class _NoJudge:
    """Of a process that does not score."""

    def ask(self, items: Sequence[Inquiry]) -> list[Verdict]:
        raise RuntimeError("only the first process scores")


def _threads() -> int:
    return int(os.environ.get("OMP_NUM_THREADS", "1"))
