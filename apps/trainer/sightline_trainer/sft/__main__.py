"""One attempt of a supervised run; started by the supervisor."""

from __future__ import annotations

import sys

from sightline_trainer.attempt import Attempt
from sightline_trainer.grpo import processes
from sightline_trainer.grpo.__main__ import Trains, main
from sightline_trainer.sft.settings import ONE_PROCESS, read_sft_plan
from sightline_trainer.stages import SpecError
from sightline_trainer.wire.log import EventLog


def begin_sft(attempt: Attempt, log: EventLog) -> Trains:
    plan = read_sft_plan(attempt.spec)
    if processes.world_size() > 1:
        raise SpecError(f"{ONE_PROCESS}; start it without torchrun or accelerate launch")
    from sightline_trainer.sft.run import SftRun

    return SftRun(attempt, log, plan)


if __name__ == "__main__":
    sys.exit(main(begin_sft))
