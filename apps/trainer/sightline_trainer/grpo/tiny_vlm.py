"""The tiny vision-language policy: a Qwen2.5-VL of 0.2 M random parameters that reads words and small pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration, Qwen2_5_VLProcessor
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from sightline_trainer.grpo.data import Question
from sightline_trainer.grpo.prompt import IMAGE, PLACES
from sightline_trainer.grpo.tiny import EOS, PAD, build_tokenizer, token_id

SMALLEST, LARGEST = 56 * 56, 112 * 112
"""Pixels that a picture is scaled to: 4 to 16 tokens."""
TEMPLATE = (
    "{% for turn in messages %}{% for part in turn.content %}{% if part.type == 'image' %}"
    f"{PLACES[0]}{IMAGE}{PLACES[1]}"
    "{% else %} {{ part.text }}{% endif %}{% endfor %}{% endfor %}"
)


class PictureProcessor(Qwen2_5_VLProcessor):
    """Qwen2.5-VL's processor for pictures alone: that for videos needs torchvision, which no run installs."""

    def __init__(self, image_processor: Any = None, tokenizer: Any = None, chat_template: str | None = None) -> None:
        super().__init__(image_processor, tokenizer, chat_template=chat_template)

    @classmethod
    def get_attributes(cls) -> list[str]:
        return ["image_processor", "tokenizer"]


def build_processor(questions: Sequence[Question]) -> PictureProcessor:
    """A processor of the words in questions and chains. Same questions, same ids."""
    tokenizer = build_tokenizer([replace(item, prompt=item.question) for item in questions])
    tokenizer.add_tokens(list(PLACES), special_tokens=True)
    pictures = Qwen2VLImageProcessorPil(size={"shortest_edge": SMALLEST, "longest_edge": LARGEST})
    return PictureProcessor(pictures, tokenizer, TEMPLATE)


def build_vlm(processor: PictureProcessor) -> Qwen2_5_VLForConditionalGeneration:
    """A fresh policy with random weights from torch's generator: two layers that see and two that write."""
    tokenizer = processor.tokenizer  # pyright: ignore[reportAttributeAccessIssue]
    start, end, image, video = (token_id(tokenizer, place) for place in PLACES)
    ids = {"pad_token_id": token_id(tokenizer, PAD), "eos_token_id": token_id(tokenizer, EOS), "bos_token_id": None}
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 3, 3]},
        "tie_word_embeddings": True,
    }
    vision = {
        "depth": 2,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_heads": 2,
        "out_hidden_size": 64,
        "fullatt_block_indexes": [1],
        "window_size": 56,
    }
    return Qwen2_5_VLForConditionalGeneration(
        Qwen2_5_VLConfig(
            text_config={**text, **ids},
            vision_config=vision,
            vision_start_token_id=start,
            vision_end_token_id=end,
            image_token_id=image,
            video_token_id=video,
            tie_word_embeddings=True,
            **ids,
        )
    )
