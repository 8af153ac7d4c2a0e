"""Numeric answers, scored by VSI-Bench's mean relative accuracy."""

from __future__ import annotations

import re

from sightline_trainer.rewards.blocks import find_blocks, find_completion_start, find_content_end

MRA_THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?\.\d+", re.ASCII)


def mean_relative_accuracy(answer: float, gold: float) -> float:
    """Share of thresholds t for which |answer - gold| / |gold| <= 1 - t, in [0, 1]; a gold of 0 wants an exact 0."""
    if gold == 0:
        return 1.0 if answer == 0 else 0.0
    error = abs(answer - gold) / abs(gold)
    return sum(error <= 1 - threshold for threshold in MRA_THRESHOLDS) / len(MRA_THRESHOLDS)


def read_number(text: str) -> tuple[float | None, str | None]:
    """The first number inside the last answer block, or None and the reason. Prose and list numbers don't count."""
    blocks = find_blocks(text, find_completion_start(text), find_content_end(text))
    graded = next((block for block in reversed(blocks) if block.tag == "answer"), None)
    if graded is None:
        return None, "no answer tag"
    inner = text[slice(*graded.inner)]
    if not inner.strip():
        return None, "empty answer"
    match = _NUMBER.search(inner)
    if match is None:
        return None, "no number in the answer"
    return float(match[0].replace(",", "")), None
