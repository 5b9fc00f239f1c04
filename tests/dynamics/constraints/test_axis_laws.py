"""Stops of an axis in numbers: where they begin, how what is beyond them comes back, and which limits are none."""

from math import inf
from types import SimpleNamespace

import pytest

from gearwright.dynamics.constraints.axis_laws import friction_within, hard_range, way_back
from gearwright.dynamics.constraints.phases import FirstHalf, SecondHalf, WholeStep
from gearwright.dynamics.solve.laws import FAR
from gearwright.model import Limits

DT, UPPER = 1e-3, 0.5
ENDS = (-0.5, UPPER)


def moment(phase, eps=2.0**-52):
    return SimpleNamespace(phase=phase, eps=eps)


@pytest.mark.parametrize(
    ("beyond", "way"), [(0.5e-9, 0.0), (2e-9, 0.4e-9), (1e-3, 0.2e-3), (0.5, 1.0 * DT), (-0.1, 0.0)]
)
def test_what_is_beyond_a_stop_comes_back_by_a_fifth(beyond, way):
    """At no more than 1 rad/s, and not at all where it is rounding."""
    assert way_back(UPPER + beyond, ENDS, DT) == pytest.approx(-way, rel=5e-11)  # found 1e-17
    assert way_back(-0.5 - beyond, ENDS, DT) == pytest.approx(way, rel=5e-11)  # found 1e-17


@pytest.mark.parametrize(
    ("eps", "upper", "distance", "rate"),
    [
        (2.0**-52, UPPER, 5e-12, 0.0),
        (2.0**-52, UPPER, 2e-11, FAR),
        (2.0**-52, UPPER, -1e-3, 0.0),
        (2.0**-23, UPPER, 5e-7, 0.0),  # rounding of an angle that a loop has moved
        (2.0**-23, UPPER, 2e-6, FAR),
        (2.0**-23, 100.0, 5e-5, 0.0),
    ],
)
def test_where_positions_stand_still_only_what_is_on_its_stop_is_held(eps, upper, distance, rate):
    law = friction_within(moment(SecondHalf(DT, [1.0], [0.0]), eps), upper - distance, 0.0, (-inf, upper))
    assert law.vertices[-1].rate == rate


def test_the_first_half_may_go_to_its_stop_and_is_not_pushed_back():
    now = moment(FirstHalf(DT, [1.0]))
    for distance, rate in ((0.1, 0.1 / DT), (-0.1, 0.0)):
        law = friction_within(now, UPPER - distance, 0.0, (-inf, UPPER))
        assert law.vertices[-1].rate == pytest.approx(rate, rel=1e-12)


def test_limits_that_are_none():
    """Files write 1e16 for infinity; 1e14 m is a limit."""
    assert hard_range(Limits(lower=-1e16, upper=3e15)) == (-inf, inf)
    assert hard_range(Limits(lower=-3e14, upper=1e14)) == (-3e14, 1e14)


@pytest.mark.parametrize(("upper", "reachable"), [(UPPER, True), (9e5, True), (2e6, False)])
def test_stops_are_within_reach_in_a_step_that_moves(upper, reachable):
    """Those of a phase that leaves positions where they are come and go."""
    moving, still = (moment(phase) for phase in (WholeStep(DT), SecondHalf(DT, [1.0], [0.0])))
    assert friction_within(moving, 0.0, 0.3, (-inf, upper)).reachable == reachable
    assert not friction_within(still, 0.0, 0.3, (-inf, upper)).reachable
