"""Terms one by one: responses against NumPy, what a sweep leaves, and when a warm start is accepted."""

import casadi
import numpy as np
import pytest
from casadi import SX, Function

from gearwright.dynamics.algebra.factorise import factorise
from gearwright.dynamics.solve.curves import Curve, CurveRemainder
from gearwright.dynamics.solve.laws import friction_and_stops
from gearwright.dynamics.solve.rows import Equality
from gearwright.dynamics.solve.sweeps import Response, TermResponses, dot, jacobian_transpose, sweep
from gearwright.dynamics.solve.swept_laws import STOP_LEAKAGE
from gearwright.dynamics.solve.terms import Polyline
from tests.dynamics.solve.bench import random_matrices
from tests.dynamics.solve.test_masked import lower

N, TOLERANCE = 5, 1e-10
OWN = Response(1.0, 1.0, 1.0)


def sparse(J):
    return {k: float(x) for k, x in enumerate(J)}


def box(J, friction, low=None, high=None):
    return Polyline(sparse(J), friction_and_stops(friction, low, high))


def factors_of(H):
    return factorise(lower(H), len(H))


def test_responses(rng):
    (H,) = random_matrices(rng, 1, N)
    J = rng.normal(size=(3, N))
    found = TermResponses.of([Equality(sparse(x), cfm=0.5) for x in J], factors_of(H), N)
    A = J @ np.linalg.solve(H, J.T)
    assert [found.A[i, j] for i in range(3) for j in range(i + 1)] == pytest.approx(A[np.tril_indices(3)], abs=1e-12)
    assert [own.reciprocal for own in found.own] == pytest.approx(1 / np.diag(A), rel=1e-12)
    assert [own.soft for own in found.own] == pytest.approx(1 / (np.diag(A) + 0.5), rel=1e-12)


def swept(H, u, rows, count, tolerance=TOLERANCE):
    A = TermResponses.of(rows, factors_of(H), len(H))
    impulses, rates = [0.0] * len(rows), [dot(r.J, u.tolist()) for r in rows]
    for _ in range(count):
        impulses, rates, change = sweep(rows, A, impulses, rates, 1.0, tolerance)
    return impulses, rates, change


def test_sweeps_approach_friction_and_stops(rng):
    """Against projected Gauss–Seidel in NumPy: the same rows in the same order, sweep by sweep, to rounding."""
    f, low, high = 0.4, -0.3, 0.5
    for H in random_matrices(rng, 5, N):
        u, A, x = rng.normal(size=N) * 3, np.linalg.inv(H), np.zeros(N)
        rows = [box(np.eye(N)[k], f, low, high) for k in range(N)]
        impulses, rates, _ = swept(H, u, rows, 40, tolerance=0.0)
        for _ in range(40):
            for i in range(N):
                free = u[i] + A[i] @ x - A[i, i] * x[i]
                x[i] = np.clip(-free / A[i, i], -f, f)
                x[i] = np.clip(x[i], (low - free) / A[i, i], (high - free) / A[i, i])
        assert impulses == pytest.approx(x, rel=1e-12, abs=1e-12)
        assert rates == pytest.approx(u + A @ x, abs=1e-12)


def test_sweeps_solve_equalities(rng):
    """`λ = −(J·M⁻¹·Jᵀ + cfm)⁻¹·(J·u + b)`, geometrically."""
    (H,) = random_matrices(rng, 1, N)
    J, u, bias = rng.normal(size=(2, N)), rng.normal(size=N), rng.normal(size=2)
    rows = [Equality(sparse(J[k]), bias=float(bias[k]), cfm=0.1 * k) for k in range(2)]
    impulses, _, _ = swept(H, u, rows, 400)
    A = J @ np.linalg.solve(H, J.T) + np.diag([0.0, 0.1])
    assert impulses == pytest.approx(-np.linalg.solve(A, J @ u + bias), rel=2e-14)


