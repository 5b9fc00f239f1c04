"""Loops that a step finds open are closed at its end, to rounding: by Newton's steps, damped by the error itself."""

import numpy as np
import pytest

from gearwright import load, robots
from gearwright.dynamics import Equations
from gearwright.dynamics.constraints.closures import ClosureRows
from gearwright.dynamics.motion import State
from tests.dynamics.stepping import run, started


@pytest.fixture(scope="module", params=["direct", "pgs"])
def four_bar(request):
    return Equations(load(robots.path("four_bar")), solver=request.param)


def opening(equations, q):
    """The largest error of the rows that close the loop [m or rad]."""
    model = equations.model
    tree = model.tree(State([float(x) for x in q], [0.0] * model.dof))
    (closure,) = (kind for kind in equations.groups if isinstance(kind, ClosureRows))
    apart, _ = closure.seen(model.configuration(tree))
    return max(abs(float(condition.error(apart))) for condition in closure.conditions)


@pytest.mark.parametrize("off", [1e-6, 1e-3, 0.1])
def test_an_open_loop_is_closed_within_a_step(four_bar, off):
    """From 0.1 rad off in one joint; rounding leaves 1e-15 of the bars' lengths."""
    q = np.zeros(len(four_bar.positions))
    q[0] = off
    assert opening(four_bar, q) > 0.01 * off
    slots = started(four_bar, q, np.zeros(len(q)))
    run(four_bar.stages, slots)
    assert opening(four_bar, slots["position"]) < 1e-12


def test_five_centimetres_are_not_closed_in_single_precision():
    """4 mm off, to ten roundings, 1.2e-6; computed here in double precision."""
    equations = Equations(load(robots.path("four_bar")), precision="single")
    q = np.array([0.1, 0.0, 0.0])
    assert opening(equations, q) > 3e-3
    slots = started(equations, q, np.zeros(len(q)))
    run(equations.stages, slots)
    assert opening(equations, slots["position"]) < 1e-7  # found 1.7e-8
