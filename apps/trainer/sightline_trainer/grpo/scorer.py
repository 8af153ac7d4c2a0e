"""Scores a generation: parts by the rule set, consistency by the judge, one record per completion."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sightline_trainer.grpo.data import Question
from sightline_trainer.grpo.judge import Judge, Verdict
from sightline_trainer.rewards.score import PARTS, RuleSet, Score, score_completion

JUDGE_VARIANT = "paper"
NOT_SAMPLED = "not_sampled"
NO_THINK = "no_think"
WRONG = "skipped_wrong_answer"


@dataclass
class Scored:
    """One completion with its raw parts. `raw` values are in [0, 1], None with a reason in `null_reason`."""

    question: Question
    text: str
    score: Score
    raw: dict[str, float | None]
    null_reason: dict[str, str | None]
    verdict: Verdict | None = None
    judge_status: str | None = None

    @property
    def think(self) -> str:
        """The reasoning; empty without any."""
        span = self.score.reading.think
        return self.text[slice(*span)] if span else ""


@dataclass
class Generation:
    """All completions of one generation, in the trainer's order, and what scoring them took."""

    rows: list[Scored]
    secs: float = 0.0
    judge_secs: float = 0.0
    judge_calls: int = 0
    judge_cached: int = 0
    consistent: int = 0
    judged: int = 0


@dataclass
class Scorer:
    """Holds what scoring needs; `score` is a pure function of its arguments."""

    questions: dict[str, Question]
    rule_set: RuleSet
    judge: Judge
    judge_every_groups: int

    def score(
        self,
        question_ids: Sequence[str],
        texts: Sequence[str],
        *,
        group_size: int,
        first_group: int,
        is_consistency_weighted: bool,
    ) -> Generation:
        """Scores completions.

        question_ids, texts: (P × G) each, a prompt's G completions side by side.
        first_group: number of groups before these in the run; decides which are judged while consistency has no weight.
        """
        began = time.monotonic()
        rows = [self._score_one(self.questions[key], text) for key, text in zip(question_ids, texts, strict=True)]
        chosen: list[Scored] = []
        for index, row in enumerate(rows):
            group = first_group + index // group_size
            if is_consistency_weighted or group % self.judge_every_groups == 0:
                self._await_judge(row, chosen)
            else:
                row.raw["consistency"], row.null_reason["consistency"] = None, NOT_SAMPLED
        generation = Generation(rows)
        self._ask(chosen, generation)
        generation.secs = time.monotonic() - began
        return generation

    def _score_one(self, question: Question, text: str) -> Scored:
        score = score_completion(text, question.target, self.rule_set, question.prompt)
        raw: dict[str, float | None] = {"format": score.format.raw, "accuracy": score.accuracy.raw, "consistency": 0.0}
        reasons = {
            part: reward.reason if reward.raw is None else None
            for part, reward in (("format", score.format), ("accuracy", score.accuracy))
        }
        return Scored(question, text, score, raw, {**dict.fromkeys(PARTS), **reasons})

    def _await_judge(self, row: Scored, chosen: list[Scored]) -> None:
        if row.raw["accuracy"] != 1.0:
            row.judge_status = WRONG
        elif row.score.reading.think is None:
            row.judge_status = NO_THINK
        else:
            chosen.append(row)

    def _ask(self, chosen: list[Scored], generation: Generation) -> None:
        began = time.monotonic()
        verdicts = self.judge.ask([(row.question.question, row.think, len(row.question.options)) for row in chosen])
        for row, verdict in zip(chosen, verdicts, strict=True):
            agrees = verdict.letter == row.score.reading.letter
            row.verdict, row.judge_status = verdict, "ok"
            row.raw["consistency"] = 1.0 if agrees else 0.0
            generation.consistent += agrees
        generation.judged = len(chosen)
        generation.judge_cached = sum(verdict.cached for verdict in verdicts)
        generation.judge_calls = len(verdicts) - generation.judge_cached
        generation.judge_secs = time.monotonic() - began
