"""python -m pytest apps/trainer/tests/grpo/test_export.py: an exported graph against the checkpoint it came from."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch
from transformers import PreTrainedTokenizerFast, Qwen2ForCausalLM

from sightline_trainer.checkpoints import checkpoint_dir, is_complete, mark_complete
from sightline_trainer.export.graph import UnsupportedModelError, build_graph
from sightline_trainer.export.policy import ExportError, export_dir, export_policy, training_questions
from sightline_trainer.grpo.judge import LETTERS, Inquiry, ModelJudge, tiny_judge_text
from sightline_trainer.grpo.tiny import build_model, build_tokenizer, space_tags
from sightline_trainer.rundir import RunDir, write_json
from tests.grpo.attempts import ROOT, make_run

STEP = 6
EVALUATION = {"n": 16, "accuracy": 0.5, "low": 0.28, "high": 0.72, "format": 0.75, "consistency/judged": 8}


def save(folder: Path, model: Qwen2ForCausalLM, tokenizer: PreTrainedTokenizerFast) -> Path:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_policy(tokenizer: PreTrainedTokenizerFast, seed: int) -> Qwen2ForCausalLM:
    """Untrained, with weights so large that it writes different texts for different prompts."""
    torch.manual_seed(seed)
    model = build_model(tokenizer).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.08 * torch.randn_like(parameter))
    return model


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunDir:
    """A run with one whole checkpoint, one that is not whole, and an evaluation."""
    run = make_run(tmp_path_factory.mktemp("runs"), "exported")
    tokenizer = build_tokenizer(training_questions(run))
    for step in (STEP - 2, STEP):
        folder = save(checkpoint_dir(run, step), make_policy(tokenizer, step), tokenizer)
        if step == STEP:
            mark_complete(folder, step)
    attempt = run.attempt(1)
    attempt.path.mkdir()
    event = {"type": "evaluation", "step": STEP, "overall": EVALUATION}
    attempt.events.write_text(f"{json.dumps(event)}\n")
    return run


@pytest.fixture(scope="module")
def reference(run: RunDir, tmp_path_factory: pytest.TempPathFactory) -> Path:
    tokenizer = build_tokenizer(training_questions(run))
    return save(tmp_path_factory.mktemp("reference"), make_policy(tokenizer, 0), tokenizer)


@pytest.fixture(scope="module")
def exported(run: RunDir, reference: Path) -> Path:
    return export_policy(run, STEP, reference=reference)


class Graph:
    """An exported model run by ONNX Runtime, token by token through its cache."""

    def __init__(self, folder: Path) -> None:
        self.session = onnxruntime.InferenceSession(folder / "onnx/model.onnx")
        self.outputs = [item.name for item in self.session.get_outputs()]
        self.past = {item.name: item.shape for item in self.session.get_inputs() if "past" in item.name}

    def forward(self, ids, mask, past=None) -> tuple[Any, dict[str, Any]]:
        """Logits of the last tokens that are given, and the cache after them."""
        heads = {name: np.zeros((len(ids), shape[1], 0, shape[3]), np.float32) for name, shape in self.past.items()}
        positions = np.clip(mask.cumsum(1) - 1, 0, None)[:, -ids.shape[1] :]
        given = {"input_ids": ids, "attention_mask": mask, "position_ids": positions, **(past or heads)}
        out: dict[str, Any] = dict(zip(self.outputs, self.session.run(None, given), strict=True))
        cache = {name.replace("present", "past_key_values"): out[name] for name in self.outputs if name != "logits"}
        return out["logits"], cache

    def write(self, ids: list[int], most: int, end: int) -> list[int]:
        new = np.array([ids])
        mask = np.ones_like(new)
        past = None
        written: list[int] = []
        while len(written) < most and (not written or written[-1] != end):
            logits, past = self.forward(new, mask, past)
            written.append(int(logits[0, -1].argmax()))
            new = np.array([[written[-1]]])
            mask = np.concatenate([mask, np.ones((1, 1), dtype=mask.dtype)], axis=1)
        return written


def test_greedy_text_is_that_of_pytorch(run, exported):
    tokenizer = PreTrainedTokenizerFast.from_pretrained(checkpoint_dir(run, STEP))
    model: Any = Qwen2ForCausalLM.from_pretrained(checkpoint_dir(run, STEP))
    graph = Graph(exported)
    prompts = [space_tags(item.prompt) for item in training_questions(run)][:60]
    texts = set()
    for prompt in prompts:
        ids = tokenizer(prompt, return_tensors="pt")["input_ids"]
        wanted = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=24)
        wanted = wanted[0, ids.shape[1] :].tolist()
        assert graph.write(ids[0].tolist(), 24, tokenizer.eos_token_id) == wanted
        texts.add(tuple(wanted))
    assert len(prompts) == 60
    assert len(texts) > 10


def test_logits_with_padding_and_cache_are_those_of_pytorch(run, exported):
    model = Qwen2ForCausalLM.from_pretrained(checkpoint_dir(run, STEP))
    torch.manual_seed(1)
    ids = torch.randint(3, model.config.vocab_size, (4, 11))
    mask = torch.ones_like(ids)
    mask[0, :4] = 0
    mask[1, :1] = 0
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    with torch.no_grad():
        wanted = model(input_ids=ids, attention_mask=mask, position_ids=positions).logits.numpy()
    graph = Graph(exported)
    whole, _ = graph.forward(ids.numpy(), mask.numpy())
    _, cache = graph.forward(ids[:, :7].numpy(), mask[:, :7].numpy())
    rest, _ = graph.forward(ids[:, 7:].numpy(), mask.numpy(), cache)
    assert np.abs(whole - wanted)[mask.bool().numpy()].max() < 1e-4
    assert np.abs(rest - wanted[:, 7:]).max() < 1e-4


def test_the_reference_judges_as_the_trainer_does(run, exported, reference):
    tokenizer = PreTrainedTokenizerFast.from_pretrained(reference)
    judge = ModelJudge(Qwen2ForCausalLM.from_pretrained(reference), tokenizer, is_tiny=True)
    items = [Inquiry(item.question, item.chain or "", len(item.options)) for item in training_questions(run)]
    graph = Graph(exported / "reference")
    letters = []
    for question, chain, count in items:
        ids = np.array([tokenizer(tiny_judge_text(question, chain))["input_ids"]])
        logits, _ = graph.forward(ids, np.ones_like(ids))
        options = [tokenizer.convert_tokens_to_ids(letter) for letter in LETTERS[:count]]
        letters.append(LETTERS[int(logits[0, -1, options].argmax())])
    assert letters == [verdict.letter for verdict in judge.ask(items)]
    assert len(set(letters)) > 1


def test_the_card_says_what_the_policy_reads(run, exported):
    assert is_complete(exported)
    card = json.loads((exported / "policy.json").read_text())
    assert (card["run_id"], card["step"], card["has_reference"]) == ("exported", STEP, True)
    words = {word for item in training_questions(run) for word in space_tags(item.prompt).split()}
    assert words <= set(card["vocabulary"])
    [level] = card["levels"]
    assert (level["task"], level["words"]) == ("heading", [8, 12])
    assert level["options"] == ["north", "east", "south", "west"]
    assert card["held_out"] == {name: EVALUATION[name] for name in ("n", "accuracy", "low", "high", "format")}


def test_no_path_of_this_machine_is_in_the_export(run, exported):
    for path in exported.rglob("*.json"):
        assert str(run.path.parent) not in path.read_text()
        assert not re.search(r'"/\w+/', path.read_text()), path


def test_a_second_export_replaces_the_first_and_keeps_its_judge(run, exported):
    before = (exported / "reference/onnx/model.onnx").read_bytes()
    assert export_policy(run, STEP, reference=None) == exported
    assert (exported / "reference/onnx/model.onnx").read_bytes() == before
    assert is_complete(exported)
    assert [path.name for path in run.path.iterdir() if path.name.startswith(".")] == []


def test_what_can_not_be_exported_says_why_and_leaves_the_old_export(run, exported):
    with pytest.raises(ExportError, match="no whole checkpoint of step 4"):
        export_policy(run, STEP - 2, reference=None)
    assert is_complete(exported)
    spec = json.loads(run.spec.read_text())
    try:
        write_json(run.spec, {**spec, "settings": {**spec["settings"], "model": "/models/other"}})
        with pytest.raises(ExportError, match="only the tiny policy"):
            export_policy(run, STEP, reference=None)
    finally:
        write_json(run.spec, spec)
    model = make_policy(build_tokenizer(training_questions(run)), 1)
    model.config.num_key_value_heads = 2
    with pytest.raises(UnsupportedModelError):
        build_graph(model)


def test_the_command_exports_an_earlier_run(run):
    command = [sys.executable, "-m", "sightline_trainer.export"]
    done = subprocess.run([*command, run.path], cwd=ROOT / "apps/trainer", capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout.strip()) == (0, str(export_dir(run))), done.stderr
    none = subprocess.run(
        [*command, run.path.parent / "none"], cwd=ROOT / "apps/trainer", capture_output=True, text=True, timeout=600
    )
    assert none.returncode == 1
    assert "no whole checkpoint" in none.stderr
