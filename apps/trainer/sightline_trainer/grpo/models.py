"""Where the model comes from that a run trains, judges with and refers to."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText, Qwen2Config, Qwen2ForCausalLM

from sightline_trainer.grpo.data import Question
from sightline_trainer.grpo.tiny import EOS, PAD, build_tokenizer, token_id
from sightline_trainer.stages import SpecError

SMOKE_SHAPE = {
    "vocab_size": 32_000,
    "hidden_size": 768,
    "intermediate_size": 2048,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "num_key_value_heads": 4,
    "tie_word_embeddings": True,
}
"""About 90 M parameters; logits as wide as a real vocabulary's, so that memory is used as in earnest."""


def find_model(name: str) -> Path:
    """The folder of a model on this host: a folder's own name, or a hub id whose files are in the hub's cache.

    Raises SpecError: nothing is downloaded in a run's time.
    """
    folder = Path(name).expanduser()
    if (folder / "config.json").exists():
        return folder
    if name.count("/") != 1 or name.startswith((".", "/", "~")):
        raise SpecError(f"settings.model {name} is no folder with a config.json on this host")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:
        raise SpecError(
            f"settings.model {name} is not in the hub's cache on this host: fetch it there with `hf download {name}`"
        ) from error


def make_smoke_model(folder: Path, questions: Sequence[Question], seed: int) -> Path:
    """Random weights and a word-level tokenizer of the questions; the same questions and seed give the same bytes."""
    if (folder / "config.json").exists():
        return folder
    torch.manual_seed(seed)
    tokenizer = build_tokenizer(questions)
    ids = {"pad_token_id": token_id(tokenizer, PAD), "eos_token_id": token_id(tokenizer, EOS), "bos_token_id": None}
    return _keep(folder, Qwen2ForCausalLM(Qwen2Config(**SMOKE_SHAPE, **ids)), tokenizer)


def make_tiny_vlm(folder: Path, questions: Sequence[Question], seed: int) -> Path:
    """The same for a vision-language model (tiny_vlm.py)."""
    if (folder / "config.json").exists():
        return folder
    from sightline_trainer.grpo.tiny_vlm import build_processor, build_vlm

    torch.manual_seed(seed)
    processor = build_processor(questions)
    return _keep(folder, build_vlm(processor), processor)


def _keep(folder: Path, model: Any, reader: Any) -> Path:
    draft = folder.with_name(f".{folder.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    model.save_pretrained(draft)
    reader.save_pretrained(draft)
    draft.rename(folder)
    return folder


def load_policy(folder: Path, *, dtype: torch.dtype) -> Any:
    """A causal model, one that sees as well, or a policy whose adapters lie in the folder on top of their base."""
    if (folder / "adapter_config.json").exists():
        from peft import PeftConfig, PeftModel

        base = str(PeftConfig.from_pretrained(str(folder)).base_model_name_or_path)
        return PeftModel.from_pretrained(load_policy(Path(base), dtype=dtype), folder)
    sees = hasattr(AutoConfig.from_pretrained(folder), "vision_config")
    return (AutoModelForImageTextToText if sees else AutoModelForCausalLM).from_pretrained(folder, dtype=dtype)
