"""A joint that closes a loop is read off its two sides: the same angle and rate as that of a coordinate there."""

from dataclasses import replace

import numpy as np
import pytest

from gearwright import load, robots
from gearwright.dynamics import Equations
from tests.dynamics.random_mechanisms import flat
from tests.tolerances import ROUNDING

SIGNS = {"pin_a": 1.0, "pin_b": 1.0, "pin_c": 1.0, "pin_d": -1.0}  # round the loop; the rocker hangs on the ground


@pytest.mark.parametrize("cut", ["pin_b", "pin_c"])
def test_angles_and_rates_round_a_loop_add_up_to_nothing(cut, rng):
    """All pins are about one axis, so that this holds also where their positions do not close."""
    robot = replace(load(robots.path("four_bar")), cut=(cut,))
    assert [j.name for j in robot.tree.cuts] == [cut]
    read = Equations(robot).observer("cut_joints")
    signs = np.array([SIGNS[name] for name in robot.tree.coordinates])
    for _ in range(5):
        q, v = 0.4 * rng.normal(size=3), rng.normal(size=3)
        position, velocity = (flat(x) for x in read(q, v, []))
        assert position == pytest.approx([-SIGNS[cut] * (signs @ q)], abs=ROUNDING)
        assert velocity == pytest.approx([-SIGNS[cut] * (signs @ v)], abs=ROUNDING)
