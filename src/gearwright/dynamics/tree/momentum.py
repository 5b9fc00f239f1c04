"""Generalised momentum and force of the Lagrangian, `p = ∂L/∂v` and `f = ∂L/∂q`, in one recursion each way.

With V the velocity of a body, P the momentum of all that it carries and W the weight of that, both about its origin,

    p = S·P          f = P·(V' × S) + S·W

where V' is the part of V that a displacement along S turns: what the parent brings along, and S·v itself where S turns
too. Of a ball, f is along small rotations in the axes of its velocities.
"""

from __future__ import annotations

from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.spatial import REST, Force, Mass, Motion, Vector
from gearwright.dynamics.tree.bodies import GROUND, any_weightless
from gearwright.dynamics.tree.joints import BallFreedom
from gearwright.dynamics.tree.kinematics import Configuration


class LagrangianGradient(NamedTuple):
    """Gradients of the Lagrangian, along the velocities of the tree."""

    p: list[Scalar]  # ∂L/∂v
    f: list[Scalar]  # ∂L/∂q


def lagrangian_gradient(at: Configuration, v: list[Scalar]) -> LagrangianGradient:
    """Without armature and springs."""
    bodies = at.system.bodies
    V, carried, P = _outward(at, v)
    first = [_heavy(b.mass, b.weightless) if any_weightless(at.system) else b.mass for b in bodies]
    moments = [Mass(m.m, m.h) for m in first]
    g = _gravity(at)
    p: list[Scalar] = [0.0] * len(v)
    f: list[Scalar] = [0.0] * len(v)
    for i, b in reversed([*enumerate(bodies)]):
        turned = V[i] if isinstance(b.freedom, BallFreedom) and b.freedom.reversed else carried[i]
        W = Force(moments[i].h.cross(g[i]), g[i] * moments[i].m)
        for s, k in zip(at.S[i], b.velocities, strict=True):
            p[k] = s.dot(P[i])
            f[k] = turned.cross(s).dot(P[i]) + s.dot(W)
        if b.parent != GROUND:
            P[b.parent] = P[b.parent] + at.X[i].force(P[i])
            h = at.X[i].R.apply(moments[i].h) + at.X[i].r * moments[i].m
            moments[b.parent] = moments[b.parent] + Mass(moments[i].m, h)
    return LagrangianGradient(p, f)


def _outward(at: Configuration, v: list[Scalar]) -> tuple[list[Motion], list[Motion], list[Force]]:
    """By body: velocity, the part of it that its parent brings along, and momentum."""
    V: list[Motion] = []
    carried: list[Motion] = []
    for i, b in enumerate(at.system.bodies):
        carried.append(REST if b.parent == GROUND else at.X[i].velocity(V[b.parent]))
        V.append(carried[i] + at.relative(i, v))
    return V, carried, [b.mass.momentum(x) for b, x in zip(at.system.bodies, V, strict=True)]


def _gravity(at: Configuration) -> list[Vector]:
    """In the axes of each body."""
    g: list[Vector] = []
    for i, b in enumerate(at.system.bodies):
        g.append(at.X[i].R.undo(at.system.gravity if b.parent == GROUND else g[b.parent]))
    return g


def _heavy(mass: Mass, weightless: Mass) -> Mass:
    return Mass(mass.m, mass.h) + Mass(-weightless.m, -weightless.h)
