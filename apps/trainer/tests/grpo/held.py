"""python -m tests.grpo.held: an attempt that goes so far and no further, so that it can be killed before its end.

HELD names the module that it runs as. It is held before the training step HOLD_BEFORE_STEP (from 1), or once it has
written HOLD_AFTER_ROWS completions.
"""

import os
import runpy
import signal
from collections.abc import Mapping
from typing import Any

from transformers import Trainer

from sightline_trainer.wire.log import EventLog

step = int(os.environ.get("HOLD_BEFORE_STEP", "0"))
rows = int(os.environ.get("HOLD_AFTER_ROWS", "0"))
train = Trainer.training_step
write = EventLog.completion
written = 0


def training_step(self: Trainer, *args: Any, **kwargs: Any) -> Any:
    if self.state.global_step + 1 == step:
        signal.pause()
    return train(self, *args, **kwargs)


def completion(self: EventLog, fields: Mapping[str, Any]) -> None:
    global written
    write(self, fields)
    written += 1
    if written == rows:
        signal.pause()


Trainer.training_step = training_step
EventLog.completion = completion
runpy.run_module(os.environ["HELD"], run_name="__main__", alter_sys=True)
