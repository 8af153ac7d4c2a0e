"""One attempt of an evaluation; started by the supervisor."""

from __future__ import annotations

import sys

from sightline_trainer.attempt import Attempt
from sightline_trainer.evaluate.settings import read_evaluation_plan
from sightline_trainer.grpo.__main__ import Trains, main
from sightline_trainer.wire.log import EventLog


def begin_evaluation(attempt: Attempt, log: EventLog) -> Trains:
    from sightline_trainer.evaluate.run import EvaluationRun

    return EvaluationRun(attempt, log, read_evaluation_plan(attempt.spec))


if __name__ == "__main__":
    sys.exit(main(begin_evaluation))
