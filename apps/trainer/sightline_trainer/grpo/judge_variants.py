"""What counts as consistent. Several variants may be asked of the same completion; the first one pays the reward."""

from __future__ import annotations

import re
from typing import Literal, get_args

from sightline_trainer.rewards.letter import LETTERS, Options

Variant = Literal["paper", "unconditional", "letter_stripped"]
"""paper: the answer is right and the judge gives it too (a = a' = g; equation 6). unconditional: the judge gives the
answer, right or not (a = a'). letter_stripped: as paper, with the stated conclusion taken out of the reasoning, since
the judge can otherwise copy it."""

VARIANTS: tuple[Variant, ...] = get_args(Variant)

_SENTENCE = re.compile(r"[^.!?\n。！？]+(?:[.!?。！？]+|\n|$)|[.!?\n。！？]+")
_CONCLUDING = re.compile(
    r"\b(?:so|therefore|thus|hence|consequently|accordingly|finally|overall|in conclusion|in short)\b"
    r"|\b(?:(?:the|my|our)\s+)?(?:(?:correct|right|best|final)\s+){0,2}(?:answer|option|choice)"
    r"(?:\s+(?:is|must be|should be|would be)\b|\s*[:=：])"
    r"|(?:正确)?(?:答案|选项)|因此|所以",
    re.IGNORECASE,
)
_MARKS = " \t\n\r*_`\"'“”‘’.,:;!?()[]{}$"


def read_variants(text: str) -> tuple[Variant, ...]:
    """Reads `paper, letter_stripped`. Raises ValueError for none, an unknown or a doubled one."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    known: dict[str, Variant] = {variant: variant for variant in VARIANTS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"{', '.join(unknown)} is no variant of the judge; there are {', '.join(VARIANTS)}")
    if not names or len(set(names)) < len(names):
        raise ValueError("name each variant of the judge once, and at least one")
    return tuple(known[name] for name in names)


def _last_option(text: str, options: Options) -> int:
    """Where the last mention of an option begins, by letter or by whole text; -1 without any."""
    # "A" begins sentences as an article; an option's letter is not followed by a word in small letters.
    letters = rf"(?<![A-Za-z'’])[{LETTERS[: options.count]}](?![A-Za-z'’])(?!\s+[a-z])"
    texts = [re.escape(bare) for option in options.texts if (bare := option.strip(_MARKS))]
    found = [match.start() for match in re.finditer(letters, text)]
    if texts:
        whole = rf"(?<!\w)(?:{'|'.join(texts)})(?!\w)"
        found += [match.start() for match in re.finditer(whole, text, re.IGNORECASE)]
    return max(found, default=-1)


def _is_option(text: str, options: Options) -> bool:
    """True for a sentence that is an option and nothing else: `B.` or `north`."""
    bare = re.sub(rf"^[\s(\[]*[{LETTERS[: options.count]}][)\].:、]*\s*", "", text).strip(_MARKS).lower()
    if bare == "":
        return any(char.isalpha() for char in text)
    return any(bare == option.lower().strip(_MARKS) for option in options.texts)


def strip_conclusion(think: str, options: Options) -> str:
    """The reasoning without the places that state which option is chosen.

    From each sentence, what follows its first concluding word (so, therefore, the answer, …) goes if that names an
    option by letter or by its whole text; a sentence that is an option and nothing else goes whole. Reasoning about
    options ("option B would need a left turn") stays.
    """
    kept: list[str] = []
    for match in _SENTENCE.finditer(think):
        sentence = match[0]
        if not sentence.strip():
            kept.append(sentence)
            continue
        if _is_option(sentence, options):
            continue
        named = _last_option(sentence, options)
        start = next((found.start() for found in _CONCLUDING.finditer(sentence) if found.end() <= named), None)
        kept.append(sentence if start is None else sentence[:start])
    return "".join(kept).strip()
