"""Springs by frequency and damping ratio: the poles of a step against exp(s·dt), and where they are not resolved."""

import numpy as np
import pytest

from gearwright.dynamics.constraints.compliant_springs import (
    LEAST_SLOPE,
    RESOLVED,
    RESOLVED_TOGETHER,
    Spring,
    first_half,
    second_half,
    whole_step,
)

DT = 0.01


def step_matrix(spring, share=1.0):
    """(x, v) → (x⁺, v⁺) of a unit mass, of which the spring feels a share of the response that it is made for."""
    a, b = first_half(spring, DT), second_half(spring, DT)
    columns = []
    for x, v in ((1.0, 0.0), (0.0, 1.0)):
        w = (v - share * a.stretch * x) / (1.0 + share * a.rate)
        end = x + DT * w
        columns.append((end, (w - share * (b.stretch * end + b.mean * w)) / (1.0 + share * b.rate)))
    return np.array(columns).T


def poles(spring):
    mu, zeta = spring.mu, spring.zeta
    s = mu * (-zeta + np.sqrt(complex(zeta**2 - 1.0)) * np.array([1.0, -1.0]))
    return np.sort_complex(np.exp(s * DT))


@pytest.mark.parametrize("theta", [1e-3, 0.1, 0.5, 0.99 * RESOLVED])
@pytest.mark.parametrize("zeta", [0.0, 0.3, 0.999, 1.0, 1.001, 5.0])
def test_poles_are_exact_where_a_spring_is_resolved(theta, zeta):
    """LEAST_SLOPE is what the second half adds; at ζ = 1 poles are double, and its root is seen."""
    spring = Spring(theta / DT, zeta, theta / DT)
    found = np.sort_complex(np.linalg.eigvals(step_matrix(spring)))
    expected = poles(spring)
    assert np.abs(found.sum() - expected.sum()) < 4 * LEAST_SLOPE
    assert np.abs(found.prod() - expected.prod()) < 4 * LEAST_SLOPE
    apart = abs(expected[0] - expected[1])
    assert np.abs(found - expected).max() < 5 * LEAST_SLOPE / max(apart, LEAST_SLOPE**0.5)


def test_what_a_least_slope_costs():
    """An undamped spring loses a share of 1e-9 of its speed a step, and no more."""
    spring = Spring(0.5 / DT, 0.0, 0.5 / DT)
    assert 1.0 - abs(np.linalg.det(step_matrix(spring))) == pytest.approx(1e-9, rel=4e-7)  # found 8e-17


def test_beyond_a_sixth_of_a_period_a_spring_is_taken_at_the_end():
    """θ = 1 is where exact poles end; ten times further or less would show in the second half's slope."""
    for theta, resolved in ((0.9, True), (1.1, False)):
        spring = Spring(theta / DT, 0.2, theta / DT)
        assert spring.resolved(DT) == resolved
        assert (second_half(spring, DT).rate == LEAST_SLOPE) == resolved
    assert RESOLVED == 1.0


def test_springs_that_share_inertia_are_counted_together():
    """θ·Σθ up to 5, which is below the 6 at which a step of undamped springs would grow."""
    for together, resolved in ((5.4, True), (5.7, False)):
        assert Spring(0.9 / DT, 0.2, together / DT).resolved(DT) == resolved
    theta = 0.99
    at_edge = step_matrix(Spring(theta / DT, 0.0, theta / DT), share=RESOLVED_TOGETHER / theta**2)
    beyond = step_matrix(Spring(theta / DT, 0.0, theta / DT), share=1.4 * RESOLVED_TOGETHER / theta**2)
    assert np.abs(np.linalg.eigvals(at_edge)).max() <= 1.0 + 1e-7  # a double root: √eps
    assert np.abs(np.linalg.eigvals(beyond)).max() > 1.1


@pytest.mark.parametrize("theta", [1.5, 20.0, 1e4])
@pytest.mark.parametrize("zeta", [0.0, 0.3, 2.0])
@pytest.mark.parametrize("share", [1e-3, 0.5, 1.0])
def test_stiff_springs_are_stable(theta, zeta, share):
    spring = Spring(theta / DT, zeta, theta / DT)
    assert np.abs(np.linalg.eigvals(step_matrix(spring, share))).max() <= 1.0 + 1e-12


@pytest.mark.parametrize("theta", [1e-3, 0.5, 3.0])
def test_static_stiffness_is_exact(theta):
    """A constant push f stretches it to f/μ²: half of it comes in each half of a step."""
    spring, f = Spring(theta / DT, 0.7, theta / DT), 2.0
    x = f / spring.mu**2
    for half in (first_half, second_half):
        assert half(spring, DT).stretch * x == pytest.approx(DT / 2 * f, rel=1e-14)
    assert whole_step(spring, DT).stretch * x == pytest.approx(DT * f, rel=1e-14)
