"""python -m pytest apps/trainer/tests/grpo/test_presets.py

Every preset of real training can be built as far as a machine without a GPU allows: settings read, TRL's configuration
made, the model made from a small random configuration of the same architecture.
"""

import json
from typing import Any

import pytest
import torch
from peft import get_peft_model
from transformers import Qwen2Config, Qwen2ForCausalLM
from transformers import training_args as hf

from sightline_trainer.evaluate.settings import read_evaluation_plan
from sightline_trainer.grpo.config import build_config, has_vllm, lora_config, zero_config
from sightline_trainer.grpo.data import read_questions
from sightline_trainer.grpo.models import find_model, make_smoke_model
from sightline_trainer.grpo.settings import read_plan
from sightline_trainer.sft.run import build_sft_config
from sightline_trainer.sft.settings import read_sft_plan
from sightline_trainer.stages import SpecError
from tests.grpo.attempts import QUESTIONS, ROOT

PRESETS = {item["preset"]: item for item in json.loads((ROOT / "fixtures/presets.json").read_text())}


def spec(name: str) -> dict:
    preset = PRESETS[name]
    return {"run_id": "r", "seed": 1, "stages": preset["stages"], "settings": preset["settings"]}


@pytest.fixture
def as_on_a_gpu(monkeypatch):
    """Lets TRL's configuration be made as on a host with a GPU that knows bfloat16."""
    monkeypatch.setattr(hf, "is_torch_bf16_gpu_available", lambda: True)
    monkeypatch.setattr(hf.TrainingArguments, "_setup_devices", torch.device("cpu"))
    monkeypatch.setattr(hf.TrainingArguments, "_n_gpu", 1, raising=False)
    monkeypatch.setattr(hf.TrainingArguments, "distributed_state", None, raising=False)


@pytest.mark.parametrize("name", [name for name, item in PRESETS.items() if item["engine"] == "grpo"])
def test_a_grpo_preset_makes_its_configuration(name, as_on_a_gpu, tmp_path):
    plan = read_plan(spec(name) | {"settings": PRESETS[name]["settings"] | {"zero_stage": 0}})
    config = build_config(plan, str(tmp_path), 1000, has_gpu=True)
    settings = plan.settings
    assert (config.bf16, config.loss_type, config.num_generations) == (True, settings.loss_type, settings.group_size)
    batch = config.generation_batch_size
    assert batch is not None and batch == settings.group_size * settings.prompts_per_step
    assert batch % settings.group_size == 0
    assert config.use_vllm == (settings.vllm and has_vllm())
    assert config.gradient_checkpointing == settings.gradient_checkpointing


def test_the_papers_preset_says_what_the_paper_says(as_on_a_gpu, tmp_path):
    plan = read_plan(spec("embodied-r-3b"))
    settings = plan.settings
    assert [stage.to_epoch for stage in plan.stages] == [2, 4, 12]
    assert [tuple(stage.weights.values()) for stage in plan.stages] == [(7, 3, 0), (3, 7, 0), (1, 7, 2)]
    assert (settings.group_size, settings.prompts_per_step, settings.learning_rate) == (8, 4, 5e-7)
    assert (settings.beta, settings.loss_type, settings.temperature) == (0.001, "grpo", 1.0)
    assert (settings.max_prompt_tokens, settings.max_completion_tokens) == (6144, 2048)
    config = build_config(
        read_plan(spec("embodied-r-3b") | {"settings": PRESETS["embodied-r-3b"]["settings"] | {"zero_stage": 0}}),
        str(tmp_path),
        1000,
        has_gpu=True,
    )
    assert config.get_warmup_steps(1000) == 50
    zero = zero_config(settings.zero_stage)
    assert zero is not None and zero["zero_optimization"]["stage"] == 3 and zero["bf16"]["enabled"]


@pytest.mark.parametrize("name", [name for name, item in PRESETS.items() if item["engine"] == "sft"])
def test_a_supervised_preset_makes_its_configuration(name, as_on_a_gpu, tmp_path):
    plan = read_sft_plan(spec(name))
    config = build_sft_config(plan, str(tmp_path), 24, has_gpu=True)
    assert (config.bf16, config.max_length, config.max_steps) == (True, None, 24)
    assert plan.epochs == 3


