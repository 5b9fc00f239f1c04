"""The variational midpoint: one mean velocity w carries a step, and momentum is balanced at both of its ends.

With the discrete Lagrangian `h·L(q̄, w)`, `q̄ = q ⊕ h/2·w` and `q⁺ = q ⊕ h·w`,

    p  = p̄ − h/2·f        p⁺ = p̄ + h/2·f        p̄ = ∂L/∂w, f = ∂L/∂q + τ, both at (q̄, w)

(Marsden and West, "Discrete mechanics and variational integrators", 2001). Second order; keeps momentum exactly and
energy within a band. Coordinates of a ball live on rotations, and their momentum in axes that turn along: with
x = h/2·w and A the rotation by −x,

    A·p  = p* − h/2·f     A⁻¹·p⁺ = p* + h/2·f        p* = p̄ − k₁·x×(x×p̄) + h/2·k₂·x×f

k₁ = (|x|/sin|x| − 1)/|x|², k₂ = tan(|x|/2)/|x|: the derivative of the exponential map, in closed form.

Constraints act where the step begins, and in its second half where it ends. Impulses i of the first half are therefore
in the axes of the start, `A·(p + i) = p* − h/2·f`, and the balance is taken in those: w is the same in both.

Free bases are balanced along their chords (`tree.chords`); p, w and the residual are along the base's own velocities.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.scalar import TINY, Scalar, sine_cosine, sqrt
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.motion import Model
from gearwright.dynamics.tree.chords import put_at, vector_at
from gearwright.dynamics.tree.coordinates import State


class Balance(NamedTuple):
    """The middle of a step with mean velocity w, without what laws and rows add."""

    force: Column  # f
    residual: Column  # p̄ − h/2·f − p, of balls in the axes of the step's start


def balance(
    model: Model, q: list[Scalar], p: list[Scalar], w: list[Scalar], effort: Sequence[Scalar], h: Scalar
) -> Balance:
    half, start = 0.5 * h, State(q, w)
    mean, f = model.chord_gradient(model.along_chords(start, half), effort)
    speeds = model.chord_velocities(start)
    before = mean - half * f
    for _, three in model.balls:
        x, kick = vector_at(speeds, three) * half, vector_at(f, three) * half
        put_at(before, three, rotate_inverse(-x, _starred(x, vector_at(mean, three), kick) - kick))
    return Balance(f, model.forces_of_chords(q, before) - p)


def momentum_after(
    model: Model, q: list[Scalar], p: list[Scalar], w: list[Scalar], q_after: list[Scalar],
    force: Column, impulse: Column, h: Scalar,
) -> Column:  # fmt: skip
    """`p⁺ = p + impulse + h·f`, of balls in the axes of the step's end."""
    start = model.chord_forces(q, p + impulse)
    speeds = model.chord_velocities(State(q, w))
    after = start + h * force
    for _, three in model.balls:
        x, kick = vector_at(speeds, three) * (0.5 * h), vector_at(force, three) * h
        put_at(after, three, rotate_inverse(x, rotate_inverse(x, vector_at(start, three)) + kick))
    return model.forces_of_chords(q_after, after)


def _starred(x: Vector, p: Vector, kick: Vector) -> Vector:
    r, s, c = _angle(x)
    k1 = (r / s - 1.0) / (r * r)
    k2 = s / ((1.0 + c) * r)
    turned: Vector = p - x.cross(x.cross(p)) * k1 + x.cross(kick) * k2
    return turned


def rotate_inverse(x: Vector, a: Vector) -> Vector:
    """a turned by the rotation vector −x (Rodrigues)."""
    r, s, c = _angle(x)
    turned: Vector = a * c - x.cross(a) * (s / r) + x * ((x @ a) * ((1.0 - c) / (r * r)))
    return turned


def _angle(x: Vector) -> tuple[Scalar, Scalar, Scalar]:
    """|x|, its sine and cosine; TINY keeps quotients finite at rest, where their numerators vanish."""
    r = sqrt(x @ x + TINY)
    return r, *sine_cosine(r)
