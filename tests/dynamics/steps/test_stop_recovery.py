"""How far axes move that are brought back together, in numbers."""

import casadi
import pytest

from gearwright.dynamics.solve.floors import Floors
from gearwright.dynamics.steps.stop_recovery import Tie, Way, recovery_move

EQUAL = 1e-12  # rounding of a few products; found 2e-16


def moved(ways, ties, inverse):
    return [float(casadi.evalf(casadi.SX(x))) for x in recovery_move(ways, ties, inverse, Floors.of(2.0**-52))]


def test_an_axis_that_nothing_ties_moves_alone():
    assert moved([Way({1: 1.0}, 1e-3)], [], [5.0, 0.1, 2.0]) == pytest.approx([0.0, 1e-3, 0.0], rel=EQUAL)


@pytest.mark.parametrize("inverse", [[1.0, 1.0, 1.0], [1e-3, 1.0, 1e3], [1e2, 1.0, 1e-2]])
def test_a_chain_of_couplings_moves_by_its_ratios(inverse):
    """q1 = 300·q0, q2 = q1/2: whichever of them is heavy."""
    ties = [Tie({1: 1.0, 0: -300.0}, {}), Tie({2: 1.0, 1: -0.5}, {})]
    near = {"rel": 1e-7}  # eps over the axis's share of all inertia, 4e-9 at the least; found 1.3e-8
    assert moved([Way({2: 1.0}, 1e-3)], ties, inverse) == pytest.approx([1e-3 / 150, 2e-3, 1e-3], **near)
    assert moved([Way({0: 1.0}, 1e-6)], ties, inverse) == pytest.approx([1e-6, 3e-4, 1.5e-4], **near)


def test_several_axes_that_move_as_one_do_not_add_up():
    tie = Tie({1: 1.0, 0: -1.0}, {})
    both = [Way({0: 1.0}, -1e-3), Way({1: 1.0}, -1e-3)]
    assert moved(both, [tie], [1.0, 1.0]) == pytest.approx([-1e-3, -1e-3], rel=EQUAL)
    one = [Way({0: 1.0}, -1e-3), Way({1: 1.0}, 0.0)]  # the other one is within its range
    assert moved(one, [tie], [1.0, 1.0]) == pytest.approx([-1e-3, -1e-3], rel=EQUAL)


def test_parts_that_nothing_ties_do_not_know_of_each_other():
    ties = [Tie({1: 1.0, 0: -1.0}, {}), Tie({3: 1.0, 2: 2.0}, {})]
    ways = [Way({0: 1.0}, 1e-3), Way({3: 1.0}, 1e-5)]
    assert moved(ways, ties, [1.0] * 4) == pytest.approx([1e-3, 1e-3, -5e-6, 1e-5], rel=EQUAL)


def test_an_axis_that_rows_hold_stays_and_lets_others_go():
    ties = [Tie({0: 1.0, 1: 1.0}, {}), Tie({0: 1.0, 1: -1.0}, {})]
    assert moved([Way({0: 1.0}, 1e-3)], ties, [1.0, 1.0]) == [0.0, 0.0]
    ties = [Tie({0: 1.0}, {}), Tie({0: 1.0, 1: 1.0, 2: 1.0}, {})]
    ways = [Way({0: 1.0}, 1e-3), Way({1: 1.0}, 1e-4)]
    assert moved(ways, ties, [1.0] * 3) == pytest.approx([0.0, 1e-4, -1e-4], rel=EQUAL, abs=1e-18)


@pytest.mark.parametrize("slope", [1.0, 1e-3, 1e-9])
def test_at_the_end_of_its_reach_an_axis_moves_others_no_further_than_the_root_of_its_way(slope):
    """A row that turns: axis 0 moves by the slope times axis 1, which is 0 at a dead centre."""
    x, tie = 1e-3, Tie({0: 1.0, 1: -slope}, {0: 1.0, 1: 1.0})
    own, other = moved([Way({0: 1.0}, x)], [tie], [1.0, 1.0])
    assert 0.0 <= own <= x
    assert abs(other) <= x**0.5
    if slope == 1.0:
        assert own == pytest.approx(x, rel=0.01)
