"""Questions of a run, an object a line: `data/train.jsonl`, `data/eval.jsonl` and, if given, `data/warm.jsonl`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sightline_trainer.rewards.letter import Options
from sightline_trainer.rewards.score import Gold

MAX_OPTIONS = 8
"""The letters that a judge chooses among."""


class DataError(ValueError):
    """A data file is missing or a line of it can't be used; the message names file and line."""


@dataclass(frozen=True)
class Question:
    """One question as the policy gets it."""

    question_id: str
    task: str
    prompt: str
    """Everything that the policy reads: the video's text, then the question."""
    question: str
    """Question and options alone: what the judge reads."""
    options: tuple[str, ...]
    gold: str | None
    kind: Literal["choice", "number"] = "choice"
    clip_id: str | None = None
    chain: str | None = None
    """A chain of reasoning without error, where one is known; the warm start learns from it."""
    frames: tuple[str, ...] = ()
    """Files of the video's key frames, in their order: paths on the host, or within the run's data."""

    @property
    def target(self) -> Gold:
        return Gold(self.gold, Options(len(self.options), self.options), self.kind)


def _read_question(value: Any, where: str) -> Question:
    if not isinstance(value, dict):
        raise DataError(f"{where}: not an object")
    for name in ("question_id", "prompt", "question"):
        if not isinstance(value.get(name), str) or not value[name].strip():
            raise DataError(f"{where}: {name} is missing")
    options = value.get("options")
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise DataError(f"{where}: options must be a list of texts")
    if len(options) > MAX_OPTIONS:
        raise DataError(f"{where}: {len(options)} options; at most {MAX_OPTIONS}")
    frames = value.get("frames") or []
    if not isinstance(frames, list) or not all(isinstance(frame, str) and frame for frame in frames):
        raise DataError(f"{where}: frames must be a list of files")
    gold = value.get("gold")
    if isinstance(gold, (int, float)) and not isinstance(gold, bool):
        gold = str(gold)
    if gold is not None and not isinstance(gold, str):
        raise DataError(f"{where}: gold must be a text or a number")
    return Question(
        question_id=value["question_id"],
        task=str(value.get("task") or "unknown"),
        prompt=value["prompt"],
        question=value["question"],
        options=tuple(options),
        gold=gold,
        kind="number" if value.get("kind") == "number" else "choice",
        clip_id=value.get("clip_id"),
        chain=value.get("chain"),
        frames=tuple(frames),
    )


def read_questions(path: Path) -> list[Question]:
    """All questions of a file, in its order. Raises DataError; an absent file is one too."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise DataError(f"{path.name} is missing from the run's data") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is not UTF-8 at byte {error.start}") from error
    questions: list[Question] = []
    seen: set[str] = set()
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{path.name}, line {number}"
        try:
            question = _read_question(json.loads(line), where)
        except json.JSONDecodeError as error:
            raise DataError(f"{where}: not JSON: {error}") from error
        if question.question_id in seen:
            raise DataError(f"{where}: question_id {question.question_id} was used before")
        seen.add(question.question_id)
        questions.append(question)
    if not questions:
        raise DataError(f"{path.name} holds no question")
    return questions
