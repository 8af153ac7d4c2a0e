"""Rewards, judgements and advantages of simulated groups."""

from __future__ import annotations

import random
import statistics
from dataclasses import dataclass
from typing import Any

from sightline_trainer.rewards.score import PARTS
from sightline_trainer.sim.texts import LETTERS, Question, Trace

ADVANTAGE_EPS = 1e-4
JUDGE_VARIANT = "simulated"


@dataclass
class Scored:
    """Rewards of one group, and what the judge had to do for them."""

    scores: list[dict[str, Any]]
    calls: int
    cached: int
    failed: int
    std: float
    """Sample standard deviation (n − 1) of the group's rewards, as TRL takes it."""


def score_group(
    question: Question,
    group: list[Trace],
    weights: dict[str, float],
    rng: random.Random,
    *,
    is_judged: bool,
    is_judge_down: bool,
) -> Scored:
    """Rewards, judgements and advantages of one group."""
    judges = [_judge(question, trace, rng, is_judge_down=is_judge_down) if is_judged else [] for trace in group]
    statuses = [judge[0]["status"] for judge in judges if judge]
    failed = sum(status in ("timeout", "http_error") for status in statuses)
    calls = statuses.count("ok") + statuses.count("unparsed")
    cached = sum(bool(judge and judge[0]["cached"]) for judge in judges)
    scores: list[dict[str, Any]] = []
    for trace, judge in zip(group, judges, strict=True):
        is_right = trace.letter == question.gold
        # One failed judgement voids the part for the whole group: a zero for one sample alone would bias its advantage.
        if not is_judged:
            consistency, null_reason = None, "not_sampled"
        elif failed:
            consistency, null_reason = None, "judge_failed"
        else:
            consistency, null_reason = float(is_right and judge[0]["agrees"] is True), None
        raw = {"format": float(trace.is_well_formed), "accuracy": float(is_right), "consistency": consistency}
        scores.append(
            {
                "rewards": {
                    part: {
                        "raw": raw[part],
                        "weight": weights[part],
                        "null_reason": null_reason if part == "consistency" else None,
                    }
                    for part in PARTS
                },
                "reward": sum(weights[part] * (raw[part] or 0.0) for part in PARTS),
                "judges": judge,
            }
        )
    rewards = [score["reward"] for score in scores]
    mean = statistics.fmean(rewards)
    std = statistics.stdev(rewards) if len(rewards) > 1 else 0.0
    for score in scores:
        score["advantage"] = (score["reward"] - mean) / (std + ADVANTAGE_EPS)
    return Scored(scores, calls, cached, failed, std)


def _judge(question: Question, trace: Trace, rng: random.Random, *, is_judge_down: bool) -> list[dict[str, Any]]:
    """What a judge says that reads the question and the reasoning only. It is asked about right answers alone."""
    verdict: dict[str, Any] = {"variant": JUDGE_VARIANT, "letter": None, "agrees": None, "ms": 0.0, "cached": False}
    if trace.letter != question.gold:
        return [{**verdict, "status": "skipped_wrong_answer"}]
    if trace.chain_letter is None:
        return [{**verdict, "agrees": False, "status": "no_think"}]
    ms = round(1.5 + 2 * rng.random(), 2)
    if is_judge_down and rng.random() < 0.9:
        is_timeout = rng.random() < 0.5
        return [{**verdict, "ms": 30_000.0 if is_timeout else ms, "status": "timeout" if is_timeout else "http_error"}]
    # The judge reads the chain's last heading, and misreads one in fifty.
    letter = trace.chain_letter if rng.random() > 0.02 else rng.choice(LETTERS)
    return [
        {
            **verdict,
            "letter": letter,
            "agrees": letter == trace.letter,
            "status": "ok",
            "ms": ms,
            "cached": rng.random() < 0.1,
        }
    ]
