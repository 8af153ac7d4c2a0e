"""What ends an attempt early, as the class by which it is told and tried again."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import NamedTuple

from sightline_trainer.grpo.data import DataError
from sightline_trainer.rundir import NO_SPACE
from sightline_trainer.stages import SpecError


class DivergedError(RuntimeError):
    """Loss or gradient is no longer a finite number."""


class JudgeUnavailableError(RuntimeError):
    """The judge failed too often for consistency to mean anything."""


class Fault(NamedTuple):
    """code: a name of EXIT_CODES. hint: what to do now."""

    code: str
    hint: str
    retryable: bool = False


HINTS = {
    "bad_spec": Fault("bad_spec", "Correct the value and launch again."),
    "missing_input": Fault("missing_input", "Correct the data file and launch again."),
    "diverged": Fault(
        "diverged", "Go back to the last good checkpoint with half the learning rate, or take another seed."
    ),
    "judge_unavailable": Fault("judge_unavailable", "Look after the judge, then resume.", True),
    "gpu_memory": Fault("gpu_memory", "Resume with half the micro_batch.", True),
    "host_memory": Fault("host_memory", "Resume with a smaller micro_batch.", True),
    "disk": Fault("disk", "Free some space on the host, then resume.", True),
    "internal": Fault("internal", "Read the log, then resume."),
}

# What libraries say of a full disk in their own words, and torch of memory that it did not get.
_DISK = ("No space left on device", "PytorchStreamWriter failed writing", "No usable temporary directory")
_GPU = ("CUDA out of memory", "CUDA error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED", "HIP out of memory")
_HOST = ("DefaultCPUAllocator", "Cannot allocate memory")


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        yield at
        at = at.__cause__ or at.__context__


def classify(error: BaseException) -> Fault:
    """The class of whatever ended the work; errors that led to it count, since libraries wrap what the system said."""
    kinds: tuple[tuple[type[BaseException], str], ...] = (
        (SpecError, "bad_spec"),
        (DataError, "missing_input"),
        (DivergedError, "diverged"),
        (JudgeUnavailableError, "judge_unavailable"),
    )
    for kind, code in kinds:
        if isinstance(error, kind):
            return HINTS[code]
    for one in _chain(error):
        text = str(one)
        if (isinstance(one, OSError) and one.errno in NO_SPACE) or any(words in text for words in _DISK):
            return HINTS["disk"]
        # By name, so that torch need not be loaded to fail.
        if type(one).__name__ == "OutOfMemoryError" or any(words in text for words in _GPU):
            return HINTS["gpu_memory"]
        is_refused = isinstance(one, OSError) and one.errno == errno.ENOMEM
        if isinstance(one, MemoryError) or is_refused or any(words in text for words in _HOST):
            return HINTS["host_memory"]
    if isinstance(error, FileNotFoundError):
        return Fault("missing_input", "Put the file back, then resume.", True)
    return HINTS["internal"]
