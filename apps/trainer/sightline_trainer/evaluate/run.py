"""Asks a model a set of questions, batch by batch; what an earlier attempt answered is not asked again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from sightline_trainer.checkpoints import checkpoint_dir, is_complete
from sightline_trainer.evaluate.pictures import unpack_pictures
from sightline_trainer.evaluate.settings import EvaluationSettings, split_checkpoint
from sightline_trainer.grpo.data import DataError, Question, read_questions
from sightline_trainer.grpo.evaluate import BATCH, Answer, answer, evaluate, hash_values, settings_card
from sightline_trainer.grpo.monitor import Monitor
from sightline_trainer.grpo.prompt import Reader, encode_prompts, show_frames, tokenizer_of
from sightline_trainer.grpo.run import Run
from sightline_trainer.grpo.scorer import Scorer
from sightline_trainer.preflight.memory import fit_batch
from sightline_trainer.preflight.shapes import read_shape
from sightline_trainer.rundir import RunDir
from sightline_trainer.wire.log import EndReason


class EvaluationRun(Run):
    """One attempt of an evaluation."""

    def train(self) -> EndReason:
        """Answers what is left. Returns done, or why a person or the host ended it."""
        settings = self.plan.settings
        assert isinstance(settings, EvaluationSettings)
        self.log.phase("load_data", 0, 1)
        data = self.attempt.run.data
        unpack_pictures(data)
        questions = show_frames(read_questions(data / "eval.jsonl"), settings, data)
        self.log.phase("load_data", 1, 1)
        card = settings_card(settings, questions, self.plan.seed)
        self.log.config("evaluation", hash_values(card), card)
        base = self._base_model(self._questions_of_recipe())
        self.log.phase("load_model", 0, 1)
        reader = self._load_reader(base)
        policy = self._load(self._policy_folder(base, settings))
        # Loading takes minutes where the model is large, and a stop need not wait for the judge's or for an answer.
        judge = None if self._is_cut() else self._make_judge(base, tokenizer_of(reader))
        if judge is None or self._is_cut():
            return self._end()
        scorer = Scorer({item.question_id: item for item in questions}, settings.rule_set, judge, 1, self.plan.variants)
        self.log.phase("load_model", 1, 1)
        monitor = Monitor(self.log, self.attempt.run.path)
        monitor.start()
        try:
            return self._ask_all(base, policy, reader, questions, scorer, settings)
        finally:
            monitor.stop()

    def _questions_of_recipe(self) -> list[Question]:
        """Of the tiny policy's warm start, when it has none of its own: the run's training questions."""
        path = self.attempt.run.data / "train.jsonl"
        return read_questions(path) if path.exists() else []

    def _policy_folder(self, base: Path, settings: EvaluationSettings) -> Path:
        if not settings.checkpoint:
            return base
        run_id, step = split_checkpoint(settings.checkpoint)
        folder = checkpoint_dir(RunDir(self.attempt.run.path.parent / run_id), step)
        if not is_complete(folder):
            raise DataError(f"run {run_id} has no whole checkpoint of step {step} on this host")
        return folder

    def _ask_all(
        self,
        base: Path,
        policy: Any,
        reader: Reader,
        questions: list[Question],
        scorer: Scorer,
        settings: EvaluationSettings,
    ) -> EndReason:
        total = len(questions)
        answers = read_answers(self.attempt.run, self.attempt.number)
        self.log.phase("evaluate", len(answers), total)
        at_once = settings.batch or min(BATCH, self._room(base, reader, questions))
        for number, start in enumerate(range(0, total, at_once)):
            batch = questions[start : start + at_once]
            missing = {item.question_id for item in batch} - answers.keys()
            if not missing:
                continue
            self.attempt.check_fence()
            known = len(answers)
            cached = len(batch) - len(missing)

            def on_done(done: int, known: int = known, cached: int = cached) -> None:
                self.log.phase("evaluate", known + max(0, done - cached), total)

            # The whole batch once more, so that what is sampled does not hang on where an earlier attempt was cut.
            seed = self.plan.seed * 1_000_003 + number
            given = answer(policy, reader, batch, settings, seed, on_done, self._is_cut)
            new = [
                (item, one)
                for item, one in zip(batch, given, strict=True)
                if one is not None and item.question_id in missing
            ]
            if new:
                self._put_down(new, answers, scorer)
                self._measure(answers, questions, scorer)
            self.progress.step = len(answers)
            self.log.phase("evaluate", len(answers), total)
            if len(answers) < total and self._is_cut():
                return self._end()
        given = [answers[item.question_id] for item in questions]
        per_task, overall, _ = evaluate(given, questions, scorer)
        self.log.evaluation(
            step=self._step,
            settings_hash=hash_values(settings_card(settings, questions, self.plan.seed)),
            per_task=per_task,
            overall=overall,
        )
        self.log.phase("finish", 1, 1)
        return "done"

    def _is_cut(self) -> bool:
        """True when a person or the host asked for an end."""
        return self.progress.is_terminated or self.attempt.is_stop_requested()

    def _end(self) -> EndReason:
        self.progress.ended = "stopped" if self.attempt.is_stop_requested() else "interrupted"
        self.log.sync()
        return self.progress.ended

    def _room(self, base: Path, reader: Reader, questions: list[Question]) -> int:
        """Questions that the GPU can answer together, the longest answers to the longest prompt; BATCH without one."""
        shape = read_shape(base) if self.has_gpu else None
        if shape is None:
            return BATCH
        settings = self.plan.settings
        longest = max(questions, key=lambda item: (len(item.frames), len(item.prompt)))
        prompt_tokens = encode_prompts([longest], reader, settings)["input_ids"].shape[1]
        free_bytes, _ = torch.cuda.mem_get_info()
        return fit_batch(shape, prompt_tokens, settings.max_completion_tokens, free_bytes)

    def _put_down(self, new: Sequence[tuple[Question, Answer]], answers: dict[str, Answer], scorer: Scorer) -> None:
        """Scores answers and writes them."""
        _, _, rows = evaluate([one for _, one in new], [item for item, _ in new], scorer)
        for (item, one), row in zip(new, rows, strict=True):
            answers[item.question_id] = one
            self._write(row, item)

    @property
    def _step(self) -> int:
        """Optimiser steps behind the policy that is asked."""
        settings = self.plan.settings
        assert isinstance(settings, EvaluationSettings)
        return split_checkpoint(settings.checkpoint)[1] if settings.checkpoint else 0

    def _write(self, row: dict[str, Any], question: Question) -> None:
        self.log.completion(
            {
                "gen": self._step,
                "step": self._step,
                "epoch": 0.0,
                "stage": 0,
                "split": "eval",
                "group_id": f"e{self._step:06d}-{question.question_id}",
                "k": 0,
                "group_size": 1,
                "prompt": question.prompt,
                **row,
            }
        )

    def _measure(self, answers: dict[str, Answer], questions: list[Question], scorer: Scorer) -> None:
        """How it stands after so many questions."""
        asked = [item for item in questions if item.question_id in answers]
        _, overall, _ = evaluate([answers[item.question_id] for item in asked], asked, scorer)
        self.log.metrics(
            step=len(asked),
            epoch=len(asked) / len(questions),
            max_steps=len(questions),
            values={name: overall[name] for name in ("accuracy", "low", "high", "format")},
        )


def read_answers(run: RunDir, before: int) -> dict[str, Answer]:
    """What attempts earlier than `before` have answered, by question; torn lines count as not written."""
    answers: dict[str, Answer] = {}
    for number in run.attempt_numbers():
        if number >= before:
            continue
        for path in sorted(run.attempt(number).path.glob("completions-*.jsonl")):
            for line in path.read_bytes().split(b"\n")[:-1]:
                try:
                    row = json.loads(line)
                    answers[row["question_id"]] = (row["text"], row["tokens"], row["finish"] == "eos")
                except (ValueError, KeyError, TypeError):
                    continue
    return answers
