"""python -m pytest apps/trainer/tests/test_intervals.py"""

import pytest

from sightline_trainer.intervals import wilson


def test_wilson_against_a_worked_example():
    # 8 of 10: centre (0.8 + z²/20) / (1 + z²/10), z = 1.96, worked by hand.
    assert wilson(8, 10) == pytest.approx((0.490162, 0.943318), abs=1e-6)
    assert wilson(0, 10)[0] == 0.0
    assert wilson(10, 10)[1] == pytest.approx(1.0)
    assert wilson(0, 0) == (0.0, 1.0)
