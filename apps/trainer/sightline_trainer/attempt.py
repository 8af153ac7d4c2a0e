"""What a trainer process knows of the attempt that it is: the supervisor puts it into its environment."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline_trainer.rundir import AttemptDir, RunDir, read_json
from sightline_trainer.wire.log import SEGMENT_BYTES, EventLog

ATTEMPT_DIR = "SIGHTLINE_ATTEMPT_DIR"
BEGAN = "SIGHTLINE_BEGAN_MONO_SECS"
RESUME_STEP = "SIGHTLINE_RESUME_STEP"
OVERRIDES = "SIGHTLINE_OVERRIDES"


class FencedError(RuntimeError):
    """A newer attempt exists; this one must not write another row."""


def _with_overrides(spec: dict[str, Any]) -> dict[str, Any]:
    overrides = json.loads(os.environ.get(OVERRIDES) or "{}")
    return {**spec, "settings": {**(spec.get("settings") or {}), **overrides}}


@dataclass(frozen=True)
class Attempt:
    """The attempt that this process works on."""

    run: RunDir
    dir: AttemptDir
    spec: dict[str, Any]
    """As the run's, with this attempt's own settings in place."""
    began_mono_secs: float
    resume_step: int | None

    @classmethod
    def from_environment(cls) -> Attempt:
        """Reads what the supervisor set.

        Raises KeyError outside a supervisor and FencedError when a newer attempt exists.
        """
        path = Path(os.environ[ATTEMPT_DIR])
        run = RunDir(path.parent.parent)
        resume = os.environ.get(RESUME_STEP, "")
        attempt = cls(
            run=run,
            dir=run.attempt(int(path.name)),
            spec=_with_overrides(read_json(run.spec) or {}),
            began_mono_secs=float(os.environ[BEGAN]),
            resume_step=int(resume) if resume else None,
        )
        attempt.check_fence()
        return attempt

    @property
    def number(self) -> int:
        return self.dir.number

    def open_log(self, *, segment_bytes: int = SEGMENT_BYTES) -> EventLog:
        """The event writer, going on after the supervisor's first line."""
        return EventLog(
            self.run,
            self.dir,
            run_id=self.spec["run_id"],
            began_mono_secs=self.began_mono_secs,
            segment_bytes=segment_bytes,
        )

    def check_fence(self) -> None:
        """Raises FencedError when a newer attempt exists."""
        numbers = self.run.attempt_numbers()
        if numbers and numbers[-1] > self.number:
            raise FencedError(f"attempt {numbers[-1]} exists; attempt {self.number} must not go on")

    def is_stop_requested(self) -> bool:
        """True when a person asked for a checkpoint and an end."""
        return self._asked("stop")

    def is_checkpoint_requested(self) -> bool:
        """True when a person asked for a checkpoint. `checkpoint_done` clears it."""
        return self._asked("checkpoint")

    def checkpoint_done(self) -> None:
        """Clears the request for a checkpoint."""
        (self.run.control / "checkpoint").unlink(missing_ok=True)

    def _asked(self, name: str) -> bool:
        path = self.run.control / name
        if not path.exists():
            return False
        request = read_json(path)
        return not isinstance(request, dict) or request.get("attempt", self.number) == self.number
