"""What a trainer's process takes of its machine."""

from __future__ import annotations

import os


def rss_bytes() -> int:
    """Resident memory of this process; 0 where the system does not say."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
