"""The loop in which the direct step switches its laws."""

import gearwright as gw
from gearwright.dynamics import Equations
from gearwright.dynamics.steps.builder import Repeat
from tests.dynamics.steps.test_sweep import STICKING


def loops(body):
    for node in body:
        if isinstance(node, Repeat):
            yield node
            yield from loops(node.body)


def test_a_phase_may_have_two_hundred_solutions():
    """The first, and 199 after switches. Rows that depend on each other take many."""
    equations = Equations(gw.loads(STICKING), integrator="midpoint")
    assert {loop.count for loop in loops(equations.stages) if loop.until == "settled"} == {1, 199}
