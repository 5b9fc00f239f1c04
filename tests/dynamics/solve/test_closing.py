"""The smallest move that takes errors off rows, and rows that others imply."""

import numpy as np

from gearwright.dynamics.algebra.factorise import factorise
from gearwright.dynamics.solve.closing import LeastMove, own_responses
from gearwright.dynamics.solve.floors import Floors

FLOORS = Floors(dependent=1e-13, noise=1e-24)


def made(J, M, E=None, floors=FLOORS, groups=None):
    rows = [{k: x for k, x in enumerate(row) if x} for row in J.tolist()]
    entries = {(i, j): M[i, j] for i in range(len(M)) for j in range(i + 1) if M[i, j]}
    E = [0.0] * len(rows) if E is None else E
    return LeastMove.of(rows, groups or ["loop"] * len(rows), factorise(entries, len(M)), E, floors)


def moved(least, errors):
    move = least.move(errors)
    return np.array([float(move[k]) for k in range(len(move))])


def test_the_move_closes_and_none_is_smaller(rng):
    """Against the minimum of δᵀ·M·δ/2 with J·δ = −C, by its KKT system in NumPy."""
    J, L = rng.normal(size=(3, 5)), rng.normal(size=(5, 5))
    M, C = L @ L.T + np.eye(5), rng.normal(size=3)
    kkt = np.block([[M, J.T], [J, np.zeros((3, 3))]])
    expected = np.linalg.solve(kkt, np.concatenate([np.zeros(5), -C]))[:5]
    np.testing.assert_allclose(moved(made(J, M), C.tolist()), expected, rtol=1e-10, atol=1e-12)


def test_compliances_leave_a_part_of_the_error(rng):
    J, M = rng.normal(size=(2, 4)), np.diag(rng.uniform(1.0, 2.0, 4))
    E, C = np.array([0.3, 0.0]), rng.normal(size=2)
    Y = np.linalg.solve(M, J.T)
    expected = -Y @ np.linalg.solve(J @ Y + np.diag(E), C)
    np.testing.assert_allclose(moved(made(J, M, E.tolist()), C.tolist()), expected, rtol=1e-10)
    np.testing.assert_allclose(own_responses([dict(enumerate(J[0].tolist()))], made(J, M).metric), [(J @ Y)[0, 0]])


def test_a_row_that_another_implies_has_no_impulse():
    J, M = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 3.0]]), np.eye(3)
    least = made(J, M)
    assert sorted(abs(float(x)) > 0 for x in least.impulses([1.0, 2.0, 3.0])) == [False, True, True]
    np.testing.assert_allclose(J @ moved(least, [1.0, 2.0, 3.0]), [-1.0, -2.0, -3.0])


def test_a_small_row_is_measured_by_the_largest_of_its_loop():
    """A share of 1e-2 of that is rounding; a row of another loop, or of none, is measured by itself."""
    J, M = np.diag([1.0, 100.0, 1.0, 1.0]), np.eye(4)
    least = made(J, M, floors=Floors(dependent=1e-3, noise=1e-2), groups=["a", "a", "b", None])
    assert [float(x) == 0.0 for x in least.impulses([1.0, 1.0, 1.0, 1.0])] == [True, False, False, False]
