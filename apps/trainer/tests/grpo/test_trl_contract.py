"""python -m pytest apps/trainer/tests/grpo/test_trl_contract.py

Fails when TRL changes a name or a method that the trainer relies on.
"""

import inspect
from importlib.metadata import version
from pathlib import Path

from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.grpo_trainer import GRPOTrainer

PINS = {
    name: pin
    for name, pin in (line.split("==") for line in (Path(__file__).parents[2] / "requirements.txt").read_text().split())
}


def test_versions_are_the_pinned_ones():
    for name, pin in PINS.items():
        assert version(name).split("+")[0] == pin


def test_generation_is_one_overridable_method():
    signature = inspect.signature(GRPOTrainer._generate_and_score_completions)
    assert list(signature.parameters) == ["self", "inputs"]


def test_generation_returns_what_the_record_reads():
    source = inspect.getsource(GRPOTrainer._generate_and_score_completions)
    for key in ("completion_ids", "completion_mask", "advantages"):
        assert f'"{key}": {key}' in source


def test_weights_are_read_at_each_scoring():
    source = inspect.getsource(GRPOTrainer._generate_and_score_completions)
    assert "self.reward_weights.to(device)" in source
    assert "nansum" in source


def test_rewards_get_columns_and_are_named_by_their_functions():
    source = inspect.getsource(GRPOTrainer._calculate_rewards)
    assert "reward_kwargs = {key: [example[key] for example in inputs] for key in keys}" in source
    assert "__name__" in inspect.getsource(GRPOTrainer.__init__)


def test_settings_keep_their_names():
    fields = GRPOConfig.__dataclass_fields__
    wanted = ["num_generations", "max_completion_length", "temperature", "beta", "loss_type", "generation_batch_size"]
    wanted += ["steps_per_generation", "num_iterations", "scale_rewards", "logging_nan_inf_filter", "use_cpu"]
    assert [name for name in wanted if name not in fields] == []
