"""Lines about the machine while a run trains."""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path

from sightline_trainer.machine import rss_bytes
from sightline_trainer.wire.log import EventLog

EVERY_SECS = 10.0


class Monitor:
    """A thread that emits a `system` line every ten seconds until it is stopped."""

    def __init__(self, log: EventLog, path: Path) -> None:
        self._log = log
        self._path = path
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._done.set()
        self._thread.join(timeout=5)

    def _watch(self) -> None:
        cpu_before, time_before = sum(os.times()[:4]), time.monotonic()
        while not self._done.wait(EVERY_SECS):
            cpu, now = sum(os.times()[:4]), time.monotonic()
            try:
                self._log.system(
                    rss_bytes=rss_bytes(),
                    cpu=round((cpu - cpu_before) / max(1e-6, now - time_before), 3),
                    disk_free_bytes=shutil.disk_usage(self._path).free,
                    gpus=_gpus(),
                )
            except OSError:
                # The training thread meets the same full disk and ends the attempt.
                return
            cpu_before, time_before = cpu, now


def _gpus() -> list[dict[str, float]]:
    import torch

    if not torch.cuda.is_available():
        return []
    rows: list[dict[str, float]] = []
    for index in range(torch.cuda.device_count()):
        free, total = torch.cuda.mem_get_info(index)
        rows.append({"util": _utilisation(index), "memory_bytes": total - free, "temperature_c": _temperature(index)})
    return rows


def _utilisation(index: int) -> float:
    import torch

    try:
        return torch.cuda.utilization(index) / 100
    except (ModuleNotFoundError, RuntimeError):
        return 0.0


def _temperature(index: int) -> float:
    import torch

    try:
        return float(torch.cuda.temperature(index))
    except (ModuleNotFoundError, RuntimeError):
        return 0.0
