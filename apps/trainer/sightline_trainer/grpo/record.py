"""Turns scored completions into wire rows and counts."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from sightline_trainer.grpo.scorer import JUDGE_VARIANT, Scored
from sightline_trainer.rewards.blocks import utf16_span
from sightline_trainer.rewards.score import PARTS

Number = float | None


def wire_row(
    scored: Scored, weights: Mapping[str, float], *, reward: float, advantage: float, tokens: int, is_finished: bool
) -> dict[str, Any]:
    """The fields of a completion line that don't hang on its place in the run."""
    reading = scored.score.reading
    question = scored.question
    return {
        "question_id": question.question_id,
        "clip_id": question.clip_id,
        "task": question.task,
        "gold": question.gold,
        "text": scored.text,
        "tokens": tokens,
        "finish": "eos" if is_finished else "length",
        "truncated_at": None,
        "parse": {
            "think": utf16_span(scored.text, reading.think),
            "answer": utf16_span(scored.text, reading.answer),
            "letter": reading.letter,
            "rule": reading.rule,
        },
        "rewards": {
            part: {"raw": scored.raw[part], "weight": weights[part], "null_reason": scored.null_reason[part]}
            for part in PARTS
        },
        "reward": reward,
        "advantage": advantage,
        "judges": _judges(scored),
    }


def _judges(scored: Scored) -> list[dict[str, Any]]:
    if scored.judge_status is None:
        return []
    verdict = scored.verdict
    return [
        {
            "variant": JUDGE_VARIANT,
            "letter": verdict.letter if verdict else None,
            "agrees": verdict.letter == scored.score.reading.letter if verdict else None,
            "status": scored.judge_status,
            "ms": round(verdict.ms, 3) if verdict else 0.0,
            "cached": verdict.cached if verdict else False,
        }
    ]


def count_values(rows: Sequence[Scored]) -> dict[str, Number]:
    """Counts from which the reader computes the logical-consistency rate and the accuracy by task."""
    right = [row for row in rows if row.raw["accuracy"] == 1.0]
    judged = [row for row in right if row.judge_status in ("ok", "no_think")]
    values: dict[str, Number] = {
        "consistency/correct": float(len(right)),
        "consistency/judged": float(len(judged)),
        "consistency/agree": float(sum(row.raw["consistency"] == 1.0 for row in judged)),
        "consistency/failed": 0.0,
    }
    for task in sorted({row.question.task for row in rows}):
        of_task = [row for row in rows if row.question.task == task and row.raw["accuracy"] is not None]
        values[f"task/{task}/n"] = float(len(of_task))
        values[f"task/{task}/correct"] = float(sum(row.raw["accuracy"] or 0.0 for row in of_task))
    return values


def mean_part(rows: Sequence[Scored], part: str) -> Number:
    """Mean of a raw part over the rows that have one; None when none has."""
    raws = [value for row in rows if (value := row.raw[part]) is not None]
    return statistics.fmean(raws) if raws else None
