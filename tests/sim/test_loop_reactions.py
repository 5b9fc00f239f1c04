"""Accelerations and reactions of closed loops at the present instant, not on average over the last step."""

from dataclasses import replace

import numpy as np
import pytest

from gearwright import compile, load
from gearwright.model import AxisDynamics
from tests.sim.robots import FOLDER, bare
from tests.sim.test_cut_joints import with_axes
from tests.sim.test_loops import ring
from tests.tolerances import ROUNDING

FOUR_BAR = bare(load(FOLDER / "four_bar.sdf"))
PINS = ("pin_a", "pin_b", "pin_c", "pin_d")


def turning(dt, every):
    """The crank at ten turns a second."""
    sim = compile(FOUR_BAR, dt=dt)
    sim.reset(velocity={"pin_a": 20 * np.pi})
    rec = sim.run(0.1, every=every)
    return {pin: rec.reaction[pin].force for pin in PINS}


def test_reactions_of_a_loop_are_second_order():
    exact = turning(2e-5, 50)

    def apart(found, pin):
        return np.sqrt(((found[pin] - exact[pin]) ** 2).sum() / (exact[pin] ** 2).sum())

    coarse, fine = turning(1e-3, 1), turning(5e-4, 2)
    for pin in PINS:
        assert apart(coarse, pin) < 2e-3, pin  # the motion's own error
        assert apart(fine, pin) < apart(coarse, pin) / 3.5, pin


def test_it_does_not_matter_which_joint_is_cut():
    """Right after a reset, while no impulse is known; a spring and a damper in the pin that is cut or not."""
    passive = AxisDynamics(damping=0.01, spring_stiffness=0.5, spring_reference=0.2)
    robot = with_axes(FOUR_BAR, "pin_c", dynamics=passive)
    found = []
    for cut in ("pin_c", "pin_d"):
        sim = compile(replace(robot, cut=(cut,)))
        sim.reset(position={"pin_a": 0.7}, velocity={"pin_a": 30.0})
        found.append([*(x for pin in PINS for x in sim.reaction[pin].force), sim.acceleration["pin_a"]])
    assert found[0] == pytest.approx(found[1], rel=ROUNDING, abs=ROUNDING)


@pytest.mark.parametrize("kind", ["revolute", "universal", "ball"])
def test_the_point_where_a_loop_is_closed_stays_there(kind):
    """A loop in space with ball joints, whose last link is pinned to the world: `a + α×r + ω×(ω×r) = 0` at the pin."""
    sim = compile(ring(kind))
    sim.step(n=300)
    r = sim.pose["l2"][:3, :3] @ np.array(sim.robot.joint("cut").X_CJ.p)
    omega, (a, alpha) = sim.link_velocity["l2"].angular, sim.link_acceleration["l2"]
    inwards = np.cross(omega, np.cross(omega, r))
    assert np.abs(inwards).max() > 1e-4
    assert np.abs(a + np.cross(alpha, r) + inwards).max() < ROUNDING * np.abs(a).max()
