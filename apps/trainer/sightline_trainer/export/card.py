"""`policy.json`: what an exported policy is and what it can read. The schema is in packages/core/src/policies."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from transformers import PreTrainedTokenizerBase

from sightline_trainer.grpo.data import Question
from sightline_trainer.grpo.settings import Plan
from sightline_trainer.grpo.tiny import space_tags
from sightline_trainer.rundir import RunDir

VERSION = 1
_HELD_OUT = ("n", "accuracy", "low", "high", "format")


def describe_levels(questions: Sequence[Question]) -> list[dict[str, Any]]:
    """One entry a task: an example, the lengths of its prompts in words, and its options where all share them."""
    by_task: dict[str, list[Question]] = {}
    for item in questions:
        by_task.setdefault(item.task, []).append(item)
    levels: list[dict[str, Any]] = []
    for task, items in sorted(by_task.items()):
        lengths = [len(space_tags(item.prompt).split()) for item in items]
        options = {item.options for item in items}
        levels.append(
            {
                "task": task,
                "example": space_tags(items[0].prompt),
                "words": [min(lengths), max(lengths)],
                "options": list(options.pop()) if len(options) == 1 else None,
            }
        )
    return levels


def find_held_out(run: RunDir, step: int) -> dict[str, Any] | None:
    """The newest evaluation at a step, from the run's own events; None when none was made then."""
    found: dict[str, Any] | None = None
    for number in run.attempt_numbers():
        try:
            lines = run.attempt(number).events.read_bytes().split(b"\n")
        except FileNotFoundError:
            continue
        for line in lines:
            if b'"evaluation"' not in line:
                continue
            event = json.loads(line)
            if event.get("type") == "evaluation" and event.get("step") == step:
                found = {name: event["overall"].get(name) for name in _HELD_OUT}
    return found


def make_card(
    run: RunDir,
    spec: dict[str, Any],
    plan: Plan,
    step: int,
    tokenizer: PreTrainedTokenizerBase,
    *,
    questions: Sequence[Question],
    parameters: int,
    has_reference: bool,
) -> dict[str, Any]:
    """The card of the policy after `step` steps. `questions` are those that it was trained on."""
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    return {
        "version": VERSION,
        "run_id": plan.run_id,
        "name": str(spec.get("name") or plan.run_id),
        "step": step,
        "seed": plan.seed,
        "is_tiny": True,
        "parameters": parameters,
        "vocabulary": [word for word, _ in vocabulary],
        "levels": describe_levels(questions),
        "max_completion_tokens": plan.settings.max_completion_tokens,
        "has_reference": has_reference,
        "held_out": find_held_out(run, step),
        "made_secs": time.time(),
    }
