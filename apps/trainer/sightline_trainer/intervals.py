"""Intervals of measured shares."""

from __future__ import annotations

import math

_Z = 1.959963984540054


def wilson(successes: float, n: int) -> tuple[float, float]:
    """95 % interval of a share, after Wilson (1927); all of [0, 1] when nothing was counted."""
    if n == 0:
        return 0.0, 1.0
    share = successes / n
    centre = share + _Z * _Z / (2 * n)
    spread = _Z * math.sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n))
    scale = 1 + _Z * _Z / n
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)
