"""Numbers that sum up rows: metrics by TRL's names, counts, shares with their intervals."""

from __future__ import annotations

import math
import random
import statistics
from typing import Any

from sightline_trainer.intervals import wilson
from sightline_trainer.rewards.score import PARTS
from sightline_trainer.sim.settings import Plan
from sightline_trainer.sim.texts import TASKS


def step_values(
    plan: Plan,
    *,
    step: int,
    skill: float,
    tokens: int,
    rows: list[dict[str, Any]],
    stds: list[float],
    rng: random.Random,
    secs: float,
) -> dict[str, float | None]:
    """The metrics of one step by TRL's names, from the rows themselves where they can be.

    skill: accuracy before the step, in [0, 1]. tokens: sampled since the run began. secs: of the generation.
    """
    lengths = [row["tokens"] for row in rows]
    ended = [row["tokens"] for row in rows if row["finish"] == "eos"]
    rewards = [row["reward"] for row in rows]
    kl = 0.02 * (1 - math.exp(-step / 120)) * (1 + 0.15 * rng.gauss(0, 1)) + 0.001
    grad = (0.35 + 1.4 * statistics.fmean(stds)) * math.exp(0.18 * rng.gauss(0, 1))
    entropy = max(0.02, 0.9 - 0.75 * skill + 0.03 * rng.gauss(0, 1))
    warm = min(1.0, step / max(1, round(0.05 * plan.max_steps)))
    values: dict[str, float | None] = {
        "loss": short(0.004 * rng.gauss(0, 1) + plan.settings.beta * kl),
        "grad_norm": short(grad),
        "learning_rate": short(plan.settings.learning_rate * warm * (1 - (step - 1) / plan.max_steps)),
        "num_tokens": float(tokens),
        "step_time": round(secs * 1.9, 4),
        "completions/mean_length": statistics.fmean(lengths),
        "completions/min_length": float(min(lengths)),
        "completions/max_length": float(max(lengths)),
        "completions/clipped_ratio": 1 - len(ended) / len(rows),
        "completions/mean_terminated_length": statistics.fmean(ended) if ended else None,
        "completions/min_terminated_length": float(min(ended)) if ended else None,
        "completions/max_terminated_length": float(max(ended)) if ended else None,
        "reward": statistics.fmean(rewards),
        "reward_std": statistics.fmean(stds),
        "frac_reward_zero_std": sum(std < 1e-9 for std in stds) / len(stds),
        "entropy": short(entropy),
        "kl": short(kl),
        "clip_ratio/low_mean": 0.0,
        "clip_ratio/low_min": 0.0,
        "clip_ratio/high_mean": 0.0,
        "clip_ratio/high_max": 0.0,
        "clip_ratio/region_mean": 0.0,
    }
    if not plan.settings.beta:
        del values["kl"]
    for part in PARTS:
        raws = [row["rewards"][part]["raw"] for row in rows if row["rewards"][part]["raw"] is not None]
        values[f"rewards/{part}/mean"] = statistics.fmean(raws) if raws else None
        values[f"rewards/{part}/std"] = (statistics.stdev(raws) if len(raws) > 1 else 0.0) if raws else None
    values.update(consistency_counts(rows))
    for task in TASKS:
        of_task = [row for row in rows if row["task"] == task]
        values[f"task/{task}/n"] = float(len(of_task))
        values[f"task/{task}/correct"] = float(sum(row["rewards"]["accuracy"]["raw"] for row in of_task))
    return values


def consistency_counts(rows: list[dict[str, Any]]) -> dict[str, float | None]:
    """Counts from which the reader computes the logical-consistency rate: agree ÷ judged.

    correct: completions with the right letter. judged: those of them that the judge was asked about and answered (or
    that had no reasoning to show it). agree: those of them whose judge agrees.
    """
    right = [row for row in rows if row["rewards"]["accuracy"]["raw"] == 1.0]
    judged = [row for row in right if row["judges"] and row["judges"][0]["agrees"] is not None]
    return {
        "consistency/correct": float(len(right)),
        "consistency/judged": float(len(judged)),
        "consistency/agree": float(sum(row["judges"][0]["agrees"] for row in judged)),
        "consistency/failed": float(
            sum(bool(row["judges"]) and row["judges"][0]["status"] in ("timeout", "http_error") for row in right)
        ),
    }


def accuracy(rows: list[dict[str, Any]]) -> dict[str, float]:
    """n, share of right letters, and its 95 % interval."""
    correct = sum(row["rewards"]["accuracy"]["raw"] for row in rows)
    low, high = map(short, wilson(correct, len(rows)))
    return {"n": len(rows), "accuracy": correct / len(rows), "low": low, "high": high}


def short(value: float) -> float:
    """Six digits: more than the eye sees, fewer than those in which one machine's libm differs from another's."""
    return float(f"{value:.6g}")
