"""TRL's configuration of a run, and the libraries' that go with it. Nothing is reported anywhere: the rows are ours."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from transformers import TrainingArguments
from trl.trainer.grpo_config import GRPOConfig

from sightline_trainer.grpo import processes
from sightline_trainer.grpo.settings import Plan, Settings, share_of


def common_args(plan: Plan, output_dir: str, max_steps: int, *, has_gpu: bool) -> dict[str, Any]:
    """What TRL is told alike, whatever it optimises."""
    settings = plan.settings
    return {
        "output_dir": output_dir,
        "seed": plan.seed,
        "data_seed": plan.seed,
        "max_steps": max_steps,
        "per_device_train_batch_size": settings.micro_batch,
        "learning_rate": settings.learning_rate,
        "lr_scheduler_type": "cosine_with_min_lr",
        "lr_scheduler_kwargs": {"min_lr_rate": 0.4},
        "warmup_steps": settings.warmup_share,
        "save_strategy": "steps",
        "save_steps": settings.save_steps,
        "logging_strategy": "steps",
        "logging_steps": 1,
        "logging_nan_inf_filter": False,
        "report_to": [],
        "disable_tqdm": True,
        "use_cpu": not has_gpu,
        "bf16": has_gpu,
        "gradient_checkpointing": has_gpu and settings.gradient_checkpointing,
        "dataloader_pin_memory": has_gpu,
        "model_init_kwargs": {"dtype": "bfloat16" if has_gpu and settings.lora_rank else "float32"},
    }


def build_config(plan: Plan, output_dir: str, max_steps: int, *, has_gpu: bool) -> GRPOConfig:
    """TRL's settings of a GRPO run."""
    settings = plan.settings
    betas = [stage.own.get("beta", settings.beta) for stage in plan.stages]
    return GRPOConfig(
        **common_args(plan, output_dir, max_steps, has_gpu=has_gpu),
        gradient_accumulation_steps=share_of(settings, processes.world_size()),
        num_generations=settings.group_size,
        max_completion_length=settings.max_completion_tokens,
        temperature=settings.temperature,
        # TRL loads the reference model only where this is not 0; each step takes its stage's own.
        beta=max(betas),
        multi_objective_aggregation=settings.multi_objective_aggregation,
        loss_type=settings.loss_type,
        ddp_find_unused_parameters=False,
        ddp_backend="gloo" if processes.world_size() > 1 and not has_gpu else None,
        deepspeed=zero_config(settings.zero_stage) if has_gpu else None,
        use_vllm=settings.vllm and has_gpu and has_vllm(),
        vllm_mode="colocate",
        vllm_gpu_memory_utilization=settings.vllm_memory_share,
    )


def effective(args: TrainingArguments) -> dict[str, str | int | float | bool | None]:
    """What TRL made of the settings on this host, by TRL's own names."""
    names = ("max_steps", "per_device_train_batch_size", "gradient_accumulation_steps", "world_size", "bf16", "use_cpu")
    names += ("generation_batch_size", "num_generations", "scale_rewards", "use_vllm", "num_iterations")
    return {name: getattr(args, name) for name in names if hasattr(args, name)}


def has_vllm() -> bool:
    """True where vLLM is installed; without it transformers generates."""
    return find_spec("vllm") is not None


def zero_config(stage: int) -> dict[str, Any] | None:
    """DeepSpeed's configuration; batch, rates and clipping are the Trainer's. None for stage 0."""
    if stage == 0:
        return None
    return {
        "bf16": {"enabled": True},
        "zero_optimization": {
            "stage": stage,
            "overlap_comm": True,
            "contiguous_gradients": True,
            "stage3_gather_16bit_weights_on_model_save": True,
        },
        "gradient_accumulation_steps": "auto",
        "gradient_clipping": "auto",
        "train_batch_size": "auto",
        "train_micro_batch_size_per_gpu": "auto",
    }


def lora_config(settings: Settings) -> Any:
    """peft's configuration of the adapters; None where the whole model is trained."""
    if not settings.lora_rank:
        return None
    from peft import LoraConfig

    rank = settings.lora_rank
    return LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type="CAUSAL_LM")
