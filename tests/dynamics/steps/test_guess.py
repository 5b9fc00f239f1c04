"""The first guess of a mean velocity, against the one that is found."""

import numpy as np
import pytest

from gearwright.dynamics.steps.tuning import TUNING
from tests.dynamics.steps.spinning import body_on_a_ball, spun


def missed_guess(top, dt):
    """How far the corrected guess was off, at its median over 0.2 s."""
    found, before = [], None
    for slots in spun(top, 10.0, dt, round(0.2 / dt)):
        if before is not None and before["smooth"][0] >= TUNING.smooth:
            line, missed = 2.0 * before["velocity"] - before["mean_velocity"], before["missed"]
            found.append(np.abs(slots["mean_velocity"] - (line + 2.0 * missed[:3] - missed[3:])).max())
        before = {name: slots[name].copy() for name in ("velocity", "mean_velocity", "missed", "smooth")}
    assert len(found) > 0.9 * 0.2 / dt
    return np.median(found)


def test_the_guess_is_right_to_the_fourth_order():
    """It misses what two differences leave of a smooth course. Found 15.9, and 2.6e-9 rad/s at 1 ms."""
    top = body_on_a_ball()
    coarse, fine = missed_guess(top, 2e-3), missed_guess(top, 1e-3)
    assert coarse / fine == pytest.approx(16.0, rel=0.05)
    assert fine < 2e-8
