"""Answers prompts with a tiny policy: `answer.py CHECKPOINT`, a JSON list of prompts on stdin, one of texts on stdout.

Greedy, so that the same policy gives the same answers.
"""

import json
import sys
from typing import Any

import torch
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

from sightline_trainer.grpo.tiny import space_tags

BATCH = 64

torch.set_num_threads(1)
tokenizer = PreTrainedTokenizerFast.from_pretrained(sys.argv[1])
model: Any = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32).eval()
prompts = [space_tags(prompt) for prompt in json.load(sys.stdin)]
texts: list[str] = []
for start in range(0, len(prompts), BATCH):
    batch = tokenizer(prompts[start : start + BATCH], return_tensors="pt", padding=True, padding_side="left")
    with torch.inference_mode():
        output = model.generate(
            input_ids=batch["input_ids"],
            attention_mask=batch["attention_mask"],
            do_sample=False,
            max_new_tokens=48,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
        )[:, batch["input_ids"].shape[1] :]
    texts += [str(tokenizer.decode(row, skip_special_tokens=True)) for row in output]
json.dump(texts, sys.stdout)
