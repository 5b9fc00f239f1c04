"""The recursions: inverse dynamics, mass matrix, energies, momentum.

Featherstone, "Rigid Body Dynamics Algorithms" (RBDA), ch. 5 and 6, with accelerations by Khalil's field U (Khalil and
Dombre, "Modeling, Identification and Control of Robots", §9.5). Lists run over bodies; coordinates are the tree's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import Scalar, is_zero
from gearwright.dynamics.algebra.sparse import Matrix, Sparse, accumulate
from gearwright.dynamics.algebra.spatial import NO_FORCE, STILL, ZERO, Field, Force, Mass, Vector
from gearwright.dynamics.tree.bodies import GROUND, any_weightless
from gearwright.dynamics.tree.kinematics import Configuration, velocities


def inverse_dynamics(at: Configuration, v: list[Scalar], vd: list[Scalar]) -> list[Scalar]:
    """RNEA: τ for the accelerations vd, gravity included, armature not (RBDA table 5.1)."""
    F = body_forces(at, v, vd)
    tau: list[Scalar] = [0.0] * len(v)
    for i, b in reversed([*enumerate(at.system.bodies)]):
        for s, k in zip(at.S[i], b.velocities, strict=True):
            tau[k] = s.dot(F[i])
        if b.parent != GROUND:
            F[b.parent] = F[b.parent] + at.X[i].force(F[i])
    return tau


def body_forces(at: Configuration, v: list[Scalar], vd: list[Scalar]) -> list[Force]:
    """Inertial force of each body, the ground accelerating upwards in gravity's stead."""
    moving = zip(at.system.bodies, accelerations(at, v, vd, -at.system.gravity), strict=True)
    F = [b.mass.force(a.linear, Field.of(a.omega, a.alpha)) for b, a in moving]
    return [f + lift for f, lift in zip(F, gravity_exemption(at), strict=True)] if any_weightless(at.system) else F


class Acceleration(NamedTuple):
    """A body's, in its own axes, at its origin; with the angular velocity that its points need, too."""

    omega: Vector
    alpha: Vector
    linear: Vector


def accelerations(at: Configuration, v: list[Scalar], vd: list[Scalar], ground: Vector = ZERO) -> list[Acceleration]:
    """Accelerations of all bodies; the ground accelerates as given."""
    found: list[Acceleration] = []
    U: list[Field] = []
    for i, b in enumerate(at.system.bodies):
        P, U_P = (Acceleration(ZERO, ZERO, ground), STILL) if b.parent == GROUND else (found[b.parent], U[b.parent])
        R, r = at.X[i].R, at.X[i].r
        V, A = at.relative(i, v), at.relative(i, vd)
        w = R.undo(P.omega)
        omega = w + V.angular
        alpha = R.undo(P.alpha) + w.cross(V.angular) + A.angular
        found.append(Acceleration(omega, alpha, R.undo(P.linear + U_P.at(r)) + w.cross(V.linear * 2.0) + A.linear))
        U.append(Field.of(omega, alpha))
    return found


def gravity_exemption(at: Configuration) -> list[Force]:
    """Takes the upward acceleration of the ground off masses on which gravity does not act."""
    g: list[Vector] = []
    F: list[Force] = []
    for i, b in enumerate(at.system.bodies):
        g.append(at.X[i].R.undo(at.system.gravity if b.parent == GROUND else g[b.parent]))
        F.append(Force(b.weightless.h.cross(g[i]), g[i] * b.weightless.m))
    return F


