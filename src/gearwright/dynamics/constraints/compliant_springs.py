"""A damped spring by its natural frequency μ and damping ratio ζ, in the two halves of a midpoint's step.

Along its direction, per unit of mass, with θ = μ·h, a half gives the impulse `−(α·x + β·r + γ·w)`: x is the stretch at
its start, r the rate that it finds, w the mean rate of the first half. So a step is

    w = (v − α·x)/(1 + β)      x⁺ = x + h·w      v⁺ = (1 − γ)·w − α·x⁺

α = h/2·μ² makes the static stiffness exact. The step's matrix has the determinant (1 − γ)/(1 + β) and the trace
1 + (1 − γ)/(1 + β) − h²·μ²/(1 + β). With E = exp(−2·ζ·θ) and T the determinant and trace of the continuous motion,

    1/(1 + β) = g = (1 + E − T)/θ²        1 − γ = E/g

give the step the poles exp(s·h) themselves: frequency and damping ratio are those that were asked for. Where something
else holds an end, and the spring feels only a share 0 < ρ ≤ 1 of the response r that it is made for, the step is still
stable: its determinant is at most 1 since β + γ = (1 − E)/g ≥ 0, and `2 + ρ·(β − γ) > ρ·θ²/2`, linear in ρ, holds at
both ends. Springs that share inertia add up to a share ρ of at most Σμⱼ/μ (Gershgorin), and ρ·θ² < 6 is enough for any
ζ. Above θ = 1 or θ·Σθⱼ = 5 the motion is not resolved: stiff springs are taken at the end of the step
(`phases.implicit_share`).
"""

from __future__ import annotations

from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import TINY, Scalar, exp, maximum, sin, sinh, sqrt, where

RESOLVED = 1.0  # μ·h up to which the poles are exact: a sixth of a period
RESOLVED_TOGETHER = 5.0  # and μ·h·Σμⱼ·h, over all springs that share inertia: below 6, which is stable
LEAST_SLOPE = 1e-9  # a row needs one; what it costs is a share of 1e-9 of the speed in a step


class Impulse(NamedTuple):
    """`−(α·x + β·r + γ·w)`, per unit of mass."""

    stretch: Scalar  # α [1/s]
    rate: Scalar  # β
    mean: Scalar  # γ


class Spring(NamedTuple):
    """By natural frequency [rad/s] and damping ratio; `together`: Σμ of all that share inertia with it [rad/s]."""

    mu: Scalar
    zeta: Scalar
    together: Scalar

    def resolved(self, h: Scalar) -> Scalar:
        theta = self.mu * h
        return (theta <= RESOLVED) & (theta * (self.together * h) <= RESOLVED_TOGETHER)


def whole_step(spring: Spring, h: Scalar) -> Impulse:
    """Implicit at the end. ζ comes out too large by about μ·h/2."""
    mu, zeta, _ = spring
    stretch = h * (mu * mu)
    return Impulse(stretch, h * stretch + 2.0 * (zeta * (mu * h)), 0.0)


def first_half(spring: Spring, h: Scalar) -> Impulse:
    mu, zeta, _ = spring
    theta, span = mu * h, 0.5 * h
    g, _ = _poles(theta, zeta)
    share = _implicit_share(theta, zeta)
    stiff = 0.25 * (1.0 + share) * (theta * theta) + zeta * theta
    beta = where(spring.resolved(h), 1.0 / g - 1.0, stiff)
    return Impulse(span * (mu * mu), maximum(beta, LEAST_SLOPE), 0.0)


def second_half(spring: Spring, h: Scalar) -> Impulse:
    mu, zeta, _ = spring
    theta, span = mu * h, 0.5 * h
    g, E = _poles(theta, zeta)
    share = _implicit_share(theta, zeta)
    push, damper = 0.25 * (theta * theta), zeta * theta
    resolved = spring.resolved(h)
    beta = where(resolved, LEAST_SLOPE, share * (push + damper))
    gamma = where(resolved, 1.0 - E / g, (1.0 - share) * (damper - push))
    return Impulse(span * (mu * mu), beta, gamma)


def _poles(theta: Scalar, zeta: Scalar) -> tuple[Scalar, Scalar]:
    """g and E. `1 + E − T = (1 − z₁)·(1 − z₂)`, written without differences of nearly equal numbers."""
    theta = where(theta <= RESOLVED, theta, RESOLVED)  # beyond, only numbers that are finite
    a, square = zeta * theta, 1.0 - zeta * zeta
    b = theta * sqrt(abs(square) + TINY)  # has a derivative at ζ = 1, too
    decay, fast = exp(-a), a + b
    slow = (theta * theta) / fast
    half_a, half_b, half = (sinh(0.5 * _bounded(a)), sin(0.5 * b), sinh(0.5 * slow))
    ringing = 4.0 * decay * (half_a * half_a + half_b * half_b)
    creeping = (1.0 - exp(-fast)) * 2.0 * exp(-0.5 * slow) * half
    return where(square >= 0.0, ringing, creeping) / (theta * theta), decay * decay


def _bounded(a: Scalar) -> Scalar:
    """ζ·θ of a spring that rings is below 1; of another it is not asked for, and may be large."""
    return where(a <= RESOLVED, a, RESOLVED)


def _implicit_share(theta: Scalar, zeta: Scalar) -> Scalar:
    """`phases.implicit_share` for the response that the spring is made for: z = 2·ζ·θ + θ²."""
    z = theta * theta + 2.0 * (zeta * theta)
    return z / (1.0 + z)
