"""python -m tests.grpo.greedy RUN_DIR: what PyTorch makes of the newest checkpoint, for a browser to be held to.

Reads a list of prompts as JSON and writes the list of greedy texts.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedTokenizerFast, Qwen2ForCausalLM

from sightline_trainer.checkpoints import checkpoint_dir, last_complete
from sightline_trainer.grpo.tiny import space_tags
from sightline_trainer.rundir import RunDir


def main() -> None:
    run = RunDir(Path(sys.argv[1]))
    step = last_complete(run)
    assert step is not None
    folder = checkpoint_dir(run, step)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    model: Any = Qwen2ForCausalLM.from_pretrained(folder)
    card = json.loads((run.path / "export/policy.json").read_text())
    texts = []
    for prompt in json.load(sys.stdin):
        ids = tokenizer(space_tags(prompt), return_tensors="pt")["input_ids"]
        mask = torch.ones_like(ids)
        most = card["max_completion_tokens"]
        written = model.generate(input_ids=ids, attention_mask=mask, do_sample=False, max_new_tokens=most)
        texts.append(tokenizer.decode(written[0, ids.shape[1] :], skip_special_tokens=True))
    json.dump(texts, sys.stdout)


main()
