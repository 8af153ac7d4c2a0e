"""One attempt of a GRPO run; started by the supervisor."""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Protocol

from sightline_trainer.attempt import Attempt, FencedError
from sightline_trainer.grpo.data import DataError
from sightline_trainer.grpo.settings import read_plan
from sightline_trainer.rundir import NO_SPACE
from sightline_trainer.stages import SpecError
from sightline_trainer.wire.events import EXIT_CODES
from sightline_trainer.wire.log import EndReason, EventLog

if TYPE_CHECKING:
    from sightline_trainer.grpo.trainer import Progress


def limit_threads() -> None:
    """Leaves one core to the rest of the machine: OpenMP's barriers spin when cores are shared. Before torch loads."""
    threads = str(max(1, (os.cpu_count() or 2) - 1))
    os.environ.setdefault("OMP_NUM_THREADS", threads)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")


class Trains(Protocol):
    """What works on an attempt."""

    progress: Progress

    def train(self) -> EndReason:
        """Returns done, or why a person or the host ended it."""
        ...


Begin = Callable[[Attempt, EventLog], Trains]
"""Reads the attempt's spec; raises SpecError. It imports torch, so that only it is slow."""


def begin_grpo(attempt: Attempt, log: EventLog) -> Trains:
    from sightline_trainer.grpo.run import Run

    return Run(attempt, log, read_plan(attempt.spec))


def main(begin: Begin = begin_grpo) -> int:
    """Works on the attempt of this process's environment. Returns its exit code."""
    limit_threads()
    try:
        attempt = Attempt.from_environment()
    except FencedError as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_CODES["internal"]
    log = attempt.open_log()
    reason, code, step, checkpoint = work(attempt, log, begin)
    try:
        log.attempt_end(reason=reason, exit_code=code, step=step, checkpoint=checkpoint)
    except OSError as error:
        sys.stderr.write(f"the last event could not be written: {error}\n")
    return code


def work(attempt: Attempt, log: EventLog, begin: Begin) -> tuple[EndReason, int, int, str | None]:
    """Trains to the end or to the first reason not to. Returns reason, exit code, last step and its checkpoint."""
    from sightline_trainer.grpo.trainer import DivergedError, JudgeUnavailableError

    run: Trains | None = None

    def say(code: str, error: BaseException, hint: str, *, retryable: bool = False, detail: str = "") -> int:
        sys.stderr.write(f"{code}: {error}\n")
        try:
            log.error(code, str(error), detail=detail, retryable=retryable, hint=hint)
        except OSError as write_error:
            sys.stderr.write(f"the error event could not be written: {write_error}\n")
        return EXIT_CODES[code]

    def at(reason: EndReason, code: int) -> tuple[EndReason, int, int, str | None]:
        progress = run.progress if run else None
        saved = progress.saved_step if progress else attempt.resume_step
        step = progress.step if progress else 0
        return reason, code, step, None if saved is None else f"checkpoints/checkpoint-{saved}"

    try:
        log.phase("environment", 1, 1)
        run = begin(attempt, log)
        _listen(run.progress)
        ended = run.train()
        return at(ended, EXIT_CODES["done"] if ended == "done" else EXIT_CODES["interrupted"])
    except SpecError as error:
        return at("failed", say("bad_spec", error, "Correct the value and launch again."))
    except DataError as error:
        return at("failed", say("missing_input", error, "Correct the data file and launch again."))
    except DivergedError as error:
        hint = "Go back to the last good checkpoint with half the learning rate, or take another seed."
        return at("failed", say("diverged", error, hint))
    except JudgeUnavailableError as error:
        hint = "Look after the judge, then resume."
        return at("failed", say("judge_unavailable", error, hint, retryable=True))
    except MemoryError as error:
        return at("failed", say("host_memory", error, "Resume with a smaller micro_batch.", retryable=True))
    except OSError as error:
        if error.errno in NO_SPACE:
            return at("failed", say("disk", error, "Free some space on the host, then resume.", retryable=True))
        if error.errno == errno.ENOENT:
            return at("failed", say("missing_input", error, "Put the file back, then resume.", retryable=True))
        return at("failed", _crash(say, error))
    except Exception as error:  # The last word must be written whatever the fault was.
        if type(error).__name__ == "OutOfMemoryError":
            return at("failed", say("gpu_memory", error, "Resume with half the micro_batch.", retryable=True))
        return at("failed", _crash(say, error))


def _crash(say, error: BaseException) -> int:
    text = traceback.format_exc()
    sys.stderr.write(text)
    return say("internal", error, "Read the log, then resume.", detail=text)


def _listen(progress: Progress) -> None:
    """TERM and USR1 ask for a checkpoint at the next step's end, as schedulers send them."""

    def on_signal(number: int, frame: FrameType | None) -> None:
        progress.is_terminated = True

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGUSR1, on_signal)


if __name__ == "__main__":
    sys.exit(main())
