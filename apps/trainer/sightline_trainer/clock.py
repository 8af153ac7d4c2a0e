"""The time of day that is written down. Ages of files are never taken from it."""

from __future__ import annotations

import os
import time


def time_of_day() -> float:
    """UTC seconds since the epoch. SLCTL_CLOCK_OFFSET_SECS shifts it, for tests of a host whose clock is off."""
    return time.time() + float(os.environ.get("SLCTL_CLOCK_OFFSET_SECS") or 0)
