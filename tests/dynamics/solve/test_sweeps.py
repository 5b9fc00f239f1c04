"""Rows one by one: elimination and responses against NumPy, what a sweep leaves, and when a warm start is accepted."""

import casadi
import numpy as np
import pytest

from gearwright.dynamics.algebra.factorise import factorise
from gearwright.dynamics.solve.sweep_rows import Baumgarte, Resonant, Row, SpringDamper
from gearwright.dynamics.solve.sweeps import (
    STOP_LEAKAGE,
    Elimination,
    Resolved,
    Responses,
    jacobian_transpose,
    projected,
    resolved,
    satisfied,
    started,
    sweep,
)
from tests.dynamics.solve.bench import random_matrices
from tests.dynamics.solve.test_masked import lower

N, DT, TOLERANCE = 5, 1e-2, 1e-10
NONE = Elimination([], [], factorise({}, 0))


def row(J, bias=0.0, cfm=0.0, box=None, low=None, high=None):
    sparse = {k: float(x) for k, x in enumerate(J)}
    return Resolved(sparse, float(bias), float(cfm), 0.2, box, low, high, None)


def factors_of(H):
    return factorise(lower(H), len(H))


@pytest.mark.parametrize(
    ("softness", "erp", "cfm"),
    [
        (Baumgarte(0.2), 0.2, 0.0),
        (SpringDamper(50.0, 3.0), 0.5 / 3.5, 1 / (DT * 3.5)),
        (Resonant(40.0, 0.3), 0.4 / (0.4 + 0.6), None),
    ],
)
def test_softness(softness, erp, cfm, rng):
    """`cfm = 1/(dt·(dt·kp + kd))`, `erp = dt·kp/(dt·kp + kd)`; by frequency `kp = μ²/r`, `kd = 2·μ·ζ/r`."""
    (H,) = random_matrices(rng, 1, N)
    J = dict(enumerate(rng.normal(size=N).tolist()))
    G = [{k: 1.0} for k in range(N)]
    (found,) = resolved([Row(J=J, error=0.7, rate=0.1, softness=softness)], G, factors_of(H), N, DT)
    dense = np.array(list(J.values()))
    r = dense @ np.linalg.solve(H, dense)
    assert found.erp == pytest.approx(erp, rel=1e-14)
    assert found.cfm == pytest.approx(r / (DT * (DT * 40.0**2 + 24.0)) if cfm is None else cfm, rel=1e-13)
    assert found.bias == pytest.approx(erp * 0.7 / DT - 0.1, rel=1e-14)


def test_equalities_are_eliminated_together(rng):
    """`λ = −(J·M⁻¹·Jᵀ + cfm)⁻¹·(J·u + b)`."""
    (H,) = random_matrices(rng, 1, N)
    J, u, bias = rng.normal(size=(2, N)), rng.normal(size=N), rng.normal(size=2)
    rows = [row(J[k], bias[k], cfm=0.1 * k) for k in range(2)]
    eliminated = Elimination.of(rows, factors_of(H), N)
    impulses = eliminated.impulses(u.tolist())
    A = J @ np.linalg.solve(H, J.T) + np.diag([0.0, 0.1])
    assert impulses == pytest.approx(-np.linalg.solve(A, J @ u + bias), rel=1e-12)
    after = eliminated.answered(u.tolist(), impulses)
    assert J @ after + bias + [0.0, 0.1 * impulses[1]] == pytest.approx([0.0, 0.0], abs=1e-13)


def test_a_row_that_others_imply_is_not_counted_twice(rng):
    (H,) = random_matrices(rng, 1, N)
    J, u = rng.normal(size=N), rng.normal(size=N)
    rows = [row(J), row(2 * J)]
    eliminated = Elimination.of(rows, factors_of(H), N)
    impulses = eliminated.impulses(u.tolist())
    assert 0.0 in impulses
    assert J @ eliminated.answered(u.tolist(), impulses) == pytest.approx(0.0, abs=1e-13)


def test_responses_come_with_the_answer_of_equalities(rng):
    """`A = J·(M⁻¹ − Y·A_EE⁻¹·Yᵀ)·Jᵀ`."""
    (H,) = random_matrices(rng, 1, N)
    J, E = rng.normal(size=(3, N)), rng.normal(size=(1, N))
    rows = [row(x) for x in J]
    found = Responses.of(rows, factors_of(H), Elimination.of([row(E[0])], factors_of(H), N), N)
    M_inverse = np.linalg.inv(H)
    Y = M_inverse @ E.T
    A = J @ (M_inverse - Y @ np.linalg.inv(E @ Y) @ Y.T) @ J.T
    assert [found.A[i, j] for i in range(3) for j in range(i + 1)] == pytest.approx(A[np.tril_indices(3)], abs=1e-12)
    assert found.stiff == pytest.approx(1 / np.diag(A), rel=1e-12)


