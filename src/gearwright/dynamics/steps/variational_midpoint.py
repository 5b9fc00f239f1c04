"""The variational midpoint: one mean velocity w carries a step, and momentum is balanced at both of its ends.

With the discrete Lagrangian `dt·L(q̄, w)`, `q̄ = q ⊕ dt/2·w` and `q⁺ = q ⊕ dt·w`,

    p  = p̄ − dt/2·f        p⁺ = p̄ + dt/2·f        p̄ = ∂L/∂w, f = ∂L/∂q + τ, both at (q̄, w)

(Marsden and West, "Discrete mechanics and variational integrators", 2001). Second order; keeps momentum exactly and
energy within a band. Coordinates of a ball live on rotations, and their momentum in axes that turn along: with
x = dt/2·w and A the rotation by −x,

    A·p  = p* − dt/2·f     A⁻¹·p⁺ = p* + dt/2·f        p* = p̄ − k₁·x×(x×p̄) + dt/2·k₂·x×f

k₁ = (|x|/sin|x| − 1)/|x|², k₂ = tan(|x|/2)/|x|: the derivative of the exponential map, in closed form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import TINY, Scalar, sine_cosine, sqrt
from gearwright.dynamics.algebra.sparse import transposed
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.motion import Model
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.reduction import TreeState


class Balance(NamedTuple):
    """The middle of a step with mean velocity w, without what laws and rows add."""

    tree: TreeState  # at q̄, moving with w
    force: list[Scalar]  # f
    residual: list[Scalar]  # p̄ − dt/2·f − p, of balls in the middle's axes


def balance(
    model: Model, q: list[Scalar], p: list[Scalar], w: list[Scalar], effort: Sequence[Scalar], dt: Scalar
) -> Balance:
    half = 0.5 * dt
    tree, mean, f = model.lagrangian_gradient(State(model.advanced(q, w, half), w))
    f = [x + y for x, y in zip(f, transposed(tree.G, list(effort), model.dof), strict=True)]
    start = list(p)
    for _, three in model.balls:
        x = Vector(*(w[k] for k in three)) * half
        turned = _starred(x, _of(mean, three), _of(f, three) * half)
        _put(mean, three, turned)
        _put(start, three, rotate_inverse(x, _of(p, three)))
    rows = zip(mean, f, start, strict=True)
    return Balance(tree, f, [m - half * x - s for m, x, s in rows])


def momentum_after(
    model: Model, p: list[Scalar], w: list[Scalar], force: list[Scalar], impulse: list[Scalar], dt: Scalar
) -> list[Scalar]:
    """`p⁺ = p + dt·f + impulse`, of balls in the axes of the step's end."""
    kick = [dt * f + i for f, i in zip(force, impulse, strict=True)]
    after = [x + k for x, k in zip(p, kick, strict=True)]
    for _, three in model.balls:
        x = Vector(*(w[k] for k in three)) * (0.5 * dt)
        _put(after, three, rotate_inverse(x, rotate_inverse(x, _of(p, three)) + _of(kick, three)))
    return after


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


def _of(values: Sequence[Scalar], three: Sequence[int]) -> Vector:
    return Vector(*(values[k] for k in three))


def _put(values: list[Scalar], three: Sequence[int], new: Vector) -> None:
    for k, x in zip(three, new, strict=True):
        values[k] = x
