"""Reads one reasoning output by the rule set `sightline`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sightline_trainer.rewards.blocks import (
    Block,
    Span,
    find_blocks,
    find_completion_start,
    find_content_end,
    opens_think,
)
from sightline_trainer.rewards.letter import Options, read_letter

_WRAPPED = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)


@dataclass(frozen=True)
class TraceReading:
    """How one output was read. Spans count Unicode code points; see `utf16_span` for the wire."""

    think: Span | None
    answer: Span | None
    letter: str | None
    rule: str
    reason: str | None
    problems: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    @property
    def is_well_formed(self) -> bool:
        return not self.problems


def _list_problems(text: str, start: int, end: int, blocks: list[Block], is_opened: bool) -> list[str]:
    problems: list[str] = []
    for tag in ("think", "answer"):
        own = [block for block in blocks if block.tag == tag]
        if not own:
            problems.append(f"no {tag} block")
        if len(own) > 1:
            problems.append(f"{len(own)} {tag} blocks")
        if any(not block.opened for block in own) and not is_opened:
            problems.append(f"opening {tag} tag missing")
        if any(not block.closed for block in own):
            problems.append(f"{tag} tag not closed")
    tags = [block.tag for block in blocks]
    if "think" in tags and "answer" in tags and tags.index("answer") < tags.index("think"):
        problems.append("answer before think")
    outside = []
    at = start
    for block in blocks:
        outside.append(text[at : block.outer[0]])
        at = max(at, block.outer[1])
    outside.append(text[at:end])
    if "".join(outside).strip() and blocks:
        problems.append("text outside the tags")
    return problems


def read_trace(text: str, options: Options, prompt: str | None = None) -> TraceReading:
    """Reads one output.

    text: the completion; when it holds its prompt too, only what follows the last assistant marker is read.
    prompt: what the model was given, None when unknown. A prompt that ends in `<think>` opens the reasoning.
    """
    start = find_completion_start(text)
    end = max(start, find_content_end(text))
    is_opened = opens_think(prompt) or opens_think(text[:start])
    blocks = find_blocks(text, start, end)
    if is_opened and not any(block.tag == "think" for block in blocks):
        blocks = [Block("think", (start, end), (start, end), False, False), *blocks]
    think = next((block.inner for block in blocks if block.tag == "think"), None)
    graded = next((block for block in reversed(blocks) if block.tag == "answer"), None)
    if graded is not None:
        reading = read_letter(text[slice(*graded.inner)], options, is_tagged=True)
    else:
        closed = [block for block in blocks if block.tag == "think" and block.closed]
        after = closed[-1].outer[1] if closed else start
        reading = read_letter(text[after:end], options, is_tagged=False)
    return TraceReading(
        think=think,
        answer=graded.inner if graded else None,
        letter=reading.letter,
        rule=reading.rule or "none",
        reason=reading.reason,
        problems=_list_problems(text, start, end, blocks, is_opened),
        blocks=blocks,
    )


def read_gold(gold: str | None, options: Options) -> str | None:
    """The letter of a gold answer, bare or wrapped in answer tags; None when it is none of the options."""
    if gold is None:
        return None
    wrapped = _WRAPPED.search(gold)
    reading = read_letter(wrapped[1] if wrapped else gold, options, is_tagged=True)
    return None if reading.rule in ("declared", "bracketed") else reading.letter