def swept(H, u, rows, count, tolerance=TOLERANCE):
    A = Responses.of(rows, factors_of(H), NONE, len(H))
    impulses, rates = [0.0] * len(rows), [r.rate(u.tolist()) for r in rows]
    for _ in range(count):
        impulses, rates, change = sweep(rows, A, impulses, rates, 1.0, tolerance)
    return impulses, rates, change


def test_sweeps_approach_friction_and_stops(rng):
    """Against projected Gauss–Seidel in NumPy: the same rows in the same order, sweep by sweep, to rounding."""
    box, low, high = (-0.4, 0.4), -0.3, 0.5
    for H in random_matrices(rng, 5, N):
        u, A, x = rng.normal(size=N) * 3, np.linalg.inv(H), np.zeros(N)
        rows = [row(np.eye(N)[k], box=box, low=low, high=high) for k in range(N)]
        impulses, rates, _ = swept(H, u, rows, 40, tolerance=0.0)
        for _ in range(40):
            for i in range(N):
                free = u[i] + A[i] @ x - A[i, i] * x[i]
                x[i] = np.clip(-free / A[i, i], *box)
                x[i] = np.clip(x[i], (low - free) / A[i, i], (high - free) / A[i, i])
        assert impulses == pytest.approx(x, rel=1e-11, abs=1e-11)
        assert rates == pytest.approx(u + A @ x, abs=1e-11)


def test_what_a_stop_lets_go_of():
    """A stop that takes STOP_LEAKAGE off a velocity is off by the tolerance: `impulse·tolerance/STOP_LEAKAGE`."""
    stop = row([1.0], box=(0.0, 0.0), low=0.0)
    tolerance = 1e-3
    impulses, rates, _ = swept(np.eye(1), np.array([-STOP_LEAKAGE]), [stop], 60, tolerance)
    assert impulses[0] == pytest.approx(100.0, rel=1e-4)
    assert rates[0] == pytest.approx(-tolerance, rel=1e-3)
    assert projected(stop, 100.0, 0.0, 1.0, 1.0, tolerance) == pytest.approx(100.0 - tolerance, rel=1e-9)


def test_a_warm_start_is_accepted_while_what_is_held_stays():
    """A held velocity may change by a tenth of the tolerance since the step's start; a row that slides may move."""
    held, before = row([1.0], box=(-1.0, 1.0)), 0.0
    for change, accepted in ((0.09, True), (0.11, False)):
        assert satisfied(held, 0.5, change * TOLERANCE, before, TOLERANCE) == accepted
    assert satisfied(held, -1.0, 0.3, before, TOLERANCE)
    assert not satisfied(held, 1.0, 0.3, before, TOLERANCE)


def test_a_warm_start_is_within_the_box_unless_a_stop_gave_it():
    box = (-1.0, 1.0)
    assert started(row([1.0], box=box), 3.0) == 1.0
    assert started(row([1.0], box=box, low=0.0), 3.0) == 3.0
    assert started(row([1.0], box=box, high=0.0), -3.0) == -3.0
    assert started(row([1.0]), 3.0) == 3.0


def test_what_has_done_does_not_change(rng):
    (H,) = random_matrices(rng, 1, N)
    rows = [row(np.eye(N)[k], box=(-0.4, 0.4)) for k in range(N)]
    A = Responses.of(rows, factors_of(H), NONE, N)
    impulses, rates, change = sweep(rows, A, [0.1] * N, [0.2] * N, casadi.SX(0), TOLERANCE)
    assert [float(casadi.evalf(casadi.SX(x))) for x in (*impulses, *rates)] == [0.1] * N + [0.2] * N
    assert float(casadi.evalf(casadi.SX(change))) == 0.0


def test_impulses_along_the_coordinates(rng):
    J, impulses = rng.normal(size=(3, N)), rng.normal(size=3)
    assert jacobian_transpose([row(x) for x in J], impulses.tolist(), N) == pytest.approx(J.T @ impulses, rel=1e-14)
