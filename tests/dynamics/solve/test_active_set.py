"""Rows that hold, solved together: against NumPy, and left as they were where one would have to let go."""

import casadi
import numpy as np
import pytest
from casadi import SX

from gearwright.dynamics.solve.active_set import held, solve_active_set
from gearwright.dynamics.solve.floors import DOUBLE
from gearwright.dynamics.solve.sweeps import Responses
from tests.dynamics.solve.bench import random_matrices
from tests.dynamics.solve.test_sweeps import NONE, N, factors_of, row


def solved(rows, A, impulses, rates):
    """Conditions must be symbols here, which is how steps trace them."""
    n = len(rows)
    x, r = SX.sym("x", n), SX.sym("r", n)
    found = solve_active_set(rows, A, casadi.vertsplit(x), casadi.vertsplit(r), DOUBLE)
    return np.array(casadi.Function("f", [x, r], [casadi.vertcat(*found)])(impulses, rates)).ravel()


def test_what_sticks_is_an_equality(rng):
    """Three rows stick, one slides at its bound and one stands on its stop: rates as asked, to rounding."""
    (H,) = random_matrices(rng, 1, N)
    box = (-50.0, 50.0)
    rows = [row(np.eye(N)[k], box=box) for k in range(4)]
    rows.append(row(np.eye(N)[4], box=(-0.1, 0.1), low=0.25))
    A, exact = np.linalg.inv(H), np.array([1.0, -2.0, 3.0, 50.0, 4.0])
    u = np.array([0.0, 0.0, 0.0, -1.0, 0.25]) - A @ exact
    impulses = exact + np.array([0.1, -0.2, 0.1, 0.0, 0.3])  # as sweeps leave them
    rates = u + A @ impulses
    after = solved(rows, Responses.of(rows, factors_of(H), NONE, N), impulses, rates)
    new = u + A @ after
    assert new == pytest.approx([0.0, 0.0, 0.0, -1.0, 0.25], abs=1e-11)  # 1e-14 of responses of 1e3
    assert after[3] == 50.0


def test_as_they_were_where_one_would_let_go():
    rows = [row([1.0, 0.0], box=(-1.0, 1.0)), row([0.0, 1.0], box=(-9.0, 9.0))]
    A = Responses.of(rows, factors_of(np.eye(2)), NONE, 2)
    assert solved(rows, A, [0.5, 0.5], [-3.0, 0.1]) == pytest.approx([0.5, 0.5], abs=0)
    assert solved(rows, A, [0.5, 0.5], [-0.2, 0.1]) == pytest.approx([0.7, 0.4], abs=1e-15)


def test_a_row_of_stops_alone_holds_on_its_stops_only():
    stop = row([1.0], box=(0.0, 0.0), low=-1.0, high=2.0)
    assert [held(stop, impulse, 0.0) is None for impulse in (-1.0, 0.0, 1.0)] == [False, True, False]
    assert held(stop, 1.0, 0.5).wrong == 1.5
    assert held(row([1.0], box=(0.0, 0.0)), 1.0, 0.0) is None
