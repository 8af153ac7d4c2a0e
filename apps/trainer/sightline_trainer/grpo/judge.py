"""The judge: a frozen copy of the reference model that answers from question and reasoning alone."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import PreTrainedTokenizerBase

from sightline_trainer.grpo.tiny import space_tags

LETTERS = "ABCDEFGH"


@dataclass(frozen=True)
class Verdict:
    """The judge's letter for one reasoning. `ms` is its share of the batch."""

    letter: str
    ms: float
    cached: bool


def tiny_judge_text(question: str, think: str) -> str:
    """What the tiny judge completes: question and chain, then the answer tag."""
    return space_tags(f"{question} <think>{think}</think><answer>")


def judge_text(question: str, think: str) -> str:
    """The same for a model that reads prose."""
    return (
        "A question and somebody's reasoning about it follow. The video can't be seen. Which option does the reasoning "
        f"lead to? Answer with one letter only.\n\nQuestion: {question}\n\nReasoning: {think}\n\nAnswer:"
    )


class Judge:
    """Chooses the option letter with the greatest logit; one forward pass a batch, no sampling."""

    def __init__(self, model: Any, tokenizer: PreTrainedTokenizerBase, *, is_tiny: bool, batch: int = 64) -> None:
        self._model = model.eval()
        for parameter in self._model.parameters():
            parameter.requires_grad_(False)
        self._tokenizer = tokenizer
        self._format = tiny_judge_text if is_tiny else judge_text
        self._batch = batch
        self._known: dict[tuple[str, str, int], str] = {}
        prefix = "" if is_tiny else " "
        self._letter_ids = [tokenizer.encode(prefix + letter, add_special_tokens=False)[-1:] for letter in LETTERS]

    def ask(self, items: Sequence[tuple[str, str, int]]) -> list[Verdict]:
        """Letters for (question, reasoning, number of options), in order; equal items are asked once and remembered."""
        new = list(dict.fromkeys(item for item in items if item not in self._known))
        began = time.monotonic()
        for start in range(0, len(new), self._batch):
            self._ask_batch(new[start : start + self._batch])
        ms = 1000 * (time.monotonic() - began) / max(1, len(new))
        fresh = set(new)
        verdicts: list[Verdict] = []
        for item in items:
            is_fresh = item in fresh
            fresh.discard(item)
            verdicts.append(Verdict(self._known[item], ms if is_fresh else 0.0, not is_fresh))
        return verdicts

    @torch.inference_mode()
    def _ask_batch(self, items: Sequence[tuple[str, str, int]]) -> None:
        texts = [self._format(question, think) for question, think, _ in items]
        encoded = self._tokenizer(texts, return_tensors="pt", padding=True, padding_side="left").to(self._model.device)
        logits = self._model(input_ids=encoded["input_ids"], attention_mask=encoded["attention_mask"]).logits[
            :, -1
        ]  # (B, V)
        for row, item in zip(logits, items, strict=True):
            ids = [self._letter_ids[index][0] for index in range(item[2])]
            self._known[item] = LETTERS[int(row[ids].argmax())]
