"""How much memory one GPU needs at the peak of a training step. docs/guide/training.md has the formula in words.

Sources: Rajbhandari et al. 2020 (ZeRO), section 3.1, for weights, gradients and optimiser; Korthikanti et al. 2022,
equations 1 and 2, for activations, without the attention matrix, which scaled-dot-product attention never keeps; TRL
1.13 `_get_per_token_logps_and_entropies` for the logits, which are kept for the completion alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from sightline_trainer.preflight.shapes import Shape

CONTEXT_BYTES = 1_000_000_000
"""What CUDA, its libraries and the allocator's gaps take, whatever the model."""
ACTIVATION_BYTES = 34
"""Per token, layer and width, where nothing is computed anew."""
LOGIT_BYTES = 12
"""Per token and word: float32 logits, their softmax, and the gradient."""


@dataclass(frozen=True)
class Load:
    """What decides the memory of one process."""

    shape: Shape
    micro_batch: int
    prompt_tokens: int
    """The longest one."""
    completion_tokens: int
    processes: int = 1
    generated_at_once: int = 1
    """Completions that one process generates together."""
    zero_stage: int = 0
    gradient_checkpointing: bool = True
    lora_rank: int = 0
    has_reference: bool = True
    """True where a KL divergence is taken and the whole model is trained: a second copy stands beside it."""
    has_judge: bool = True
    """True where the judge is a copy in the same process."""
    vllm_share: float = 0.0
    """Share of the GPU that vLLM keeps; 0: transformers generates."""


@dataclass(frozen=True)
class Estimate:
    """Bytes on one GPU, by what holds them. `activations` and `logits` live together; `generation` at another time."""

    weights: int
    gradients: int
    optimiser: int
    reference: int
    judge: int
    activations: int
    logits: int
    generation: int
    vllm: int
    context: int

    @property
    def peak(self) -> int:
        held = self.weights + self.gradients + self.optimiser + self.reference + self.judge + self.vllm + self.context
        return held + max(self.activations + self.logits, self.generation)


def estimate(load: Load, gpu_bytes: int) -> Estimate:
    """Bytes on the fullest GPU. `gpu_bytes`: memory of one GPU, of which vLLM's share is taken."""
    shape = load.shape
    parameters = shape.parameters
    trained = shape.lora_parameters(load.lora_rank) if load.lora_rank else parameters
    parts = load.processes if load.zero_stage >= 3 else 1
    has_zero = load.zero_stage >= 1
    # Without DeepSpeed weights are float32 and computed with in bfloat16; a frozen base under adapters is bfloat16.
    weight_bytes = 2 * parameters if load.lora_rank or has_zero else 4 * parameters
    weights = weight_bytes // parts + (4 * trained if load.lora_rank else 0)
    gradients = (2 if has_zero else 4) * trained // parts
    optimiser = (12 if has_zero else 8) * trained // (load.processes if has_zero else 1)
    length = load.prompt_tokens + load.completion_tokens
    token_width = load.micro_batch * length * shape.hidden
    per_layer = _layer_bytes(shape) * load.micro_batch * length
    activations = (
        2 * token_width * shape.layers + per_layer if load.gradient_checkpointing else per_layer * shape.layers
    )
    return Estimate(
        weights=weights,
        gradients=gradients,
        optimiser=optimiser,
        reference=weight_bytes // parts if load.has_reference and not load.lora_rank else 0,
        judge=2 * parameters if load.has_judge else 0,
        activations=int(activations),
        logits=LOGIT_BYTES * load.micro_batch * load.completion_tokens * shape.vocabulary,
        generation=0 if load.vllm_share else load.generated_at_once * _cache_bytes(shape, length),
        vllm=int(load.vllm_share * gpu_bytes),
        context=CONTEXT_BYTES,
    )


def fit_batch(shape: Shape, prompt_tokens: int, completion_tokens: int, free_bytes: int) -> int:
    """How many completions of the longest kind are written together in half of what is free; at least 1."""
    one = _cache_bytes(shape, prompt_tokens + completion_tokens) + _layer_bytes(shape) * prompt_tokens
    return max(1, int(free_bytes / 2 / one))


def _layer_bytes(shape: Shape) -> float:
    """Of one token in one layer; the gate and the product of a wide MLP are what it keeps most of."""
    return ACTIVATION_BYTES * shape.hidden * max(1.0, shape.intermediate / (4 * shape.hidden))


def _cache_bytes(shape: Shape, length: int) -> int:
    """Of one completion while it is written: keys and values of all its tokens, and the last one's logits."""
    return 2 * shape.kv_heads * shape.head_width * 2 * shape.layers * length + LOGIT_BYTES * shape.vocabulary


def checkpoint_bytes(shape: Shape, lora_rank: int) -> int:
    """Bytes of one checkpoint: float32 weights and the optimiser's two moments of what is trained."""
    return 12 * (shape.lora_parameters(lora_rank) if lora_rank else shape.parameters)
