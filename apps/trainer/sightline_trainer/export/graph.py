"""The Qwen2 graph with its KV cache, with the names that transformers.js looks for.

Inputs: input_ids, attention_mask and position_ids (int64), past_key_values.N.key and .value (float32).
Outputs: logits (B, T, V), present.N.key and .value. B is the batch, T the new tokens, P those in the cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import Qwen2ForCausalLM

from sightline_trainer.export.onnx_file import GraphWriter

PRODUCER = "sightline_trainer"
_LOWEST = float(np.finfo(np.float32).min)


class UnsupportedModelError(ValueError):
    """The model is none that this graph computes."""


def _array(tensor: torch.Tensor) -> NDArray[np.float32]:
    return tensor.detach().to(device="cpu", dtype=torch.float32).numpy()


@torch.no_grad()
def build_graph(model: Qwen2ForCausalLM) -> bytes:
    """The model as the bytes of an `.onnx` file, in float32.

    Raises UnsupportedModelError for grouped keys and sliding windows, which the tiny policy has not.
    """
    return _Qwen2Graph(model).build()


class _Qwen2Graph:
    def __init__(self, model: Qwen2ForCausalLM) -> None:
        config: Any = model.config
        if config.model_type != "qwen2" or config.num_key_value_heads != config.num_attention_heads:
            raise UnsupportedModelError(f"a {config.model_type} model with grouped keys can't be exported")
        if getattr(config, "use_sliding_window", False):
            raise UnsupportedModelError("a model with sliding windows can't be exported")
        self.model = model
        self.config = config
        self.heads: int = config.num_attention_heads
        self.head_dim: int = config.hidden_size // config.num_attention_heads
        self.graph = GraphWriter("qwen2")

    def build(self) -> bytes:
        graph = self.graph
        ids = graph.add_input("input_ids", "int64", ["batch", "tokens"])
        mask = graph.add_input("attention_mask", "int64", ["batch", "all_tokens"])
        positions = graph.add_input("position_ids", "int64", ["batch", "tokens"])
        shape = ["batch", self.heads, "past_tokens", self.head_dim]
        past = [
            [graph.add_input(f"past_key_values.{index}.{part}", "float32", shape) for part in ("key", "value")]
            for index in range(self.config.num_hidden_layers)
        ]
        decoder: Any = self.model.model
        table = graph.constant("embedding", _array(decoder.embed_tokens.weight))
        x = graph.node("Gather", table, ids)  # (B, T, C)
        allowed = self._allowed(ids, mask, past[0][0])
        turns = self._turns(positions)
        for index, layer in enumerate(decoder.layers):
            x = self._layer(x, layer, index, past[index], allowed, turns)
        x = self._norm(x, decoder.norm, "norm")
        head = _array(self.model.lm_head.weight)
        weight = (
            graph.node("Transpose", table, perm=[1, 0])
            if self.config.tie_word_embeddings
            else graph.constant("head", head.T)
        )
        graph.node("MatMul", x, weight, name="logits")
        graph.add_output("logits", "float32", ["batch", "tokens", head.shape[0]])
        shape[2] = "all_tokens"
        for index in range(self.config.num_hidden_layers):
            for part in ("key", "value"):
                graph.add_output(f"present.{index}.{part}", "float32", shape)
        return graph.to_bytes(PRODUCER)

    def _allowed(self, ids: str, mask: str, past_key: str) -> str:
        """Which keys a query may look at: those before it and itself, and no padding. (B, 1, T, P + T), bool."""
        graph = self.graph
        new = self._size(ids, 1)
        old = self._size(past_key, 2)
        both = graph.node("Add", new, old)
        zero, one = (graph.constant(f"int_{value}", np.array(value, dtype=np.int64)) for value in (0, 1))
        queries = graph.node("Unsqueeze", graph.node("Range", old, both, one), graph.ints(1))  # (T, 1)
        keys = graph.node("Range", zero, both, one)  # (P + T,)
        is_before = graph.node("LessOrEqual", keys, queries)  # (T, P + T)
        is_real = graph.node("Greater", mask, zero)  # (B, P + T)
        return graph.node("And", is_before, graph.node("Unsqueeze", is_real, graph.ints(1, 2)))

    def _size(self, value: str, axis: int) -> str:
        shape = self.graph.node("Shape", value)
        return self.graph.node("Gather", shape, self.graph.constant(f"int_{axis}", np.array(axis, dtype=np.int64)))

    def _turns(self, positions: str) -> tuple[str, str]:
        """Cosines and sines of the rotary embedding for each new token, from the model's own table. (B, 1, T, D)"""
        rotary: Any = self.model.model.rotary_emb
        every = torch.arange(self.config.max_position_embeddings)[None]
        tables = rotary(torch.zeros(1), every)  # each (1, max_position_embeddings, D)
        cos, sin = (
            self.graph.node(
                "Unsqueeze",
                self.graph.node("Gather", self.graph.constant(name, _array(table[0])), positions),
                self.graph.ints(1),
            )
            for name, table in zip(("cos", "sin"), tables, strict=True)
        )
        return cos, sin

    def _layer(self, x: str, layer: Any, index: int, past: list[str], allowed: str, turns: tuple[str, str]) -> str:
        graph = self.graph
        prefix = f"layers.{index}"
        attention = layer.self_attn
        normed = self._norm(x, layer.input_layernorm, f"{prefix}.input_norm")
        query, key, value = (
            self._split_heads(self._linear(normed, getattr(attention, f"{part}_proj"), f"{prefix}.{part}"))
            for part in ("q", "k", "v")
        )
        query = self._rotate(query, turns)
        keys = graph.node("Concat", past[0], self._rotate(key, turns), name=f"present.{index}.key", axis=2)
        values = graph.node("Concat", past[1], value, name=f"present.{index}.value", axis=2)
        scores = graph.node("MatMul", query, graph.node("Transpose", keys, perm=[0, 1, 3, 2]))
        scores = graph.node("Mul", scores, graph.number(self.head_dim**-0.5))
        scores = graph.node("Where", allowed, scores, graph.number(_LOWEST))  # (B, H, T, P + T)
        seen = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), values)
        seen = graph.node("Transpose", seen, perm=[0, 2, 1, 3])
        seen = graph.node("Reshape", seen, graph.ints(0, 0, self.heads * self.head_dim))
        x = graph.node("Add", x, self._linear(seen, attention.o_proj, f"{prefix}.o"))
        normed = self._norm(x, layer.post_attention_layernorm, f"{prefix}.mlp_norm")
        gate = self._linear(normed, layer.mlp.gate_proj, f"{prefix}.gate")
        gate = graph.node("Mul", gate, graph.node("Sigmoid", gate))
        up = graph.node("Mul", gate, self._linear(normed, layer.mlp.up_proj, f"{prefix}.up"))
        return graph.node("Add", x, self._linear(up, layer.mlp.down_proj, f"{prefix}.down"))

    def _linear(self, x: str, linear: torch.nn.Linear, name: str) -> str:
        weight = self.graph.constant(f"{name}.weight", _array(linear.weight).T)
        product = self.graph.node("MatMul", x, weight)
        # Typed as a tensor, but None without a bias.
        bias: torch.Tensor | None = linear.bias
        if bias is None:
            return product
        return self.graph.node("Add", product, self.graph.constant(f"{name}.bias", _array(bias)))

    def _norm(self, x: str, norm: Any, name: str) -> str:
        graph = self.graph
        mean = graph.node("ReduceMean", graph.node("Mul", x, x), axes=[-1], keepdims=1)
        root = graph.node("Sqrt", graph.node("Add", mean, graph.number(norm.variance_epsilon)))
        return graph.node("Mul", graph.node("Div", x, root), graph.constant(f"{name}.weight", _array(norm.weight)))

    def _split_heads(self, x: str) -> str:
        """(B, T, H × D) to (B, H, T, D)."""
        x = self.graph.node("Reshape", x, self.graph.ints(0, 0, self.heads, self.head_dim))
        return self.graph.node("Transpose", x, perm=[0, 2, 1, 3])

    def _rotate(self, x: str, turns: tuple[str, str]) -> str:
        graph = self.graph
        first, second = graph.nodes("Split", x, names=[f"{x}_first", f"{x}_second"], axis=-1)
        turned = graph.node("Concat", graph.node("Neg", second), first, axis=-1)
        cos, sin = turns
        return graph.node("Add", graph.node("Mul", x, cos), graph.node("Mul", turned, sin))
