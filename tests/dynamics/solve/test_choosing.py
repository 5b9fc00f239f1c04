"""Which laws switch where several have left their segments."""

import numpy as np
import pytest

from gearwright.dynamics.solve.choosing import STARTED, Polyline, choose
from gearwright.dynamics.solve.laws import friction_and_stops
from gearwright.dynamics.solve.switching import Problem
from tests.dynamics.solve.bench import iterated
from tests.dynamics.solve.test_masked import lower

LAW = friction_and_stops(1.0, -2.0, 3.0)  # along it: on a stop up to −3, down to −1, stuck to 1, up to 4, on a stop


@pytest.mark.parametrize(
    ("segment", "new", "begun", "now", "lead"),
    [
        (0.0, 1.0, 0.5, 1.5, 0.5),
        (0.0, -1.0, 0.5, -2.5, 0.5),
        (0.0, 2.0, 0.0, 4.0, 0.75),  # the first vertex counts
        (1.0, 0.0, 2.0, 0.0, 0.5),
        (1.0, 2.0, 2.0, 5.0, 1 / 3),
        (2.0, 1.0, 8.0, 3.0, 0.2),
        (-1.0, -2.0, -2.0, -6.0, 0.75),
        (-2.0, -1.0, -4.0, -2.5, 1 / 3),
        (0.0, 1.0, 1.5, 1.5, 1.0),  # has begun beyond its segment
        (0.0, 1.0, 1.0, 1.0, 0.0),  # moves nowhere
    ],
)
def test_lead(segment, new, begun, now, lead):
    """The share of the way that lies beyond the end of the segment."""
    assert LAW.lead(segment, new, begun, now) == pytest.approx(lead, abs=1e-15)


def switched(places, progress=STARTED):
    """Laws that switch, where all are tried stuck and begin at 0: leads are 1 − 1/place."""
    laws = [Polyline({i: 1.0}, friction_and_stops(1.0, None, None)) for i in range(len(places))]
    found = [float(x > 1.0) for x in places]
    stuck = [0.0] * len(places)
    return [n for n, x in enumerate(choose(laws, stuck, found, places, stuck, progress).segments) if x]


def test_those_that_leave_first_switch():
    """By four fifths of the largest lead."""
    assert switched([10.0, 1.1, 4.0, 0.5, 3.0]) == [0, 2]  # leads of 0.9, 0.09, 0.75, none and 0.67


@pytest.mark.parametrize(("before", "expected"), [(4.0, [0, 1, 2]), (3.0, [0, 2])])
def test_all_switch_where_their_number_falls_fast(before, expected):
    """To three quarters of those that were wrong before."""
    assert switched([10.0, 1.1, 4.0], STARTED._replace(least=before, last=before)) == expected


def test_the_way_goes_on_where_the_first_left():
    law = [Polyline({i: 1.0}, friction_and_stops(1.0, None, None)) for i in range(2)]
    choice = choose(law, [0.0, 0.0], [1.0, 0.0], [4.0, 0.8], [0.0, 0.4], STARTED)
    assert choice.way == pytest.approx([1.0, 0.5], abs=1e-15)  # a quarter of it


def chain(n):
    """Rods of unit mass and length along a line, each on the one before: inertia, and the torques of their weight."""
    at = np.arange(n)
    arms = np.maximum(at[None] - at[:, None] + 0.5, 0.0)
    return arms @ arms.T + (n - np.maximum(at[:, None], at[None])) / 12, arms.sum(axis=1)


@pytest.mark.parametrize(("weight", "most"), [(1.1, 3), (1.5, 5), (3.0, 9)])
def test_a_stuck_chain_breaks_loose_at_one_joint(weight, most):
    """Many are overloaded, the first slides. All at once, it would take 5, 16 and 35 solutions (found now: 2, 4, 8)."""
    n = 80
    H, torque = chain(n)
    load = torque / torque[0]
    segments, progress, way = [0.0] * n, STARTED, (0.99 * load).tolist()
    laws = [Polyline({i: 1.0}, friction_and_stops(1.0, None, None)) for i in range(n)]
    problem = Problem(lower(H), (weight * load).tolist(), laws)
    for solutions in range(1, 50):  # noqa: B007
        found, (segments, progress, way) = iterated(problem, segments, progress, way)
        if found.settled:
            break
    assert found.settled
    assert [k for k, x in enumerate(segments) if x] == [0]
    assert solutions <= most


def test_laws_that_switch_together_are_no_reason_to_allow_more_rounding():
    laws = [Polyline({k: 1.0}, friction_and_stops(1.0, None, None)) for k in range(6)]
    progress = STARTED
    for _ in range(4):
        places = [3.0 + 0.1 * k for k in range(6)]
        progress = choose(laws, [0.0] * 6, [1.0] * 6, places, [0.0] * 6, progress).progress
    assert progress.tolerance == 1.0
