"""Scores a generation: parts by the rule set, consistency by the judge, one record per completion."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sightline_trainer.grpo.data import Question
from sightline_trainer.grpo.judge import Inquiry, Judge, Verdict
from sightline_trainer.grpo.judge_variants import Variant, strip_conclusion
from sightline_trainer.grpo.own_rewards import completion_record
from sightline_trainer.rewards.score import PARTS, RawReward, RuleSet, Score, score_completion

NOT_SAMPLED = "not_sampled"
NO_THINK = "no_think"
WRONG = "skipped_wrong_answer"
JUDGE_FAILED = "judge failed in the group"
NO_LETTER = "the judge gives letters, and the question asks for a number"
NULL_BESIDE = "another completion of the group has none"

Reward = Callable[[Mapping[str, Any]], RawReward]
"""Gives a completion's record its reward, in [0, 1] or None with a reason; raises nothing."""


@dataclass(frozen=True)
class Judgement:
    """What became of one variant for one completion. `agrees` is None where the judge gave no letter."""

    variant: Variant
    status: str
    verdict: Verdict | None = None
    agrees: bool | None = None

    @property
    def is_failed(self) -> bool:
        """The judge was asked and gave nothing that can be used."""
        return self.verdict is not None and self.verdict.status != "ok"


@dataclass
class Scored:
    """One completion with its raw parts. `raw` values are in [0, 1], None with a reason in `null_reason`."""

    question: Question
    text: str
    score: Score
    raw: dict[str, float | None]
    null_reason: dict[str, str | None]
    judgements: list[Judgement] = field(default_factory=list)
    """By variant, the one that pays first; empty when the judge did not look at the group."""

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
    judge_failed: int = 0


@dataclass
class Scorer:
    """Holds what scoring needs; `score` is a pure function of its arguments."""

    questions: dict[str, Question]
    rule_set: RuleSet
    judge: Judge
    judge_every_groups: int
    variants: tuple[Variant, ...] = ("paper",)
    """The first one pays the consistency reward; the others are asked, shown and counted."""
    own: Mapping[str, Reward] = field(default_factory=dict)
    """A person's own rewards, by name."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of all rewards, in the order of the record."""
        return (*PARTS, *self.own)

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
        groups = [rows[start : start + group_size] for start in range(0, len(rows), group_size)]
        judged: list[list[Scored]] = []
        for index, group in enumerate(groups, start=first_group):
            if group[0].question.kind == "number":
                _leave_out(group, "consistency", NO_LETTER)
            elif is_consistency_weighted or index % self.judge_every_groups == 0:
                judged.append(group)
            else:
                _leave_out(group, "consistency", NOT_SAMPLED)
        generation = Generation(rows)
        for variant in self.variants:
            self._judge([row for group in judged for row in group], variant, generation)
        for group in judged:
            # A part that is null for one completion and not for its siblings would lower its reward among them.
            if any(row.judgements[0].is_failed for row in group):
                _leave_out(group, "consistency", JUDGE_FAILED)
            else:
                for row in group:
                    row.raw["consistency"] = 1.0 if row.judgements[0].agrees else 0.0
        for name, reward in self.own.items():
            for group in groups:
                _reward_group(group, name, reward)
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

    def _judge(self, rows: Sequence[Scored], variant: Variant, generation: Generation) -> None:
        """Appends the variant's judgement to each row; asks the judge once for all of them."""
        began = time.monotonic()
        inquiries = [_inquire(row, variant) for row in rows]
        verdicts = iter(self.judge.ask([item for item in inquiries if isinstance(item, Inquiry)]))
        for row, item in zip(rows, inquiries, strict=True):
            if not isinstance(item, Inquiry):
                row.judgements.append(Judgement(variant, item))
                continue
            verdict = next(verdicts)
            agrees = None if verdict.letter is None else verdict.letter == row.score.reading.letter
            row.judgements.append(Judgement(variant, verdict.status, verdict, agrees))
            generation.judge_cached += verdict.cached
            generation.judge_calls += not verdict.cached
            generation.judge_failed += not verdict.cached and verdict.status != "ok"
        generation.judge_secs += time.monotonic() - began


def _leave_out(group: Sequence[Scored], part: str, reason: str) -> None:
    for row in group:
        row.raw[part], row.null_reason[part] = None, reason


def _reward_group(group: Sequence[Scored], name: str, reward: Reward) -> None:
    """Gives a group one of the person's rewards; null for all where it is for one, as with the judge."""
    given = [reward(completion_record(row.question, row.text, row.score)) for row in group]
    has_null = any(one.raw is None for one in given)
    for row, one in zip(group, given, strict=True):
        row.raw[name] = None if has_null else one.raw
        row.null_reason[name] = (one.reason if one.raw is None else NULL_BESIDE) if has_null else None


def _inquire(row: Scored, variant: Variant) -> Inquiry | str:
    """What to ask the judge, or the status of a completion that it need not be asked about."""
    reading = row.score.reading
    is_askable = reading.letter is not None if variant == "unconditional" else row.raw["accuracy"] == 1.0
    if not is_askable:
        return WRONG
    if reading.think is None:
        return NO_THINK
    target = row.question.target
    think = strip_conclusion(row.think, target.options) if variant == "letter_stripped" else row.think
    if variant == "letter_stripped" and not think:
        return NO_THINK
    return Inquiry(row.question.question, think, target.options.count)
