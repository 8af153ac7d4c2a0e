"""Reads the letter of an option out of an answer. The order of the rules is that of `traces/letter.ts`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Options:
    """The options of a question: how many there are, and their texts where they are known."""

    count: int
    texts: Sequence[str] = ()


@dataclass(frozen=True)
class LetterReading:
    """The letter and the rule that read it, or the reason why none was read."""

    letter: str | None
    rule: str | None
    reason: str | None


_PUNCTUATION = re.compile(r"[\s*_`\"'“”‘’.,:;!?()\[\]]+")
_LONE = re.compile(r"[\s*_`\"'(\[{$<]*([A-Za-z])[\s*_`\"')\]}$>.,:;、。]*")
_BOXED = re.compile(r"\\boxed\{\s*(?:\\(?:text|mathrm|mathbf|textbf)\{\s*)?([A-Z])\b[^}]{0,200}\}")
_LEADING = re.compile(
    r"[\s*_`\"']*(?:[(\[]\s*([A-Z])\s*[)\]]|([A-Z])\s*(?:[*_`]{1,2}\s*)?[.):,;：、．]|([A-Z])\s+[-–—]\s)"
)
_LIST = re.compile(r"[\s*_`\"']*[(\[]?[A-Z][)\]]?\s*(?:,|;|、)\s*(?:(?:and|or)\s+)?[(\[]?[A-Z][)\]]?(?![A-Za-z])")
_OPTION_LETTER = re.compile(r"^\s*\(?[A-Z][.):、]\s*")
_DECLARED = re.compile(
    r"(?:\b(?:answer|option|choice)\b|答案|选项)(?:\s*(?:is|should be|would be|must be|是|为))?(?:\s*[:：=])?"
    r"[\s*_`\"'(\[{$\\]*(?:text\{)?([A-Z])(?![A-Za-z])(?!\s+[a-z])",
    re.IGNORECASE | re.ASCII,
)
_BRACKETED = re.compile(r"[(\[]\s*([A-Z])\s*[)\]]")


def _normalise(text: str) -> str:
    return _PUNCTUATION.sub(" ", text.lower()).strip()


def _read_lone(text: str) -> str | None:
    match = _LONE.fullmatch(text)
    return match[1].upper() if match else None


def _read_boxed(text: str) -> str | None:
    found = _BOXED.findall(text)
    return found[-1] if found else None


def _read_leading(text: str) -> str | None:
    match = _LEADING.match(text)
    if match is None or _LIST.match(text):
        return None
    return match[1] or match[2] or match[3]


def _read_option_text(text: str, options: Options) -> str | None:
    answer = _normalise(text)
    wanted = [_normalise(_OPTION_LETTER.sub("", option)) for option in options.texts]
    exact = [index for index, option in enumerate(wanted) if option and option == answer]
    if exact:
        return LETTERS[exact[0]] if len(exact) == 1 else None
    held = [index for index, option in enumerate(wanted) if option and f" {option} " in f" {answer} "]
    longest = [index for index in held if all(other == index or wanted[index] not in wanted[other] for other in held)]
    return LETTERS[longest[0]] if len(longest) == 1 else None


def _read_declared(text: str) -> str | None:
    letters = [letter for letter in _DECLARED.findall(text) if letter.isupper()]
    return letters[-1] if letters else None


def _read_bracketed(text: str) -> str | None:
    letters = set(_BRACKETED.findall(text))
    return letters.pop() if len(letters) == 1 else None


def read_letter(text: str, options: Options, *, is_tagged: bool) -> LetterReading:
    """Reads a letter.

    text: the inside of the answer block, or what stands outside the reasoning when there is none.
    is_tagged: False outside an answer block, where prose mentions options that it rejects.
    """
    if not text.strip():
        return LetterReading(None, None, "empty answer" if is_tagged else "no answer found")
    readings = (
        ("lone_letter", _read_lone(text)),
        ("boxed", _read_boxed(text)),
        ("leading_letter", _read_leading(text)),
        ("option_text", _read_option_text(text, options) if is_tagged or len(text) < 200 else None),
        ("declared", _read_declared(text)),
        ("bracketed", _read_bracketed(text) if is_tagged else None),
    )
    refused: str | None = None
    for rule, letter in readings:
        if letter is None:
            continue
        if LETTERS.index(letter) < options.count:
            return LetterReading(letter, rule, None)
        refused = refused or letter
    if refused is not None:
        return LetterReading(None, None, f"{refused} is not an option")
    return LetterReading(None, None, "no letter in the answer" if is_tagged else "no answer found")
