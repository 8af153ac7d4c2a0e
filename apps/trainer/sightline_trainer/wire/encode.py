"""How values become bytes of the wire: legal JSON, legal UTF-8, lines of bounded length."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

MAX_LINE_BYTES = 1_048_576  # newline included


def safe_text(text: str) -> str:
    """`text` with surrogate pairs joined and lone surrogates replaced, so that it is legal UTF-8."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def utf16_length(text: str) -> int:
    """Length as JavaScript counts it, which is how the wire counts characters."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def wire_value(value: Any) -> Any:
    """`value` as JSON can carry it: non-finite floats as strings, legal text, plain numbers for NumPy's and torch's."""
    if isinstance(value, str):
        return safe_text(value)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {safe_text(str(key)): wire_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [wire_value(item) for item in value]
    if hasattr(value, "item"):
        return wire_value(value.item())
    raise TypeError(f"a wire line can't hold a {type(value).__name__}")


def encode_line(line: Mapping[str, Any]) -> bytes:
    """One wire line, newline included."""
    try:
        text = json.dumps(line, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        return text.encode() + b"\n"
    except (ValueError, TypeError):
        text = json.dumps(wire_value(line), allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        return text.encode() + b"\n"


def _encoded_length(text: str) -> int:
    return len(json.dumps(safe_text(text), ensure_ascii=False).encode())


def fit_completion(line: dict[str, Any]) -> None:
    """Cuts prompt and text of a completion so that its line fits, and drops spans that lie beyond the cut."""
    budget = MAX_LINE_BYTES - 65_536
    prompt = line.get("prompt")
    if prompt is not None and _encoded_length(prompt) > budget // 2:
        line["prompt"] = _cut(prompt, budget // 2)
    text = line["text"]
    room = budget - _encoded_length(line.get("prompt") or "")
    if _encoded_length(text) <= room:
        return
    kept = _cut(text, room)
    line["text"] = kept
    line["truncated_at"] = utf16_length(safe_text(kept))
    parse = dict(line["parse"])
    for span in ("think", "answer"):
        if parse[span] is not None and parse[span][1] > line["truncated_at"]:
            parse[span] = None
    line["parse"] = parse


def _cut(text: str, room: int) -> str:
    """The longest beginning of `text` whose JSON form has at most `room` bytes."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if _encoded_length(text[:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low]