TOLD: dict[str, Any] = {
    "output_dir": "checkpoints",
    "seed": 7,
    "data_seed": 7,
    "max_steps": 100,
    "per_device_train_batch_size": 16,
    "learning_rate": 1e-3,
    "lr_scheduler_type": "cosine_with_min_lr",
    "lr_scheduler_kwargs": {"min_lr_rate": 0.4},
    "warmup_steps": 0.05,
    "save_strategy": "steps",
    "save_steps": 9,
    "logging_strategy": "steps",
    "logging_steps": 1,
    "logging_nan_inf_filter": False,
    "report_to": [],
    "disable_tqdm": True,
}
"""What TRL is told of `GIVEN` on each host, whatever it optimises."""
GIVEN: dict[str, Any] = {
    "micro_batch": 16,
    "learning_rate": 1e-3,
    "warmup_share": 0.05,
    "save_steps": 9,
    "lora_rank": 4,
}
ON_GPU: dict[bool, dict[str, Any]] = {
    has_gpu: {
        "use_cpu": not has_gpu,
        "bf16": has_gpu,
        "gradient_checkpointing": has_gpu,
        "dataloader_pin_memory": has_gpu,
        "model_init_kwargs": {"dtype": "bfloat16" if has_gpu else "float32"},
    }
    for has_gpu in (True, False)
}


@pytest.mark.parametrize("has_gpu", [True, False])
def test_trl_is_told_the_same_of_both_engines_and_of_each_its_own(has_gpu, monkeypatch):
    monkeypatch.setattr("sightline_trainer.grpo.config.GRPOConfig", dict)
    monkeypatch.setattr("sightline_trainer.sft.run.SFTConfig", dict)
    given = {"run_id": "r", "seed": 7, "stages": PRESETS["tiny"]["stages"], "settings": GIVEN}
    both = TOLD | ON_GPU[has_gpu]
    assert build_config(read_plan(given), "checkpoints", 100, has_gpu=has_gpu) == both | {
        "gradient_accumulation_steps": 4,
        "num_generations": 8,
        "max_completion_length": 48,
        "temperature": 1.0,
        "beta": 0.001,
        "multi_objective_aggregation": "sum_then_normalize",
        "loss_type": "dapo",
        "ddp_find_unused_parameters": False,
        "ddp_backend": None,
        "deepspeed": None,
        "use_vllm": False,
        "vllm_mode": "colocate",
        "vllm_gpu_memory_utilization": 0.3,
    }
    assert build_sft_config(read_sft_plan(given), "checkpoints", 100, has_gpu=has_gpu) == both | {
        "gradient_accumulation_steps": 4,
        "max_length": None,
        "loss_type": "nll",
        "completion_only_loss": True,
    }


def test_the_untrained_preset_is_an_evaluation_without_a_checkpoint():
    assert read_evaluation_plan(spec("tiny-untrained")).settings.checkpoint == ""  # pyright: ignore[reportAttributeAccessIssue]


def test_adapters_are_all_that_the_lora_preset_trains():
    config = lora_config(read_plan(spec("lora-single-gpu")).settings)
    shape: dict[str, Any] = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    model = get_peft_model(Qwen2ForCausalLM(Qwen2Config(**shape, num_attention_heads=4, num_key_value_heads=2)), config)
    trained = [name for name, parameter in model.named_parameters() if parameter.requires_grad]
    assert trained and all("lora_" in name for name in trained)
    assert lora_config(read_plan(spec("tiny")).settings) is None


def test_the_smoke_model_is_of_the_size_that_is_said_and_made_once(tmp_path):
    questions = read_questions(QUESTIONS / "train.jsonl")
    folder = make_smoke_model(tmp_path / "smoke", questions, 1)
    model = Qwen2ForCausalLM.from_pretrained(folder)
    assert 80e6 < sum(parameter.numel() for parameter in model.parameters()) < 110e6
    assert torch.isfinite(model(torch.tensor([[3, 4, 5]])).logits).all()
    before = (folder / "model.safetensors").stat().st_mtime_ns
    make_smoke_model(folder, questions, 1)
    assert (folder / "model.safetensors").stat().st_mtime_ns == before


def test_a_model_that_is_not_on_the_host_is_named_with_the_way_to_it(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SpecError, match="hf download nobody/nothing"):
        find_model("nobody/nothing")
    with pytest.raises(SpecError, match="no folder"):
        find_model(str(tmp_path / "absent"))
