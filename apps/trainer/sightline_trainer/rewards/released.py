"""Scoring as the released Embodied-R code does it, faults included; only for comparison.

Source: `train/reward/choice_accuracy_reward.py` and the format reward of ms-swift that the released scripts name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FORMAT = re.compile(r"<think>.*?</think>\s*<answer>.*?</answer>", re.DOTALL)
_BOXED = re.compile(r"\$\\boxed\{([a-h])\}\$", re.IGNORECASE)
_AFTER_ANSWER = re.compile(r"answer\s+([a-h])", re.IGNORECASE)
_WITH_DOT = re.compile(r"(?:^|[^a-z])([a-h])\s*\.", re.IGNORECASE)
_ALONE = re.compile(r"(?:^|[^a-z])([a-h])(?:$|[^a-z])", re.IGNORECASE)


@dataclass(frozen=True)
class ReleasedReading:
    """`answer` is what is compared with the gold answer: the letter, or all of the text in capitals without one."""

    format: int
    letter: str | None
    answer: str


def _find_letter(text: str) -> str | None:
    boxed = _BOXED.findall(text)
    if boxed:
        return boxed[-1].upper()
    after = _AFTER_ANSWER.search(text)
    if after:
        return after[1].upper()
    for pattern in (_WITH_DOT, _ALONE):
        found = pattern.findall(text)
        if found:
            return found[-1].upper()
    return None


def read_released(text: str) -> ReleasedReading:
    """Reads a completion by the released order: last boxed, first "answer X", last "X.", last lone letter."""
    stripped = text.strip()
    letter = _find_letter(stripped)
    return ReleasedReading(int(_FORMAT.fullmatch(text) is not None), letter, letter or stripped.upper())
