"""The judge: a frozen reference model that answers from question and reasoning alone, without the video."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import torch
from transformers import PreTrainedTokenizerBase

from sightline_trainer.grpo.tiny import space_tags

LETTERS = "ABCDEFGH"

Status = Literal["ok", "timeout", "http_error", "unparsed"]


class Inquiry(NamedTuple):
    """What the judge is asked: which of the first `options` letters does the reasoning lead to?"""

    question: str
    think: str
    options: int


@dataclass(frozen=True)
class Verdict:
    """What the judge said of one reasoning; `letter` is None unless `status` is ok. `ms` is its share of the batch."""

    letter: str | None
    ms: float
    cached: bool
    status: Status = "ok"


class Judge(Protocol):
    """Anything that answers inquiries."""

    def ask(self, items: Sequence[Inquiry]) -> list[Verdict]:
        """Verdicts in order. What fails has a status that says so; nothing is raised for it."""
        ...


Answers = dict[Inquiry, Verdict]


def ask_once(known: Answers, items: Sequence[Inquiry], ask: Callable[[list[Inquiry]], Answers]) -> list[Verdict]:
    """Asks for what is not known yet, equal items once, and remembers what came of it unless it failed."""
    new = list(dict.fromkeys(item for item in items if item not in known))
    fresh = ask(new) if new else {}
    known.update({item: verdict for item, verdict in fresh.items() if verdict.status == "ok"})
    told: set[Inquiry] = set()
    verdicts: list[Verdict] = []
    for item in items:
        verdict = fresh[item] if item in fresh else known[item]
        is_cached = item not in fresh or item in told
        told.add(item)
        verdicts.append(Verdict(verdict.letter, 0.0 if is_cached else verdict.ms, is_cached, verdict.status))
    return verdicts


def tiny_judge_text(question: str, think: str) -> str:
    """What the tiny judge completes: question and chain, then the answer tag."""
    return space_tags(f"{question} <think>{think}</think><answer>")


def judge_text(question: str, think: str) -> str:
    """The same for a model that reads prose."""
    return (
        "A question and somebody's reasoning about it follow. The video can't be seen. Which option does the reasoning "
        f"lead to? Answer with one letter only.\n\nQuestion: {question}\n\nReasoning: {think}\n\nAnswer:"
    )


class ModelJudge:
    """A model in this process: chooses the option letter with the greatest logit; one forward pass, no sampling."""

    def __init__(self, model: Any, tokenizer: PreTrainedTokenizerBase, *, is_tiny: bool, batch: int = 64) -> None:
        self._model = model.eval()
        for parameter in self._model.parameters():
            parameter.requires_grad_(False)
        self._tokenizer = tokenizer
        self._format = tiny_judge_text if is_tiny else judge_text
        self._batch = batch
        self._known: Answers = {}
        prefix = "" if is_tiny else " "
        self._letter_ids = [tokenizer.encode(prefix + letter, add_special_tokens=False)[-1:] for letter in LETTERS]

    def ask(self, items: Sequence[Inquiry]) -> list[Verdict]:
        return ask_once(self._known, items, self._ask_new)

    def _ask_new(self, items: list[Inquiry]) -> Answers:
        began = time.monotonic()
        letters: dict[Inquiry, str] = {}
        for start in range(0, len(items), self._batch):
            letters |= self._ask_batch(items[start : start + self._batch])
        ms = 1000 * (time.monotonic() - began) / len(items)
        return {item: Verdict(letter, ms, cached=False) for item, letter in letters.items()}

    @torch.inference_mode()
    def _ask_batch(self, items: Sequence[Inquiry]) -> dict[Inquiry, str]:
        texts = [self._format(item.question, item.think) for item in items]
        encoded = self._tokenizer(texts, return_tensors="pt", padding=True, padding_side="left").to(self._model.device)
        logits = self._model(input_ids=encoded["input_ids"], attention_mask=encoded["attention_mask"]).logits[
            :, -1
        ]  # (B, V)
        letters: dict[Inquiry, str] = {}
        for row, item in zip(logits, items, strict=True):
            ids = [self._letter_ids[index][0] for index in range(item.options)]
            letters[item] = LETTERS[int(row[ids].argmax())]
        return letters
