"""What the policy reads of a question: text, or key frames as pictures and then the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transformers import PreTrainedTokenizerBase, ProcessorMixin

from sightline_trainer.grpo.data import DataError, Question
from sightline_trainer.grpo.tiny import space_tags
from sightline_trainer.stages import SpecError

if TYPE_CHECKING:
    from sightline_trainer.grpo.settings import Settings

ACCOUNT = (
    "You are given a written account of what an agent saw on its way, and a question about it. Reason first, step by "
    "step, between <think> and </think>, and name the frames that you rely on, such as Frame 3."
)
"""As in packages/core/src/ask/prompt.ts, with both endings, so that a model here and one behind an endpoint are asked
in the same words. `prompt_version` names them; a change of one is a change of all."""
PICTURES = (
    "You are shown key frames of what an agent saw on its way, and a question about it. Reason first, step by step, "
    "between <think> and </think>."
)
ENDINGS = {
    "choice": "Then write the letter of one option, and nothing else, between <answer> and </answer>. It must be the "
    "option that your reasoning leads to.",
    "number": "Then write one number, and nothing else, between <answer> and </answer>. It must be the number that "
    "your reasoning leads to.",
}
COUNTED_AT_ONCE = 64
IMAGE, VIDEO = "<|image_pad|>", "<|video_pad|>"
PLACES = ("<|vision_start|>", "<|vision_end|>", IMAGE, VIDEO)
"""Tokens of Qwen's models that stand for what is seen. One in an answer would speak of a picture that is not there."""

Reader = PreTrainedTokenizerBase | ProcessorMixin
"""What makes ids of a prompt: a tokenizer, or the processor of a vision-language model, which holds one."""


def tokenizer_of(reader: Reader) -> PreTrainedTokenizerBase:
    """The tokenizer alone."""
    return reader if isinstance(reader, PreTrainedTokenizerBase) else reader.tokenizer  # pyright: ignore[reportAttributeAccessIssue]


def unspoken_ids(tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """Ids of those of `PLACES` that the tokenizer has."""
    vocabulary = tokenizer.get_vocab()
    return [vocabulary[place] for place in PLACES if place in vocabulary]


def policy_prompt(question: Question, tokenizer: PreTrainedTokenizerBase, settings: Settings) -> str:
    """The text that is completed: words apart for the policies made here, else a turn of the tokenizer's own chat."""
    if settings.is_word_level:
        return space_tags(question.prompt)
    system = f"{ACCOUNT} {ENDINGS[question.kind]}"
    if not tokenizer.chat_template:
        return f"{system}\n\n{question.prompt}\n\n"
    messages = [{"role": "system", "content": system}, {"role": "user", "content": question.prompt}]
    return str(tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))


def show_frames(questions: Sequence[Question], settings: Settings, folder: Path) -> list[Question]:
    """The same questions as a vision-language policy gets them; unchanged where `vlm_frames` is 0.

    Of the frames at most `vlm_frames` are left, evenly spread, and `prompt` names them in place of the video's text.
    Paths are resolved against `folder`. Raises DataError for a question without frames and for a file that is no
    picture, SpecError where no picture can be read.
    """
    if not settings.vlm_frames:
        return list(questions)
    if find_spec("PIL") is None:
        raise SpecError("settings.vlm_frames needs Pillow, which this Python lacks: pip install pillow")
    return [_show(item, settings.vlm_frames, folder) for item in questions]


def _show(question: Question, most: int, folder: Path) -> Question:
    from PIL import Image

    if not question.frames:
        raise DataError(f"question {question.question_id} has no frames, and settings.vlm_frames asks for some")
    last = len(question.frames) - 1
    count = min(most, last + 1)
    frames = [question.frames[round(index * last / max(1, count - 1))] for index in range(count)]
    files = [folder / frame for frame in frames]
    for file in files:
        try:
            with Image.open(file) as picture:
                picture.verify()
        except (OSError, SyntaxError) as error:
            raise DataError(f"question {question.question_id}: {file} can't be read as a picture: {error}") from error
    prompt = "".join(f"[{frame}]\n" for frame in frames) + question.question
    return replace(question, prompt=prompt, frames=tuple(map(str, files)))


def conversation(question: Question, settings: Settings) -> list[dict[str, Any]]:
    """The turns before a vision-language policy's own; its pictures go before the user's text."""
    if settings.is_word_level:
        return [{"role": "user", "content": space_tags(question.question)}]
    system = f"{PICTURES} {ENDINGS[question.kind]}"
    return [{"role": "system", "content": system}, {"role": "user", "content": question.question}]


def _with_pictures(question: Question, settings: Settings) -> list[dict[str, Any]]:
    from PIL import Image

    turns = [
        {**turn, "content": [{"type": "text", "text": turn["content"]}]} for turn in conversation(question, settings)
    ]
    turns[-1]["content"] = [
        *({"type": "image", "image": Image.open(file).convert("RGB")} for file in question.frames),
        *turns[-1]["content"],
    ]
    return turns


def encode_prompts(questions: Sequence[Question], reader: Reader, settings: Settings) -> Any:
    """The model's tensors: input_ids and attention_mask, each (B, T), and the pictures where there are some."""
    if not settings.vlm_frames:
        tokenizer = tokenizer_of(reader)
        prompts = [policy_prompt(item, tokenizer, settings) for item in questions]
        return tokenizer(prompts, return_tensors="pt", padding=True, padding_side="left")
    return reader.apply_chat_template(
        [_with_pictures(item, settings) for item in questions],
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
        processor_kwargs={"padding": True, "padding_side": "left"},
    )


def check_lengths(questions: Sequence[Question], reader: Reader, settings: Settings) -> None:
    """Raises DataError for the first prompt that is longer than `max_prompt_tokens`."""
    most = settings.max_prompt_tokens
    for start in range(0, len(questions) if most else 0, COUNTED_AT_ONCE):
        batch = questions[start : start + COUNTED_AT_ONCE]
        lengths = encode_prompts(batch, reader, settings)["attention_mask"].sum(dim=1).tolist()
        for item, length in zip(batch, lengths, strict=True):
            if length > most:
                raise DataError(
                    f"the prompt of question {item.question_id} has {length} tokens, and settings.max_prompt_tokens "
                    f"is {most}; raise it, or leave the question out"
                )
