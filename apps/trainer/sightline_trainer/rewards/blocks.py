"""Finds the think and answer blocks of a completion."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Span = tuple[int, int]
Tag = Literal["think", "answer"]

_END_TOKENS = ("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end|>", "<end_of_turn>", "</s>")
_ASSISTANT_MARKERS = (
    "<|im_start|>assistant",
    "<|start_header_id|>assistant<|end_header_id|>",
    "<|assistant|>",
    "<start_of_turn>model",
    "[/INST]",
    "\nAssistant:",
)
_TAG = re.compile(r"<(/?)(think|answer)>")


@dataclass(frozen=True)
class Block:
    """One block; `inner` is what stands between the tags. Spans count Unicode code points, half-open."""

    tag: Tag
    outer: Span
    inner: Span
    opened: bool
    closed: bool


def find_completion_start(text: str) -> int:
    """Where the completion begins in a text that may hold its prompt too: after the last assistant marker, else 0."""
    ends = [text.rfind(marker) + len(marker) for marker in _ASSISTANT_MARKERS if marker in text]
    return max([0, *ends])


def find_content_end(text: str) -> int:
    """Where the text ends once end-of-turn tokens and white space behind it are left out."""
    end = len(text.rstrip())
    again = True
    while again:
        again = False
        for token in _END_TOKENS:
            if text[:end].endswith(token):
                end = len(text[: end - len(token)].rstrip())
                again = True
    return end


def opens_think(prompt: str | None) -> bool:
    """True when a prompt's last words open the reasoning, so that the completion starts inside it."""
    return prompt is not None and prompt.rstrip().endswith("<think>")


def find_blocks(text: str, start: int, end: int) -> list[Block]:
    """Every think and answer block in order of appearance.

    A tag that is never closed runs to the end, or to the next tag of the other kind; a closing think tag without its
    opening one makes a block from the start.
    """
    blocks: list[Block] = []
    tag: Tag | None = None
    outer = inner = start

    def close(inner_end: int, outer_end: int, closed: bool) -> None:
        nonlocal tag
        if tag is not None:
            blocks.append(Block(tag, (outer, outer_end), (inner, inner_end), True, closed))
            tag = None

    for match in _TAG.finditer(text, start, end):
        found: Tag = "think" if match[2] == "think" else "answer"
        if match[1] == "":
            if tag == found:
                continue
            close(match.start(), match.start(), False)
            tag, outer, inner = found, match.start(), match.end()
        elif tag == found:
            close(match.start(), match.end(), True)
        elif tag is None and found == "think" and not blocks:
            blocks.append(Block(found, (start, match.end()), (start, match.start()), False, True))
    close(end, end, False)
    return blocks


def utf16_span(text: str, span: Span | None) -> Span | None:
    """A span in UTF-16 code units, as the wire carries it and JavaScript counts."""
    if span is None:
        return None
    if text.isascii():
        return span
    units = [len(text[:at].encode("utf-16-le", "surrogatepass")) // 2 for at in span]
    return units[0], units[1]
