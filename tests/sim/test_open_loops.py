"""Loops that cannot be closed are counted, and warned of by name, with either integrator."""

import warnings

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import UnsettledWarning


def torn(integrator):
    """A four-bar whose closing pin is moved out of reach between two steps."""
    robot = gw.load("four_bar")
    sim = gw.compile(robot, integrator=integrator, parameters=["pin_c.origin.x"])
    sim.step(n=3)
    assert sim.batch_state.get("opened").tolist() == [[0.0]]
    pin = sim.batch_state.get("parameter").copy()
    sim.batch_state.set("parameter", 5.0)
    return sim, pin


@pytest.mark.parametrize("integrator", ["midpoint", "euler"])
def test_a_loop_that_opens_is_counted_and_named(integrator):
    sim, pin = torn(integrator)
    with pytest.warns(UnsettledWarning, match="open loop at 'pin_c'"):
        sim.step()
    assert sim.unsettled >= 1
    assert np.all(sim.batch_state.get("opened") >= 1)
    sim.batch_state.set("parameter", pin)
    sim.reset()
    assert sim.batch_state.get("opened").tolist() == [[0.0]]


def test_closed_loops_are_not():
    sim = gw.compile(gw.load("four_bar"), integrator="euler")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.step(n=200)
        sim.run(0.01)
    assert sim.unsettled == 0
