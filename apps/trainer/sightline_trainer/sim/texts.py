"""Questions and traces from a tiny grammar of headings and moves.

Each trace is built from its parts, so the spans of its reasoning and answer are right by construction.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

HEADINGS = ("north", "east", "south", "west")
LETTERS = "ABCD"
_TURNS = {"left": -1, "right": 1, "around": 2}
TASKS: tuple[str, ...] = ("heading", "relative_direction", "route", "appearance_order")
_THINGS = ("kiosk", "bench", "red door", "staircase", "fountain", "yellow sign", "bicycle", "tree")


@dataclass(frozen=True)
class Question:
    """A question with four options in fixed compass order."""

    question_id: str
    clip_id: str | None
    task: str
    start: int
    turns: tuple[str, ...]
    prompt: str

    @property
    def end(self) -> int:
        """Index of the true heading, which is the index of the gold option too."""
        return walk(self.start, self.turns)

    @property
    def gold(self) -> str:
        return LETTERS[self.end]


@dataclass(frozen=True)
class Trace:
    """One sampled text with what a parser must read from it."""

    text: str
    think: tuple[int, int] | None
    answer: tuple[int, int] | None
    letter: str | None
    rule: str
    is_well_formed: bool
    finish: str
    tokens: int
    chain_letter: str | None
    """Option that the reasoning alone leads to."""


def walk(start: int, turns: tuple[str, ...]) -> int:
    """Heading after all turns."""
    return (start + sum(_TURNS[turn] for turn in turns)) % 4


def make_question(seed: str, index: int, *, prefix: str = "sim-q") -> Question:
    """Question number `index` of a seeded set: the same one each time."""
    rng = random.Random(f"{seed}/question/{index}")
    task = TASKS[index % len(TASKS)]
    start = rng.randrange(4)
    turns = tuple(rng.choice(tuple(_TURNS)) for _ in range(rng.randint(2, 4)))
    seen = rng.sample(_THINGS, len(turns))
    frames = [f"Frame 0: Observe: a {seen[0]} ahead, the agent faces {HEADINGS[start]}."]
    for number, (turn, thing) in enumerate(zip(turns, seen, strict=True), start=1):
        frames.append(f"Frame {number}: After turning {turn}, Observe: a {thing} comes into view.")
    options = "  ".join(f"{letter}. {heading}" for letter, heading in zip(LETTERS, HEADINGS, strict=True))
    prompt = (
        "You follow an agent by what it saw.\n"
        + "\n".join(frames)
        + f"\nQuestion: which way does the agent face at the end?\nChoices: {options}"
    )
    return Question(f"{prefix}{index:05d}", None, task, start, turns, prompt)


def make_trace(
    question: Question,
    rng: random.Random,
    *,
    is_well_formed: bool,
    is_right: bool,
    is_consistent: bool,
    verbosity: float,
    max_tokens: int = 256,
) -> Trace:
    """A trace with the given virtues.

    is_right: its letter is the gold one. is_consistent: its reasoning leads to the letter that it answers.
    verbosity: 0 is terse; each unit adds about one sentence.
    """
    letter = question.gold if is_right else LETTERS[(question.end + rng.choice((1, 2, 3))) % 4]
    answered = LETTERS.index(letter)
    chain_end = answered if is_consistent else (answered + rng.choice((1, 2, 3))) % 4
    think = _chain(question, chain_end, rng, verbosity)
    chain_letter: str | None = LETTERS[chain_end]
    faults = ("no_open", "no_close", "no_think", "two_answers", "length") if not is_well_formed else ("",)
    fault = rng.choice(faults)
    pieces: list[str] = []
    spans: dict[str, tuple[int, int]] = {}

    def put(text: str, span: str | None = None) -> None:
        begin = sum(len(piece) for piece in pieces)
        pieces.append(text)
        if span is not None and span not in spans:
            spans[span] = (begin, begin + len(text))

    if fault == "no_think":
        chain_letter = None
    else:
        if fault != "no_open":
            put("<think>")
        if fault == "no_close":
            put(think)
        else:
            put(think, "think" if fault != "no_open" else None)
            put("</think>" if fault != "length" else "")
    if fault == "length":
        spans.pop("think", None)
        text = "".join(pieces)
        return Trace(text, None, None, None, "none", False, "length", max_tokens, chain_letter)
    put("<answer>")
    put(letter, "answer")
    put("</answer>")
    if fault == "two_answers":
        put("<answer>")
        put(rng.choice(LETTERS))
        put("</answer>")
    if fault == "no_open":
        chain_letter = None
    text = "".join(pieces)
    return Trace(
        text=text,
        think=spans.get("think"),
        answer=spans["answer"],
        letter=letter,
        rule="answer_tag",
        is_well_formed=fault == "",
        finish="eos",
        tokens=min(max_tokens, len(text.split()) + len(text) // 6),
        chain_letter=chain_letter if "think" in spans else None,
    )


def _chain(question: Question, end: int, rng: random.Random, verbosity: float) -> str:
    """Reasoning that ends at the heading `end`, wrong at one of its turns where that is not the true one."""
    slip = rng.randrange(len(question.turns))
    drift = (end - question.end) % 4
    heading = question.start
    lines = [f"I start facing {HEADINGS[heading]}."]
    for number, turn in enumerate(question.turns):
        heading = (heading + _TURNS[turn] + (drift if number == slip else 0)) % 4
        opening = rng.choice(("In", "At", "With"))
        lines.append(f"{opening} frame {number + 1} I turn {turn} → {HEADINGS[heading]}.")
    for _ in range(int(verbosity + rng.random())):
        lines.append(
            rng.choice(
                (
                    "Let me check that again.",
                    "The turns count, the objects do not.",
                    "Nothing in between changes the heading.",
                    "So far the frames agree.",
                )
            )
        )
    lines.append(f"So at the end I face {HEADINGS[heading]}.")
    return "\n".join(lines)
