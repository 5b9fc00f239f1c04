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


def test_pieces_may_switch_two_hundred_times_in_a_phase():
    """Rows that depend on each other take many; more than so many, and the step is made in parts."""
    equations = Equations(gw.loads(STICKING), integrator="midpoint")
    assert {loop.count for loop in loops(equations.stages) if loop.until == "settled"} == {200}
