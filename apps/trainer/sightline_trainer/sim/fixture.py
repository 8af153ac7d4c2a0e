"""Writes the recorded simulated run that TypeScript tests read.

`python -m sightline_trainer.sim.fixture PATH`, from apps/trainer. No clock and no host in it: the same code gives the
same bytes, and a test says so.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sightline_trainer.attempt import Attempt
from sightline_trainer.rundir import RunDir, spec_hash
from sightline_trainer.sim.run import Simulator
from sightline_trainer.wire.encode import encode_line
from sightline_trainer.wire.log import EventLog, Stream

_BEGAN_SECS = 1_760_000_000.0
_LINE_SECS = 0.05
SPEC: dict[str, Any] = {
    "run_id": "simulated",
    "name": "three stages, simulated",
    "engine": "simulator",
    "preset": "embodied-r",
    "seed": 1,
    "stages": [
        {"name": "format", "weights": {"format": 7, "accuracy": 3, "consistency": 0}, "from_epoch": 0, "to_epoch": 2},
        {"name": "accuracy", "weights": {"format": 3, "accuracy": 7, "consistency": 0}, "from_epoch": 2, "to_epoch": 4},
        {
            "name": "consistency",
            "weights": {"format": 1, "accuracy": 7, "consistency": 2},
            "from_epoch": 4,
            "to_epoch": 7,
        },
    ],
    "settings": {
        "steps_per_sec": 0,
        "steps_per_epoch": 3,
        "prompts_per_step": 1,
        "group_size": 4,
        "judge_every_groups": 3,
        "save_steps": 7,
        "keep_stage_ends": False,
        "eval_steps": 21,
        "eval_questions": 16,
        "system_every_secs": 3600,
        "faults": "nan@5 infinity@6 judge_down@20",
    },
}


class _Recorder(EventLog):
    """Keeps lines in the order in which they were written, with the times of a clock that ticks once a line."""

    lines: list[bytes]

    def emit(self, type: str, fields: Mapping[str, Any], stream: Stream = "events") -> None:
        line = json.loads(self.line(type, fields, stream))
        passed = round(_LINE_SECS * len(self.lines), 2)
        line.update(time_secs=_BEGAN_SECS + passed, mono_secs=passed)
        if "secs" in line:
            line["secs"] = 0.01
        self.lines.append(encode_line(line))
        super().emit(type, fields, stream)


@dataclass(frozen=True)
class _Recording(Attempt):
    """An attempt whose log is recorded."""

    lines: list[bytes] = field(default_factory=list)

    def open_log(self, *, segment_bytes: int = 0) -> EventLog:
        log = _Recorder(self.run, self.dir, run_id=self.spec["run_id"], began_mono_secs=self.began_mono_secs)
        log.lines = self.lines
        return log


def record() -> bytes:
    """All lines of the run, both streams, in the order in which they were written."""
    with tempfile.TemporaryDirectory() as folder:
        run = RunDir(Path(folder))
        attempt = _Recording(run, run.attempt(1), SPEC, time.monotonic(), None)
        attempt.dir.path.mkdir(parents=True)
        attempt.open_log().attempt_start(
            executor="local",
            host="fixture",
            pid=4242,
            boot_id="00000000-0000-4000-8000-000000000000",
            spec_hash=spec_hash(SPEC),
            resume_from=None,
            versions={"engine": "simulator"},
            device={"name": "simulated", "count": 0, "memory_bytes": 0},
        )
        with contextlib.redirect_stdout(io.StringIO()):
            Simulator(attempt).run()
        return b"".join(attempt.lines)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.stderr.write("usage: python -m sightline_trainer.sim.fixture PATH\n")
        sys.exit(64)
    Path(sys.argv[1]).write_bytes(record())
