"""One attempt of a supervised run; started by the supervisor."""

from __future__ import annotations

import sys

from sightline_trainer.attempt import Attempt
from sightline_trainer.grpo.__main__ import Trains, main
from sightline_trainer.sft.settings import read_sft_plan
from sightline_trainer.wire.log import EventLog


def begin_sft(attempt: Attempt, log: EventLog) -> Trains:
    from sightline_trainer.sft.run import SftRun

    return SftRun(attempt, log, read_sft_plan(attempt.spec))


if __name__ == "__main__":
    sys.exit(main(begin_sft))