def test_what_a_stop_lets_go_of():
    """A stop that takes STOP_LEAKAGE off a velocity is off by the tolerance: `impulse·tolerance/STOP_LEAKAGE`."""
    stop = box([1.0], 0.0, low=0.0)
    tolerance = 1e-3
    impulses, rates, _ = swept(np.eye(1), np.array([-STOP_LEAKAGE]), [stop], 60, tolerance)
    assert impulses[0] == pytest.approx(100.0, rel=4e-5)  # found 1e-3
    assert rates[0] == pytest.approx(-tolerance, rel=4e-5)  # found 1e-8
    assert stop.project(100.0, 0.0, OWN, tolerance) == pytest.approx(100.0 - tolerance, rel=1e-14)


def test_a_warm_start_is_accepted_while_what_is_held_stays():
    """A held velocity may change by a tenth of the tolerance since the step's start; a row that slides may move."""
    held, before = box([1.0], 1.0), 0.0
    for change, accepted in ((0.09, True), (0.11, False)):
        assert held.satisfied(0.5, change * TOLERANCE, before, TOLERANCE) == accepted
    assert held.satisfied(-1.0, 0.3, before, TOLERANCE)
    assert not held.satisfied(1.0, 0.3, before, TOLERANCE)


def test_a_warm_start_is_within_the_box_unless_a_stop_gave_it():
    assert box([1.0], 1.0).warm_start(3.0) == 1.0
    assert box([1.0], 1.0, low=0.0).warm_start(3.0) == 3.0
    assert box([1.0], 1.0, high=0.0).warm_start(-3.0) == -3.0
    assert Equality({0: 1.0}).warm_start(3.0) == 3.0


def test_errors_in_the_time_of_a_sweep():
    """After 2 of 5 sweeps with rate 1, an error has changed by 2/5·dt."""
    hard = Equality({0: 1.0}, bias=0.4, erp=0.2)  # C/dt = 2, of which 0.2 a step
    assert hard.moved_on(2.0, 2.0, 5).bias == pytest.approx(5 * 0.2 * (2 + 2 / 5), rel=1e-15)
    assert hard.undrifted().bias == 0.0 and Equality({0: 1.0}, bias=0.4).undrifted().bias == 0.4


def test_what_a_curve_bends_beside_its_line():
    """f = −r³, its line at r = 1 in the matrix: the remainder is found by Newton's method, and starts from none."""
    r, x = SX.sym("r"), SX.sym("x", 0)
    curve = Curve({0: 1.0}, Function("f", [r, x], [-(r**3), -3 * r**2]), [], 1)
    constant, slope = (float(casadi.evalf(SX(v))) for v in curve.line(1.0))
    assert (constant, slope) == (2.0, 3.0)
    row, mass, push = CurveRemainder(curve, constant, slope), 2.0, 7.0
    own = 1.0 / (mass + slope)
    rate, impulse = (push + constant) * own, row.warm_start(9.0)
    assert impulse == 0.0
    for _ in range(8):
        new = float(casadi.evalf(SX(row.project(impulse, rate, Response(own, 1 / own, 1 / own), TOLERANCE))))
        rate, impulse = rate + own * (new - impulse), new
    assert mass * rate + rate**3 == pytest.approx(push, rel=1e-14)  # 2·r + r³ = 7
    assert bool(casadi.evalf(SX(row.satisfied(impulse, rate, rate, TOLERANCE))))


def test_what_has_done_does_not_change(rng):
    (H,) = random_matrices(rng, 1, N)
    rows = [box(np.eye(N)[k], 0.4) for k in range(N)]
    A = TermResponses.of(rows, factors_of(H), N)
    impulses, rates, change = sweep(rows, A, [0.1] * N, [0.2] * N, casadi.SX(0), TOLERANCE)
    assert [float(casadi.evalf(casadi.SX(x))) for x in (*impulses, *rates)] == [0.1] * N + [0.2] * N
    assert float(casadi.evalf(casadi.SX(change))) == 0.0


def test_impulses_along_the_coordinates(rng):
    J, impulses = rng.normal(size=(3, N)), rng.normal(size=3)
    rows = [Equality(sparse(x)) for x in J]
    assert jacobian_transpose(rows, impulses.tolist(), N) == pytest.approx(J.T @ impulses, rel=1e-14)
