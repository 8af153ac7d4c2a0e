"""Turns scored completions into wire rows and counts."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from sightline_trainer.grpo.scorer import Scored
from sightline_trainer.rewards.blocks import utf16_span

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
            part: {"raw": raw, "weight": weights.get(part, 0.0), "null_reason": scored.null_reason[part]}
            for part, raw in scored.raw.items()
        },
        "reward": reward,
        "advantage": advantage,
        "judges": _judges(scored),
    }


def _judges(scored: Scored) -> list[dict[str, Any]]:
    return [
        {
            "variant": judgement.variant,
            "letter": verdict.letter if (verdict := judgement.verdict) else None,
            "agrees": judgement.agrees,
            "status": judgement.status,
            "ms": round(verdict.ms, 3) if verdict else 0.0,
            "cached": verdict.cached if verdict else False,
        }
        for judgement in scored.judgements
    ]


def count_values(rows: Sequence[Scored]) -> dict[str, Number]:
    """Counts from which the reader computes the logical-consistency rate and the accuracy by task."""
    right = [row for row in rows if row.raw["accuracy"] == 1.0]
    asked = [row for row in right if row.judgements]
    judged = [row for row in asked if row.judgements[0].status in ("ok", "no_think")]
    values: dict[str, Number] = {
        "consistency/correct": float(len(right)),
        "consistency/judged": float(len(judged)),
        "consistency/agree": float(sum(row.judgements[0].agrees is True for row in judged)),
        "consistency/failed": float(sum(row.judgements[0].is_failed for row in asked)),
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
