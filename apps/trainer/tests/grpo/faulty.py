"""python -m tests.grpo.faulty: an attempt of a GRPO run in which the fault that FAULT names strikes once.

FAULT is a name below, `@` and the step (from 1) in which it strikes. RANK_OF_FAULT says in which process, else in 0.
"""

import errno
import os
import signal
import sys
from pathlib import Path
from typing import Any

import torch

from sightline_trainer.grpo.__main__ import main
from sightline_trainer.grpo.trainer import SightlineTrainer
from sightline_trainer.wire.log import DiskFullError, _StreamWriter


def strike(model: Any, name: str, loss: torch.Tensor) -> torch.Tensor:
    if name == "nan":
        return loss * float("nan")
    if name == "infinity":
        # Finite in the loss and infinite in its gradient: the derivative of the square root at 0.
        return loss + torch.sqrt(next(model.parameters()).sum() * 0.0)
    if name == "gpu_memory":
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB (simulated)")
    if name == "host_memory":
        torch.empty(2**50, dtype=torch.uint8)
    if name == "disk":
        with Path("/dev/full").open("wb", buffering=0) as full:
            full.write(b"\0")
    if name == "crash":
        raise RuntimeError("something that nobody thought of")
    if name in ("SIGTERM", "SIGUSR1", "SIGKILL"):
        os.kill(os.getpid(), getattr(signal, name))
    return loss


name, _, step = os.environ["FAULT"].partition("@")
compute = SightlineTrainer.compute_loss
has_struck = False


def compute_loss(self: SightlineTrainer, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
    global has_struck
    loss = compute(self, model, inputs, *args, **kwargs)
    is_here = os.environ.get("RANK", "0") == os.environ.get("RANK_OF_FAULT", "0")
    if self.state.global_step + 1 == int(step) and is_here and not has_struck:
        has_struck = True
        return strike(model, name, loss)
    return loss


SightlineTrainer.compute_loss = compute_loss
if name == "full":

    def refuse(self: _StreamWriter, data: bytes) -> None:
        raise DiskFullError(errno.ENOSPC, "the disk is full")

    _StreamWriter.append = refuse
sys.exit(main())
