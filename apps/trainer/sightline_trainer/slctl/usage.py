"""How busy this machine is now: what the live charts of a host are drawn from."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

from sightline_trainer.slctl.doctor import cpu_count, memory
from sightline_trainer.slctl.gpus import gpus
from sightline_trainer.slctl.observe import root_of


def usage(request: dict[str, Any]) -> dict[str, Any]:
    """One reading. CPU time is told as counters since boot, of which whoever asks takes differences."""
    cards, problem = gpus()
    return {
        "usage": {
            "time_secs": time.time(),
            "cpus": cpu_count(),
            "cpu": _cpu_ticks(),
            "memory": memory(),
            "disk": _disk(root_of(request)),
            "gpus": cards,
            "gpu_problem": problem,
        }
    }


def _cpu_ticks() -> dict[str, int] | None:
    """Ticks that all processors have been busy, and all ticks; None where the system does not say."""
    try:
        line = Path("/proc/stat").read_text().partition("\n")[0]
        # user nice system idle iowait irq softirq steal; what follows is counted in the first two already.
        ticks = [int(word) for word in line.split()[1:9]]
        idle = ticks[3] + ticks[4]
    except (OSError, ValueError, IndexError):
        return None
    return {"busy": sum(ticks) - idle, "all": sum(ticks)}


def _disk(root: Path) -> dict[str, int] | None:
    """Bytes of the disk that holds the runs, or would: the nearest folder that exists is looked at."""
    folder = root
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        found = shutil.disk_usage(folder)
    except OSError:
        return None
    return {"total_bytes": found.total, "free_bytes": found.free}
