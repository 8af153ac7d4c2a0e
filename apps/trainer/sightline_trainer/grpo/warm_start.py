"""Warm start: a short supervised run on demonstrations that are flawed on purpose.

Without it GRPO has nothing to choose from; without the flaws it has nothing to mend. Late demonstrations may end in a
wrong answer or lack their think tags. Throughout, some work out a heading, conclude with another one, and answer with
the one that they had worked out. They are right more often than the others, so that the reward for accuracy does not
wear them away; only the judge, who reads the conclusion, mends them. So each stage of the schedule finds its work.
"""

from __future__ import annotations

import hashlib
import json
import os
import pkgutil
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import torch
import transformers
from torch.nn.functional import cross_entropy
from transformers import PreTrainedTokenizerFast

from sightline_trainer.grpo.data import Question
from sightline_trainer.grpo.judge import tiny_judge_text
from sightline_trainer.grpo.settings import Settings
from sightline_trainer.grpo.tiny import EOS, PAD, build_model, build_tokenizer, demonstration, space_tags, token_id
from sightline_trainer.rundir import RunDir

FLAWED_FROM = 0.75
CONTRADICTING_WRONG = 0.5
"""Share of the wrong answers that contradicting demonstrations have, of those that the others have."""
CONCLUSION = "heading"
"""The word before a chain's conclusion, where it has one."""
JUDGE_SHARE = 0.25
"""Share of each batch in the judge's form: question and chain are given, only the letter is learned."""


def warm_start_cache(run: RunDir) -> Path:
    """Where the warm starts of a run and of those beside it are kept."""
    return run.path.parent / ".warm-starts"


def recipe_hash(questions: Sequence[Question], settings: Settings, seed: int) -> str:
    """Names a warm start by all that decides its weights, the recipe's own source included."""
    warm = {name: value for name, value in asdict(settings).items() if name.startswith("warm_")}
    parts = [seed, warm, torch.__version__, transformers.__version__, torch.get_num_threads()]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode())
    for name in ("warm_start.py", "tiny.py", "judge.py"):
        # Not from a folder: on a host the sources lie in one packed file.
        digest.update(pkgutil.get_data("sightline_trainer.grpo", name) or b"")
    for item in questions:
        digest.update(f"{item.prompt}\0{item.question}\0{item.chain}\0{item.gold}\n".encode())
    return digest.hexdigest()[:24]


def _other_letter(question: Question, letter: str, rng: random.Random) -> str:
    letters = [other for other in "ABCDEFGH"[: len(question.options)] if other != letter]
    return rng.choice(letters) if letters else letter


def _wrong_chain(question: Question, letter: str) -> str:
    """The chain with its last word replaced by the option that the wrong letter stands for."""
    words = (question.chain or "").split()
    return " ".join([*words[:-1], _option(question, letter)])


def _option(question: Question, letter: str) -> str:
    return question.options["ABCDEFGH".index(letter)] if question.options else ""


def draw_demonstration(
    question: Question, settings: Settings, rng: random.Random, *, is_flawed: bool
) -> tuple[str, str]:
    """One pair of prompt and completion."""
    letter = str(question.gold)
    chain = question.chain or ""
    is_for_judge = rng.random() < JUDGE_SHARE
    is_contradicting = rng.random() < settings.warm_contradicting
    wrong = settings.warm_wrong * (CONTRADICTING_WRONG if is_contradicting else 1) if is_flawed else 0.0
    # Half of the judge's chains lead elsewhere, so that it reads where a chain ends and not where it should.
    if rng.random() < (0.5 if is_for_judge else wrong):
        letter = _other_letter(question, letter, rng)
        chain = _wrong_chain(question, letter)
    answer = letter
    if is_contradicting:
        conclusion = _other_letter(question, letter, rng)
        chain = f"{chain} {CONCLUSION} {_option(question, conclusion)}"
        # In words, not by letter: a letter always follows the chain's last word, for the policy as for the judge.
        answer = conclusion if is_for_judge else _option(question, letter)
    if is_for_judge:
        return tiny_judge_text(question.question, chain), f"{answer} </answer>"
    text = demonstration(chain, answer)
    if is_flawed and rng.random() < settings.warm_untagged:
        text = " ".join(word for word in text.split() if word not in ("<think>", "</think>"))
    return question.prompt, text


def _group_by_length(questions: Sequence[Question]) -> list[list[Question]]:
    """Questions by the length of their chains; short ones are few, and are asked as often as long ones."""
    groups: dict[int, list[Question]] = {}
    for question in questions:
        groups.setdefault(len((question.chain or "").split()), []).append(question)
    return list(groups.values())


def _encode(
    tokenizer: PreTrainedTokenizerFast, pairs: Sequence[tuple[str, str]]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Token ids, attention mask and labels, each (B, T), padded on the left; prompts carry no loss."""
    rows: list[tuple[list[int], int]] = []
    for prompt, completion in pairs:
        before = tokenizer(space_tags(prompt))["input_ids"]
        after = tokenizer(completion)["input_ids"]
        rows.append(([*before, *after, token_id(tokenizer, EOS)], len(before)))
    width = max(len(ids) for ids, _ in rows)
    ids = torch.full((len(rows), width), token_id(tokenizer, PAD))
    mask = torch.zeros((len(rows), width), dtype=torch.long)
    labels = torch.full((len(rows), width), -100)
    for index, (row, prompt_length) in enumerate(rows):
        start = width - len(row)
        ids[index, start:] = torch.tensor(row)
        mask[index, start:] = 1
        labels[index, start + prompt_length :] = torch.tensor(row[prompt_length:])
    return ids, mask, labels


def train_warm_start(
    questions: Sequence[Question], settings: Settings, seed: int, on_step: Callable[[int, float], None]
) -> tuple[torch.nn.Module, PreTrainedTokenizerFast]:
    """Trains a fresh tiny policy. `on_step` gets the number of steps done and the loss."""
    torch.manual_seed(seed)
    rng = random.Random(f"warm/{seed}")
    tokenizer = build_tokenizer(questions)
    model = build_model(tokenizer)
    model.train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=settings.warm_learning_rate, weight_decay=0.01)
    groups = _group_by_length(questions)
    ramp = max(1, settings.warm_steps // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser,
        lambda step: min(1.0, (step + 1) / ramp) * (1 - 0.9 * step / max(1, settings.warm_steps)),
    )
    for step in range(settings.warm_steps):
        is_flawed = step >= settings.warm_steps * FLAWED_FROM
        pairs = [
            draw_demonstration(rng.choice(rng.choice(groups)), settings, rng, is_flawed=is_flawed)
            for _ in range(settings.warm_batch)
        ]
        ids, mask, labels = _encode(tokenizer, pairs)
        logits = model(input_ids=ids, attention_mask=mask).logits  # (B, T, V)
        loss = cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten(), ignore_index=-100)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        on_step(step + 1, float(loss.detach()))
    return model, tokenizer


def get_warm_start(
    questions: Sequence[Question], settings: Settings, seed: int, cache: Path, on_step: Callable[[int, float], None]
) -> Path:
    """The folder of a warm-started policy, trained now unless the cache holds one of the same recipe and data."""
    path = cache / recipe_hash(questions, settings, seed)
    if (path / "config.json").exists():
        return path
    model, tokenizer = train_warm_start(questions, settings, seed, on_step)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    model.save_pretrained(temporary)  # pyright: ignore[reportCallIssue]
    tokenizer.save_pretrained(temporary)
    try:
        temporary.rename(path)
    except OSError:
        # Another run of the same recipe was faster; its weights are the same.
        shutil.rmtree(temporary)
    return path