def mass_matrix(at: Configuration, G: Sequence[Sparse]) -> Matrix:
    """CRBA: `Gᵀ·M·G` without armature (RBDA table 6.2); G's rows are the tree's coordinates, the identity for M itself.

    Columns are combined by G as soon as they meet: a follower's forces join its leader's at the first body that
    carries both, and one column goes on from there (two opposite fingers cancel at the palm).
    """
    M: Matrix = {}
    bodies = at.system.bodies
    composite = [b.mass for b in bodies]
    columns: list[dict[int, Force]] = [{} for _ in bodies]  # forces for unit accelerations of what hangs behind
    for i, b in reversed([*enumerate(bodies)]):
        unit_accelerations(at, i, G, M, composite, columns)
        if b.parent != GROUND:
            propagate_to_parent(at, i, composite, columns)
    return {entry: value for entry, value in M.items() if not is_zero(value)}


def unit_accelerations(
    at: Configuration,
    i: int,
    G: Sequence[Sparse],
    M: Matrix,
    composite: Sequence[Mass],
    columns: list[dict[int, Force]],
) -> None:
    """Adds body i's freedoms: their entries of M, and their columns."""
    own = [(k, s, composite[i].momentum(s)) for s, k in zip(at.S[i], at.system.bodies[i].velocities, strict=True)]
    for n, (k, s, _) in enumerate(own):
        for u, F in columns[i].items():
            accumulate(M, G[k], {u: s.dot(F)})
        for j, _, F in own[: n + 1]:
            accumulate(M, G[k], {u: g * s.dot(F) for u, g in G[j].items()}, twice=j != k)
    for k, _, F in own:
        for u, g in G[k].items():
            columns[i][u] = columns[i].get(u, NO_FORCE) + F * g


def propagate_to_parent(at: Configuration, i: int, composite: list[Mass], columns: list[dict[int, Force]]) -> None:
    """Adds body i's composite mass and columns to its parent's."""
    parent = at.system.bodies[i].parent
    composite[parent] = composite[parent] + at.X[i].mass(composite[i])
    for u, F in columns[i].items():
        F_P = columns[parent].get(u, NO_FORCE) + at.X[i].force(F)
        columns[parent][u] = F_P
        if F_P.zero:
            del columns[parent][u]


def kinetic_energy(at: Configuration, v: list[Scalar]) -> Scalar:
    """`Σ V·I·V/2` over bodies, and what the armatures store."""
    T: Scalar = 0.0
    for b, V in zip(at.system.bodies, velocities(at, v), strict=True):
        T = T + V.dot(b.mass.momentum(V))
    for armature, x in zip(at.system.axes.armature, v, strict=True):
        T = T + armature * (x * x)
    return 0.5 * T


def potential_energy(at: Configuration, q: list[Scalar]) -> Scalar:
    """That of gravity, and what the springs store."""
    V, axes = gravity_energy(at), at.system.axes
    for k, q0, i in zip(axes.stiffness, axes.reference, at.system.spring_positions, strict=True):
        if not is_zero(k):
            V = V + 0.5 * (k * ((q[i] - q0) * (q[i] - q0)))
    return V


def gravity_energy(at: Configuration) -> Scalar:
    """`−g·∫r dm`, zero at the world's origin."""
    first = [Mass(b.mass.m, b.mass.h) + Mass(-b.weightless.m, -b.weightless.h) for b in at.system.bodies]
    world = at.system.ground
    for i, b in reversed([*enumerate(at.system.bodies)]):
        moved = Mass(first[i].m, at.X[i].R.apply(first[i].h) + at.X[i].r * first[i].m)
        if b.parent == GROUND:
            world = world + moved
        else:
            first[b.parent] = first[b.parent] + moved
    return -(at.system.gravity @ world.h)


def momentum(at: Configuration, v: list[Scalar]) -> Force:
    """Momentum of the whole tree, about the world's origin, in the world's axes."""
    P = [b.mass.momentum(V) for b, V in zip(at.system.bodies, velocities(at, v), strict=True)]
    world = NO_FORCE
    for i, b in reversed([*enumerate(at.system.bodies)]):
        moved = at.X[i].force(P[i])
        if b.parent == GROUND:
            world = world + moved
        else:
            P[b.parent] = P[b.parent] + moved
    return world
