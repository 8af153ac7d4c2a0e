"""The model of learning: three skills that rise where their weight pays for them.

A step is a pure function of the seed, the step's number and the state before it; no random stream runs from one step to
the next, so a resumed run writes the same rows as one that was never stopped.
"""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import asdict, dataclass
from typing import Any

from sightline_trainer.sim.settings import PARTS, Plan
from sightline_trainer.sim.texts import LETTERS, TASKS, Question, Trace, make_question, make_trace

QUESTIONS = 512
ADVANTAGE_EPS = 1e-4
JUDGE_VARIANT = "simulated"
MAX_TOKENS = 256


@dataclass(frozen=True)
class State:
    """Everything that a checkpoint has to hold."""

    step: int = 0
    format: float = 0.6
    """Chance that a trace is well formed."""
    accuracy: float = 0.36
    """Chance that the letter of an easy question is right."""
    consistency: float = 0.7
    """Chance that the reasoning leads to the letter."""
    verbosity: float = 2.0
    tokens: int = 0
    groups: int = 0
    judged_generations: tuple[float, ...] = ()
    """Share of failed judgements in the last generations."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> State:
        return cls(**{**value, "judged_generations": tuple(value["judged_generations"])})


@dataclass
class Step:
    """What one step wrote."""

    completions: list[dict[str, Any]]
    generation: dict[str, Any]
    values: dict[str, float | None]
    judge_failed_share: float
    judge_calls: int


@dataclass
class Scored:
    """Rewards of one group, and what the judge had to do for them."""

    scores: list[dict[str, Any]]
    calls: int
    cached: int
    failed: int
    std: float
    """Sample standard deviation (n − 1) of the group's rewards, as TRL takes it."""


def advance(plan: Plan, state: State) -> State:
    """Skills after one more step under the weights in force; no chance in it."""
    step = state.step + 1
    weights = plan.weights_at(step)
    rate = plan.settings.learn_rate * 4.8 / plan.scheduled_steps

    def toward(value: float, ceiling: float, speed: float) -> float:
        return value + (ceiling - value) * (1 - math.exp(-speed))

    form = toward(state.format, 0.995, rate * 3.5 * weights["format"] + rate * 0.3)
    accuracy = toward(state.accuracy, 0.97, rate * 2.6 * weights["accuracy"] * state.format)
    if weights["consistency"] > 0:
        consistency = toward(state.consistency, 0.985, rate * 14 * weights["consistency"])
    else:
        # Unpaid, the reasoning drifts away from the answer: why the last stage exists.
        consistency = toward(state.consistency, 0.52, rate * 0.55)
    length_goal = 1.2 + 3.0 * weights["accuracy"] + 2.0 * weights["consistency"]
    return State(
        step=step,
        format=form,
        accuracy=accuracy,
        consistency=consistency,
        verbosity=toward(state.verbosity, length_goal, rate * 1.5),
        tokens=state.tokens,
        groups=state.groups,
        judged_generations=state.judged_generations,
    )


def run_step(plan: Plan, state: State, *, is_judge_down: bool = False, is_flat: bool = False) -> tuple[Step, State]:
    """Samples, scores and describes the step after `state`."""
    settings = plan.settings
    step = state.step + 1
    rng = random.Random(f"{plan.seed}/step/{step}")
    weights = plan.weights_at(step)
    rows: list[dict[str, Any]] = []
    stds: list[float] = []
    calls = cached = failed = 0
    for prompt in range(settings.prompts_per_step):
        number = state.groups + prompt
        question = make_question(f"{plan.seed}", rng.randrange(QUESTIONS))
        is_judged = weights["consistency"] > 0 or number % settings.judge_every_groups == 0
        group = _sample_group(plan, state, question, rng, step=step, number=number, is_flat=is_flat)
        scored = _score_group(question, group, weights, rng, is_judged=is_judged, is_judge_down=is_judge_down)
        calls, cached, failed = calls + scored.calls, cached + scored.cached, failed + scored.failed
        stds.append(scored.std)
        for k, (trace, score) in enumerate(zip(group, scored.scores, strict=True)):
            place = {"k": k, "group_size": settings.group_size, "group_id": f"g{step:06d}-{prompt}"}
            rows.append(_row(plan, step, question, trace, {**place, **score}))
    tokens = sum(row["tokens"] for row in rows)
    generate_secs = round(0.12 + tokens / 9000 * (1 + 0.1 * rng.random()), 4)
    score_secs = round(0.002 * calls + 0.01 + 0.004 * rng.random(), 4)
    attempts = calls + failed
    share = failed / attempts if attempts else 0.0
    after = advance(plan, state)
    after = State(
        **{
            **asdict(after),
            "tokens": state.tokens + tokens,
            "groups": state.groups + settings.prompts_per_step,
            "judged_generations": (*state.judged_generations, share)[-5:] if attempts else state.judged_generations,
        }
    )
    generation = {
        "gen": step,
        "step": step,
        "prompts": settings.prompts_per_step,
        "samples": len(rows),
        "generate_secs": generate_secs,
        "score_secs": score_secs,
        "tokens": tokens,
        "judge": {"calls": calls, "cached": cached, "failed": failed, "secs": round(0.002 * calls, 4)},
    }
    values = _values(plan, state, after, rows, stds, rng, generate_secs + score_secs)
    return Step(rows, generation, values, share, attempts), after


