"""Rows over several coordinates: against the dense KKT system, and where rows depend on each other or move nothing."""

import numpy as np
import pytest

from gearwright.dynamics.solve.choosing import STARTED
from gearwright.dynamics.solve.floors import Floors
from gearwright.dynamics.solve.laws import friction_and_stops, saturated
from gearwright.dynamics.solve.rows import COMPLIANCE, Equality
from gearwright.dynamics.solve.switching import Problem
from gearwright.dynamics.solve.terms import Polyline
from tests.dynamics.solve import bench
from tests.dynamics.solve.bench import random_matrices
from tests.dynamics.solve.test_masked import lower

N = 6


def iterated(problem, count=60):
    segments, progress, way = [0.0] * len(problem.polylines), STARTED, [0.0] * len(problem.polylines)
    for _ in range(count):
        found, (segments, progress, way) = bench.iterated(problem, segments, progress, way)
        if found.settled:
            return found
    raise AssertionError("not settled")


def sparse(J):
    return {k: float(x) for k, x in enumerate(J)}


@pytest.mark.parametrize("cfm", [0.0, 0.3])
def test_equalities_are_the_dense_solution(cfm, rng):
    """`[H −Jᵀ; J cfm]·(u, λ) = (b, −bias)`. COMPLIANCE², which refinement leaves of hard rows, is below rounding."""
    for H in random_matrices(rng, 20, N):
        b, J, bias = rng.normal(size=N), rng.normal(size=(2, N)), rng.normal(size=2)
        rows = [Equality(sparse(r), x, cfm) for r, x in zip(J, bias.tolist(), strict=True)]
        found = Problem(lower(H), b.tolist(), (), rows).iterate([])
        kkt = np.block([[H, -J.T], [J, cfm * np.eye(2)]])
        expected = np.linalg.solve(kkt, np.r_[b, -bias])
        assert found.u == pytest.approx(expected[:N], abs=6e-13)
        assert found.equalities == pytest.approx(expected[N:], abs=5e-14)


def test_what_compliance_leaves_of_a_hard_row():
    """Two rows at an angle ε to each other ask for different rates: `E/ε²` of the difference is left, to the fourth
    power by three steps of refinement. One coordinate each of unit mass, so that E = COMPLIANCE."""
    angle = 1e-3
    rows = [Equality({0: 1.0, 1: 1.0}, -1.0), Equality({0: 1.0, 1: 1.0 + angle}, -1.0 - angle)]
    found = Problem({(0, 0): 1.0, (1, 1): 1.0}, [0.0, 0.0], (), rows).iterate([])
    missed = np.abs(np.array(found.u) - [0.0, 1.0]).max()
    share = COMPLIANCE / (angle**2 / 4)  # the smaller eigenvalue of S is ε²/4 of 2
    assert 0.1 * share**4 < missed < 3 * share**4
    assert missed < 1e-9


def test_a_row_that_moves_nothing_pushes_nothing():
    found = Problem({(0, 0): 2.0}, [1.0], (), [Equality({}, 5.0)]).iterate([])
    assert (found.u, found.equalities) == ([0.5], [0.0])


def test_rows_that_are_rounding_beside_their_group_are_silent():
    """Of a loop whose rows are of size 1, one of size √noise is rounding, and one of ten times that is not."""
    edge = Floors.of(2.0**-52).noise ** 0.5
    for size, silent in ((0.5 * edge, True), (10 * edge, False)):
        rows = [Equality({0: 1.0}, -1.0, 0.0, "loop"), Equality({1: size}, -size, 0.0, "loop")]
        found = Problem({(0, 0): 1.0, (1, 1): 1.0}, [0.0, 0.0], (), rows).iterate([])
        assert (found.equalities[1] == 0.0) == silent
        assert found.u[0] == pytest.approx(1.0, abs=1e-12)


def test_redundant_rows_share_their_impulse(rng):
    """The same row twice: velocities as with one, impulses that sum up to its."""
    (H,) = random_matrices(rng, 1, N)
    b, J = rng.normal(size=N), sparse(rng.normal(size=N))
    one = Problem(lower(H), b.tolist(), (), [Equality(J, 0.2)]).iterate([])
    two = Problem(lower(H), b.tolist(), (), [Equality(J, 0.2), Equality(J, 0.2)]).iterate([])
    assert two.u == pytest.approx(one.u, abs=2e-14)
    assert sum(two.equalities) == pytest.approx(one.equalities[0], rel=1e-14)


def test_friction_of_a_shaft_that_turns_two_axes():
    """Two unit masses, friction along their sum: below it nothing moves along the row, above it the rest does."""
    for push, rate in ((0.5, 0.0), (3.0, 2.0)):
        law = Polyline({0: 1.0, 1: 1.0}, friction_and_stops(1.0, None, None))
        found = iterated(Problem({(0, 0): 1.0, (1, 1): 1.0}, [push, 0.0], [law]))
        assert found.u[0] + found.u[1] == pytest.approx(push - 2 * min(1.0, push / 2), abs=1e-12), rate


def test_a_drive_of_a_sum_saturates():
    law = Polyline({0: 1.0, 1: 2.0}, saturated(10.0, 5.0, -1.0, 1.0))
    found = iterated(Problem({(0, 0): 1.0, (1, 1): 1.0}, [0.0, 0.0], [law]))
    assert found.u == pytest.approx([1.0, 2.0], abs=1e-13)
    assert found.impulses == pytest.approx([1.0], abs=1e-13)
