"""One attempt of a GRPO run; started by the supervisor."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Protocol

from sightline_trainer.attempt import Attempt, FencedError
from sightline_trainer.grpo import processes
from sightline_trainer.grpo.faults import HINTS, classify
from sightline_trainer.grpo.settings import read_plan
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
        _tell(f"{error}\n")
        return EXIT_CODES["internal"]
    count = processes.wanted(attempt.spec)
    if count > 1:
        return processes.fan_out(count, attempt.dir)
    log = attempt.open_log() if processes.rank() == 0 else processes.SilentLog(attempt.run, attempt.dir)
    reason, code, step, checkpoint = work(attempt, log, begin)
    try:
        log.attempt_end(reason=reason, exit_code=code, step=step, checkpoint=checkpoint)
    except OSError as error:
        _tell(f"the last event could not be written: {error}\n")
    return code


def work(attempt: Attempt, log: EventLog, begin: Begin) -> tuple[EndReason, int, int, str | None]:
    """Trains to the end or to the first reason not to. Returns reason, exit code, last step and its checkpoint."""
    run: Trains | None = None

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
    except Exception as error:  # The last word must be written whatever the fault was.
        return at("failed", _say(attempt, log, error))


def _say(attempt: Attempt, log: EventLog, error: Exception) -> int:
    """Writes what ended the attempt. Returns its exit code."""
    fault, message, detail = classify(error), str(error) or repr(error), ""
    if fault.code == "internal":
        detail = traceback.format_exc()
        _tell(detail)
        told = processes.first_fault(attempt.dir) if processes.world_size() > 1 and processes.rank() == 0 else None
        if told is not None:
            fault, message = HINTS[told[0]], told[1]
    _tell(f"{fault.code}: {message}\n")
    try:
        log.error(fault.code, message, detail=detail, retryable=fault.retryable, hint=fault.hint)
    except OSError as write_error:
        _tell(f"the error event could not be written: {write_error}\n")
    return EXIT_CODES[fault.code]


def _tell(text: str) -> None:
    """Says it in the attempt's log. That may lie on the disk that is full, and the exit code must not hang on it."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        # What is left in its buffer would fail again when Python ends, and take the exit code's place.
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _listen(progress: Progress) -> None:
    """TERM and USR1 ask for a checkpoint at the next step's end, as schedulers send them."""
    if threading.current_thread() is not threading.main_thread():
        # Ray Train works in a thread of its worker, where Python takes no signals.
        return

    def on_signal(number: int, frame: FrameType | None) -> None:
        progress.is_terminated = True

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGUSR1, on_signal)


if __name__ == "__main__":
    sys.exit(main())
