"""When sweeps of PGS end: stage by stage on a pendulum whose joints stick, against the changes it should end at."""

import numpy as np

import gearwright as gw
from gearwright.dynamics import Equations
from gearwright.dynamics.steps.builder import Repeat, Unless
from gearwright.dynamics.steps.sweep import EPS, TOLERANCE
from tests.dynamics.stepping import run, started
from tests.sim.robots import DOUBLE_PENDULUM

STICKING = DOUBLE_PENDULUM.replace("<axis xyz='0 1 0'/>", "<axis xyz='0 1 0'/><dynamics friction='100'/>")


def stages(body):
    for node in body:
        yield from stages(node.body) if isinstance(node, Repeat | Unless) else [node]


def test_sweeps_end_where_one_changes_velocities_by_a_hundredth_of_the_tolerance():
    """1e-12 rad/s in double precision: the last sweep is below it, the one before is not."""
    equations = Equations(gw.loads(STICKING), solver="pgs")
    slots = started(equations, [0.5, 0.3], [0.0, 0.0])
    own = np.diag(np.linalg.inv(np.array(equations.observer("mass_matrix")(slots["position"], []))))
    by_name = {stage.name(): stage for stage in stages(equations.stages)}
    run([by_name["predict"], by_name["respond"]], slots)
    changes = []
    while not slots["swept"][0]:
        before = slots["swept_impulse"]
        run([by_name["sweep"]], slots)
        changes.append(float(own @ np.abs(slots["swept_impulse"] - before)))
    assert changes[-1] <= 1e-12 < changes[-2]
    assert changes[-1] < 0.9 * changes[-2]  # they fall by the same share each time


def test_rounding_and_tolerances_of_the_two_precisions():
    """A velocity to ten digits, or to what single precision has."""
    assert {"double": np.finfo(np.float64).eps, "single": np.finfo(np.float32).eps} == EPS
    assert TOLERANCE == {"double": 1e-10, "single": 1e-5}
