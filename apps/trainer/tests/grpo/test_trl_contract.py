"""python -m pytest apps/trainer/tests/grpo/test_trl_contract.py

Fails when TRL changes a name or a method that the trainer relies on.
"""

import inspect
from importlib.metadata import version
from pathlib import Path

from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.grpo_trainer import GRPOTrainer
from trl.trainer.utils import RepeatSampler

from sightline_trainer.grpo.order import EpochSampler

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


def test_rewards_are_one_overridable_method_whose_rows_are_all_processes():
    names = ["self", "inputs", "prompts", "completions", "completion_ids_list"]
    assert list(inspect.signature(GRPOTrainer._calculate_rewards).parameters) == names
    assert "rewards_per_func = gather(rewards_per_func)" in inspect.getsource(GRPOTrainer._calculate_rewards)
    source = inspect.getsource(GRPOTrainer._generate_and_score_completions)
    assert "self._calculate_rewards(inputs, prompts, completions, completion_ids_list)" in source
    assert "__name__" in inspect.getsource(GRPOTrainer.__init__)


def test_what_a_stage_changes_is_read_at_each_step():
    assert "self.beta != 0.0" in inspect.getsource(GRPOTrainer._generate_and_score_completions)
    assert "self.beta * per_token_kl" in inspect.getsource(GRPOTrainer._compute_loss)
    assert "logits / self.temperature" in inspect.getsource(GRPOTrainer._get_per_token_logps_and_entropies)
    assert "generation_config=self.generation_config" in inspect.getsource(GRPOTrainer._generate_single_turn)


def test_rewards_can_be_made_relative_before_they_are_summed():
    source = inspect.getsource(GRPOTrainer._generate_and_score_completions)
    assert "multi_objective_aggregation" in GRPOConfig.__dataclass_fields__
    assert "reward_k = (grouped - mean_k) / (std_k + 1e-4)" in source


def test_settings_keep_their_names():
    fields = GRPOConfig.__dataclass_fields__
    wanted = ["num_generations", "max_completion_length", "temperature", "beta", "loss_type", "generation_batch_size"]
    wanted += ["steps_per_generation", "num_iterations", "scale_rewards", "logging_nan_inf_filter", "use_cpu"]
    assert [name for name in wanted if name not in fields] == []


def test_an_epoch_has_the_order_that_an_uncut_run_gives_it():
    released = RepeatSampler(range(11), mini_repeat_count=2, batch_size=3, repeat_count=2, seed=5)
    orders = [list(released) for _ in range(4)]
    assert orders[0] != orders[1]
    for epoch in (3, 0, 2):
        sampler = EpochSampler.of(released)
        sampler.set_epoch(epoch)
        assert list(sampler) == orders[epoch]


def test_the_sampler_is_one_overridable_method():
    assert list(inspect.signature(GRPOTrainer._get_train_sampler).parameters) == ["self", "dataset"]
