"""Three steps of a random model by DeepSpeed's ZeRO-3 on CPUs, with the settings that the trainer gives:

python -m torch.distributed.run --standalone --nproc-per-node 2 zero_check.py

It shows that DeepSpeed takes them and shares the weights out; a whole run by ZeRO-3 wants GPUs.
"""

import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("DS_ACCELERATOR", "cpu")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import deepspeed  # pyright: ignore[reportMissingImports]
import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

from sightline_trainer.grpo.config import zero_config

PROMPTS, TOKENS = 2, 8

# Its reduction in shared memory is an extension that it would compile for minutes; gloo does without.
vars(sys.modules["deepspeed.comm.torch"])["build_shm_op"] = lambda: None
deepspeed.init_distributed(dist_backend="gloo")
torch.manual_seed(0)
shape: dict[str, Any] = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
model: Any = Qwen2ForCausalLM(Qwen2Config(vocab_size=64, num_key_value_heads=2, **shape))
count = sum(one.numel() for one in model.parameters())
# What the Trainer puts in place of "auto".
batch = {"train_micro_batch_size_per_gpu": PROMPTS, "train_batch_size": PROMPTS * int(os.environ["WORLD_SIZE"])}
settings = {**(zero_config(3) or {}), **batch, "gradient_accumulation_steps": 1, "gradient_clipping": 1.0}
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
engine, *_ = deepspeed.initialize(model=model, config=settings, optimizer=optimizer)
held = sum(one.ds_tensor.numel() for one in model.parameters())
for step in range(3):
    ids = torch.arange(PROMPTS * TOKENS).reshape(PROMPTS, TOKENS) + 1
    loss = engine(input_ids=ids, labels=ids).loss
    engine.backward(loss)
    engine.step()
    print(f"rank {os.environ['RANK']} step {step} loss {loss.item():.4f}, holds {held} of {count} weights", flush=True)
