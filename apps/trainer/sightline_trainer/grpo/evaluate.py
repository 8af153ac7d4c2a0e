"""Held-out questions, answered by sampling once each, as a person would ask them."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from transformers import StoppingCriteria, StoppingCriteriaList

from sightline_trainer.grpo.data import Question
from sightline_trainer.grpo.prompt import Reader, encode_prompts, tokenizer_of, unspoken_ids
from sightline_trainer.grpo.record import count_values, mean_part, wire_row
from sightline_trainer.grpo.scorer import Scorer
from sightline_trainer.grpo.settings import Settings
from sightline_trainer.intervals import wilson
from sightline_trainer.rewards.score import PARTS

BATCH = 64

Answer = tuple[str, int, bool]
"""Text, its tokens, and whether it ended by itself."""
COUNTED_EVERY_SECS = 1.0
"""How often the answers that have ended are counted while a batch is on its way."""


def settings_card(settings: Settings, questions: Sequence[Question], seed: int) -> dict[str, str | int | float]:
    """Everything that two evaluations must share to be compared; what is asked is not in it but by its hash."""
    digest = hashlib.sha256()
    for item in questions:
        digest.update(f"{item.question_id}\0{item.prompt}\0{item.gold}\n".encode())
    return {
        "questions": digest.hexdigest()[:16],
        "question_count": len(questions),
        "frames": getattr(settings, "frames", ""),
        "prompt_version": getattr(settings, "prompt_version", "") or ("words" if settings.is_word_level else "chat"),
        **({"vlm_frames": settings.vlm_frames} if settings.vlm_frames else {}),
        "temperature": settings.temperature,
        "max_completion_tokens": settings.max_completion_tokens,
        "seed": seed,
        "rule_set": settings.rule_set,
        "judge": settings.judge_model or "reference",
        "judge_variants": settings.judge_variants,
    }


def hash_values(values: Mapping[str, Any]) -> str:
    """Names a set of values: 16 hexadecimal digits."""
    return hashlib.sha256(json.dumps(dict(values), sort_keys=True).encode()).hexdigest()[:16]


class Watch(StoppingCriteria):
    """Looks at a batch after each token: counts the answers that have ended, and cuts the others when told to."""

    def __init__(self, prompt: int, end_id: Any, on_ended: Callable[[int], None], is_cut: Callable[[], bool]) -> None:
        self.prompt = prompt
        self.end_id = end_id
        self.on_ended = on_ended
        self.is_cut = is_cut
        self.was_cut = False
        self._counted_secs = time.monotonic()

    def __call__(self, input_ids: Any, scores: Any, **kwargs: Any) -> Any:
        """input_ids: (B, T). Returns (B,), true for answers that end here."""
        self.was_cut = self.was_cut or self.is_cut()
        now = time.monotonic()
        if now - self._counted_secs >= COUNTED_EVERY_SECS:
            self._counted_secs = now
            self.on_ended(int((input_ids[:, self.prompt :] == self.end_id).any(dim=1).sum()))
        return torch.full((input_ids.shape[0],), self.was_cut, dtype=torch.bool, device=input_ids.device)


def never() -> bool:
    return False


@torch.no_grad()
def answer(
    model: Any,
    reader: Reader,
    questions: Sequence[Question],
    settings: Settings,
    seed: int,
    on_done: Callable[[int], None],
    is_cut: Callable[[], bool] = never,
) -> list[Answer | None]:
    """One answer per question, sampled, or the likeliest at temperature 0. Leaves torch's generator as it was.

    on_done: told how many have ended, about once a second and after each batch.
    is_cut: asked after each token; once true, nothing more is written, and answers that had not ended are None.
    """
    was_training = model.training
    model.eval()
    answers: list[Answer | None] = []
    tokenizer = tokenizer_of(reader)
    sampling: dict[str, Any] = {"do_sample": False}
    if settings.temperature > 0:
        sampling = {"do_sample": True, "temperature": settings.temperature, "top_k": 0}
    if settings.vlm_frames:
        sampling["suppress_tokens"] = unspoken_ids(tokenizer)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        for start in range(0, len(questions), BATCH):
            encoded = encode_prompts(questions[start : start + BATCH], reader, settings).to(model.device)
            prompt = encoded["input_ids"].shape[1]
            watch = Watch(prompt, tokenizer.eos_token_id, lambda ended, start=start: on_done(start + ended), is_cut)
            output = model.generate(
                **{name: value for name, value in encoded.items() if name != "token_type_ids"},
                **sampling,
                max_new_tokens=settings.max_completion_tokens,
                pad_token_id=tokenizer.pad_token_id,
                eos_token_id=tokenizer.eos_token_id,
                stopping_criteria=StoppingCriteriaList([watch]),
            )[:, prompt:]
            for row in output.tolist():
                is_finished = tokenizer.eos_token_id in row
                if watch.was_cut and not is_finished and len(row) < settings.max_completion_tokens:
                    answers.append(None)
                    continue
                ids = row[: row.index(tokenizer.eos_token_id) + 1] if is_finished else row
                answers.append((str(tokenizer.decode(ids, skip_special_tokens=True)), len(ids), is_finished))
            if watch.was_cut:
                break
            on_done(len(answers))
    answers += [None] * (len(questions) - len(answers))
    model.train(was_training)
    return answers


def evaluate(
    answers: Sequence[Answer], questions: Sequence[Question], scorer: Scorer
) -> tuple[dict[str, dict[str, float]], dict[str, float | None], list[dict[str, Any]]]:
    """Accuracy per task with its interval, the whole, and one wire row per question."""
    ids = [item.question_id for item in questions]
    texts = [text for text, _, _ in answers]
    generation = scorer.score(ids, texts, group_size=1, first_group=0, is_consistency_weighted=True)
    counts = count_values(generation.rows)
    per_task: dict[str, dict[str, float]] = {}
    for task in sorted({item.task for item in questions}):
        n, right = int(counts[f"task/{task}/n"] or 0), counts[f"task/{task}/correct"] or 0.0
        low, high = wilson(right, n)
        per_task[task] = {"n": n, "accuracy": right / n if n else math.nan, "low": low, "high": high}
    n = sum(int(score["n"]) for score in per_task.values())
    right = sum(score["n"] * score["accuracy"] for score in per_task.values() if score["n"])
    low, high = wilson(right, n)
    overall: dict[str, float | None] = {
        "n": n,
        "accuracy": right / n if n else None,
        "low": low,
        "high": high,
        "format": mean_part(generation.rows, "format"),
        "consistency/judged": counts["consistency/judged"],
        "consistency/agree": counts["consistency/agree"],
    }
    nothing: dict[str, float] = {part: 0.0 for part in PARTS}
    rows = [
        wire_row(row, nothing, reward=0.0, advantage=0.0, tokens=tokens, is_finished=is_finished)
        for row, (_, tokens, is_finished) in zip(generation.rows, answers, strict=True)
    ]
    return per_task, overall, rows
