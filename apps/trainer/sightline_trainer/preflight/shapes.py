"""The shapes of models, from their configuration alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Shape:
    """A Llama-like decoder."""

    vocabulary: int
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    intermediate: int
    is_tied: bool

    @property
    def head_width(self) -> int:
        return self.hidden // self.heads

    @property
    def parameters(self) -> int:
        """Weights in all: embeddings, attention with the biases of Qwen2, gated MLP, norms."""
        kv_width = self.kv_heads * self.head_width
        attention = 2 * self.hidden**2 + 2 * self.hidden * kv_width + self.hidden + 2 * kv_width
        layer = attention + 3 * self.hidden * self.intermediate + 2 * self.hidden
        return (1 if self.is_tied else 2) * self.vocabulary * self.hidden + self.layers * layer + self.hidden

    def lora_parameters(self, rank: int) -> int:
        """Weights of adapters on every linear layer."""
        kv_width = self.kv_heads * self.head_width
        ends = [(self.hidden, self.hidden)] * 2 + [(self.hidden, kv_width)] * 2
        ends += [(self.hidden, self.intermediate)] * 3
        return self.layers * sum(rank * (a + b) for a, b in ends)


KNOWN = {
    "tiny": Shape(64, 128, 3, 4, 4, 384, True),
    "smoke": Shape(32_000, 768, 12, 12, 4, 2048, True),
    "Qwen/Qwen2.5-0.5B-Instruct": Shape(151_936, 896, 24, 14, 2, 4864, True),
    "Qwen/Qwen2.5-1.5B-Instruct": Shape(151_936, 1536, 28, 12, 2, 8960, True),
    "Qwen/Qwen2.5-3B-Instruct": Shape(151_936, 2048, 36, 16, 2, 11_008, True),
    "Qwen/Qwen2.5-7B-Instruct": Shape(152_064, 3584, 28, 28, 4, 18_944, False),
}
"""From the models' own config.json, so that a launch can be looked at where the model is not."""


def read_shape(folder: Path) -> Shape | None:
    """From a folder's config.json; None where it is not there or not of this kind."""
    try:
        config: dict[str, Any] = json.loads((folder / "config.json").read_bytes())
        config = config.get("text_config") or config
        return Shape(
            int(config["vocab_size"]),
            int(config["hidden_size"]),
            int(config["num_hidden_layers"]),
            int(config["num_attention_heads"]),
            int(config.get("num_key_value_heads") or config["num_attention_heads"]),
            int(config["intermediate_size"]),
            bool(config.get("tie_word_embeddings", False)),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
