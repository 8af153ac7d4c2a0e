"""The folder of an exported policy: `export/` of the run directory, in transformers.js's layout.

export/  policy.json  COMPLETE.json  config.json  generation_config.json  tokenizer.json  tokenizer_config.json
         onnx/model.onnx  reference/{the same without card and marker}
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerFast, Qwen2ForCausalLM

from sightline_trainer.checkpoints import checkpoint_dir, is_complete, mark_complete
from sightline_trainer.export.card import make_card
from sightline_trainer.export.graph import build_graph
from sightline_trainer.grpo.data import Question, read_questions
from sightline_trainer.grpo.settings import Plan, read_plan
from sightline_trainer.grpo.warm_start import recipe_hash, warm_start_cache
from sightline_trainer.rundir import RunDir, read_json, sync_dir, write_json
from sightline_trainer.sft.settings import read_sft_plan

EOS, PAD, UNKNOWN = "eos_token", "pad_token", "unk_token"


class ExportError(ValueError):
    """The run can't be exported; the message says why and what to do."""


def export_dir(run: RunDir) -> Path:
    """Where a run's exported policy lies."""
    return run.path / "export"


def export_policy(run: RunDir, step: int, *, reference: Path | None) -> Path:
    """Exports the checkpoint after `step` steps, in place of an earlier export. Returns the folder.

    `reference` is the folder of the model that training started from; without one, what an earlier export of the run
    holds is kept, and without that the policy has no judge. A reader finds the old export or the new one, never half
    of one. Raises ExportError and OSError.
    """
    spec = read_json(run.spec)
    if not isinstance(spec, dict):
        raise ExportError(f"{run.spec} is no run's spec")
    plan = read_trained_plan(spec)
    if plan.settings.model != "tiny":
        raise ExportError("only the tiny policy is exported; this run trained another model")
    source = checkpoint_dir(run, step)
    if not is_complete(source):
        raise ExportError(f"there is no whole checkpoint of step {step}")
    target = export_dir(run)
    draft = run.path / f".export.{os.getpid()}"
    shutil.rmtree(draft, ignore_errors=True)
    try:
        tokenizer = PreTrainedTokenizerFast.from_pretrained(source)
        model = Qwen2ForCausalLM.from_pretrained(source, dtype="float32").eval()
        write_model(draft, model, tokenizer)
        if reference is not None:
            write_model(
                draft / "reference", Qwen2ForCausalLM.from_pretrained(reference, dtype="float32").eval(), tokenizer
            )
        elif is_complete(target) and (target / "reference").exists():
            shutil.copytree(target / "reference", draft / "reference")
        card = make_card(
            run,
            spec,
            plan,
            step,
            tokenizer,
            questions=training_questions(run),
            parameters=sum(item.numel() for item in model.parameters()),
            has_reference=(draft / "reference").exists(),
        )
        write_json(draft / "policy.json", card)
        mark_complete(draft, step)
        _replace(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def read_trained_plan(spec: Mapping[str, Any]) -> Plan:
    """The plan of a run that trained, as its engine read it. Raises SpecError."""
    return read_sft_plan(spec) if spec.get("engine") == "sft" else read_plan(spec)


def find_reference(run: RunDir) -> Path | None:
    """The warm start that a run of the tiny policy began with, where this host still has it."""
    plan = read_trained_plan(read_json(run.spec) or {})
    path = run.data / "warm.jsonl"
    questions = read_questions(path if path.exists() else run.data / "train.jsonl")
    folder = warm_start_cache(run) / recipe_hash(questions, plan.settings, plan.seed)
    return folder if (folder / "config.json").exists() else None


def training_questions(run: RunDir) -> list[Question]:
    """What the policy was trained on: the warm start's questions, where there are some, and GRPO's."""
    paths = [run.data / "warm.jsonl", run.data / "train.jsonl"]
    return [item for path in paths if path.exists() for item in read_questions(path)]


def write_model(folder: Path, model: Qwen2ForCausalLM, tokenizer: PreTrainedTokenizerFast) -> None:
    """Writes one model in transformers.js's layout."""
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").write_bytes(build_graph(model))
    write_json(folder / "config.json", model.config.to_diff_dict(), durable=False)
    end, pad = tokenizer.eos_token_id, tokenizer.pad_token_id
    write_json(folder / "generation_config.json", {"eos_token_id": end, "pad_token_id": pad}, durable=False)
    (folder / "tokenizer.json").write_text(tokenizer.backend_tokenizer.to_str(), encoding="utf-8")
    names = {EOS: tokenizer.eos_token, PAD: tokenizer.pad_token, UNKNOWN: tokenizer.unk_token}
    settings = {
        "tokenizer_class": "PreTrainedTokenizer",
        "clean_up_tokenization_spaces": False,
        "padding_side": "left",
        **names,
    }
    write_json(folder / "tokenizer_config.json", settings, durable=False)


def _replace(draft: Path, target: Path) -> None:
    old = target.with_name(f".export.{os.getpid()}.old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    draft.rename(target)
    sync_dir(target.parent)
    shutil.rmtree(old, ignore_errors=True)