def _sample_group(
    plan: Plan, state: State, question: Question, rng: random.Random, *, step: int, number: int, is_flat: bool
) -> list[Trace]:
    """G traces of one prompt. Harder questions (more turns) are right less often."""
    hardness = 0.12 * (len(question.turns) - 3)
    right = min(0.999, max(0.02, state.accuracy - hardness * (1 - state.accuracy) + rng.gauss(0, 0.06)))
    traces: list[Trace] = []
    for k in range(plan.settings.group_size):
        draw = random.Random(f"{plan.seed}/trace/{step}/{number}/{0 if is_flat else k}")
        traces.append(_sample(state, question, draw, right))
    return traces


def _sample(state: State, question: Question, draw: random.Random, right: float) -> Trace:
    """One trace; `right` is the chance that its letter is the gold one."""
    is_right = draw.random() < right
    # A wrong letter mostly follows from wrong reasoning, so traces agree with themselves more often when wrong.
    is_consistent = draw.random() < (state.consistency if is_right else 0.5 + state.consistency / 2)
    return make_trace(
        question,
        draw,
        is_well_formed=draw.random() < state.format,
        is_right=is_right,
        is_consistent=is_consistent,
        verbosity=state.verbosity,
        max_tokens=MAX_TOKENS,
    )


def _row(plan: Plan, step: int, question: Question, trace: Trace, fields: dict[str, Any]) -> dict[str, Any]:
    """A completion as the wire carries it; `fields` are its place in the group and its scores."""
    return {
        "gen": step,
        "step": step,
        "epoch": plan.epoch(step),
        "stage": plan.stage_at(max(1, step)),
        "question_id": question.question_id,
        "clip_id": question.clip_id,
        "task": question.task,
        "prompt": question.prompt if fields["k"] == 0 else None,
        "gold": question.gold,
        "text": trace.text,
        "tokens": trace.tokens,
        "finish": trace.finish,
        "truncated_at": None,
        "parse": {"think": trace.think, "answer": trace.answer, "letter": trace.letter, "rule": trace.rule},
        **fields,
    }


def _score_group(
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


def _values(
    plan: Plan,
    before: State,
    after: State,
    rows: list[dict[str, Any]],
    stds: list[float],
    rng: random.Random,
    secs: float,
) -> dict[str, float | None]:
    """The metrics of one step by TRL's names, from the rows themselves where they can be."""
    step = after.step
    lengths = [row["tokens"] for row in rows]
    ended = [row["tokens"] for row in rows if row["finish"] == "eos"]
    rewards = [row["reward"] for row in rows]
    progress = before.accuracy
    kl = 0.02 * (1 - math.exp(-step / 120)) * (1 + 0.15 * rng.gauss(0, 1)) + 0.001
    grad = (0.35 + 1.4 * statistics.fmean(stds)) * math.exp(0.18 * rng.gauss(0, 1))
    entropy = max(0.02, 0.9 - 0.75 * progress + 0.03 * rng.gauss(0, 1))
    warm = min(1.0, step / max(1, round(0.05 * plan.max_steps)))
    values: dict[str, float | None] = {
        "loss": _short(0.004 * rng.gauss(0, 1) + plan.settings.beta * kl),
        "grad_norm": _short(grad),
        "learning_rate": _short(plan.settings.learning_rate * warm * (1 - (step - 1) / plan.max_steps)),
        "num_tokens": float(after.tokens),
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
        "entropy": _short(entropy),
        "kl": _short(kl),
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


@dataclass
class Evaluation:
    """Answers to held-out questions: accuracy per task with 95 % Wilson intervals, the whole, and a row a question."""

    per_task: dict[str, dict[str, float]]
    overall: dict[str, float | None]
    rows: list[dict[str, Any]]


def evaluate(plan: Plan, state: State) -> Evaluation:
    """Asks the held-out questions as the model of learning stands."""
    nothing = dict.fromkeys(PARTS, 0.0)
    rows: list[dict[str, Any]] = []
    for index in range(plan.settings.eval_questions):
        question = make_question(f"{plan.seed}/held-out", index, prefix="sim-e")
        rng = random.Random(f"{plan.seed}/evaluation/{state.step}/{index}")
        right = state.accuracy - 0.03 - 0.1 * (len(question.turns) - 3) * (1 - state.accuracy)
        trace = _sample(state, question, rng, right)
        scored = _score_group(question, [trace], nothing, rng, is_judged=True, is_judge_down=False)
        place = {"split": "eval", "k": 0, "group_size": 1, "group_id": f"e{state.step:06d}-{question.question_id}"}
        rows.append(_row(plan, state.step, question, trace, {**place, **scored.scores[0]}))
    per_task: dict[str, dict[str, float]] = {}
    for task in sorted({row["task"] for row in rows}):
        of_task = [row for row in rows if row["task"] == task]
        per_task[task] = _accuracy(of_task)
    counts = consistency_counts(rows)
    overall: dict[str, float | None] = {
        **_accuracy(rows),
        "format": sum(row["rewards"]["format"]["raw"] for row in rows) / len(rows),
        "consistency/judged": counts["consistency/judged"],
        "consistency/agree": counts["consistency/agree"],
    }
    return Evaluation(per_task, overall, rows)


def _accuracy(rows: list[dict[str, Any]]) -> dict[str, float]:
    correct = sum(row["rewards"]["accuracy"]["raw"] for row in rows)
    low, high = wilson(correct, len(rows))
    return {"n": len(rows), "accuracy": correct / len(rows), "low": low, "high": high}


def _short(value: float) -> float:
    """Six digits: more than the eye sees, fewer than those in which one machine's libm differs from another's."""
    return float(f"{value:.6g}")


def wilson(successes: float, n: int) -> tuple[float, float]:
    """95 % interval of a share, after Wilson."""
    z = 1.959963984540054
    share = successes / n
    centre = share + z * z / (2 * n)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return _short(max(0.0, (centre - spread) / scale)), _short(min(1.0, (centre + spread) / scale))
