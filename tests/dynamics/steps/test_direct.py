"""The loop in which the direct step switches its laws."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.dynamics import Equations
from gearwright.dynamics.steps.builder import Repeat, Unless
from tests.dynamics.stepping import run
from tests.dynamics.steps.test_sweep import STICKING, stages


def loops(body):
    for node in body:
        if isinstance(node, Repeat | Unless):
            yield node
            yield from loops(node.body)


def test_a_phase_may_have_two_hundred_solutions():
    """The first, and 199 after switches. Rows that depend on each other take many."""
    equations = Equations(gw.loads(STICKING), integrator="midpoint")
    counts = {node.count for node in loops(equations.stages) if isinstance(node, Repeat) and node.until == "settled"}
    assert counts == {199}


@pytest.mark.parametrize("share", [1.0, 0.125])
def test_laws_set_out_from_the_impulse_of_half_a_substep(share):
    """A law's segments lie within what acts in the half, and so has the place that its way begins from."""
    by_name = {stage.name(): stage for stage in stages(Equations(gw.loads(STICKING), integrator="midpoint").stages)}
    slots = {"velocity": np.zeros(2), "impulse": np.array([0.1, -0.1])}  # of a whole step
    slots["share_of_step"] = np.array([share])
    run([by_name["set_out_middle"]], slots)
    assert slots["way"] == pytest.approx([-0.05 * share, 0.05 * share], rel=1e-15)
