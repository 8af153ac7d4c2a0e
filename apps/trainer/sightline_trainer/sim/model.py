"""The model of learning: three skills that rise where their weight pays for them.

A step is a pure function of the seed, the step's number and the state before it; no random stream runs from one step to
the next, so a resumed run writes the same rows as one that was never stopped.
"""

from __future__ import annotations

import math
import random
from dataclasses import asdict, dataclass
from typing import Any

from sightline_trainer.rewards.score import PARTS
from sightline_trainer.sim.metrics import accuracy, consistency_counts, step_values
from sightline_trainer.sim.score import score_group
from sightline_trainer.sim.settings import Plan
from sightline_trainer.sim.texts import Question, Trace, make_question, make_trace

QUESTIONS = 512
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
        scored = score_group(question, group, weights, rng, is_judged=is_judged, is_judge_down=is_judge_down)
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
    values = step_values(
        plan,
        step=step,
        skill=state.accuracy,
        tokens=after.tokens,
        rows=rows,
        stds=stds,
        rng=rng,
        secs=generate_secs + score_secs,
    )
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
        scored = score_group(question, [trace], nothing, rng, is_judged=True, is_judge_down=False)
        place = {"split": "eval", "k": 0, "group_size": 1, "group_id": f"e{state.step:06d}-{question.question_id}"}
        rows.append(_row(plan, state.step, question, trace, {**place, **scored.scores[0]}))
    per_task: dict[str, dict[str, float]] = {}
    for task in sorted({row["task"] for row in rows}):
        of_task = [row for row in rows if row["task"] == task]
        per_task[task] = accuracy(of_task)
    counts = consistency_counts(rows)
    overall: dict[str, float | None] = {
        **accuracy(rows),
        "format": sum(row["rewards"]["format"]["raw"] for row in rows) / len(rows),
        "consistency/judged": counts["consistency/judged"],
        "consistency/agree": counts["consistency/agree"],
    }
    return Evaluation(per_task, overall, rows)
