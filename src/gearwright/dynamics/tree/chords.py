"""The coordinates in which a free base goes straight within a step.

A step changes every coordinate by dt·w. What is straight in the coordinates of a light base is an arc for a heavy link
that it carries. The link resists with its whole mass, and the light base follows: its error grows with the ratio of the
masses. So a base moves such that the centre of mass of its heaviest body goes straight, and that the body with the
largest rotational inertia turns about a fixed axis. With x the slides of the base and ω the rate of its ball,

    Ẋ = ẋ + Dᵀ·ṙ        r: the centre of mass, from where the slides carry it; D: their directions
    Ω = Cᵀ·(ω + σ)      C, σ: orientation and angular velocity of the turning body relative to the base

replace ẋ and ω. Where V = A·v are these velocities, momenta are P = A⁻ᵀ·p, and forces A⁻ᵀ·(f − ∂(P·A·v)/∂q).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.spatial import REST, ZERO, Force, Motion, Vector
from gearwright.dynamics.tree.bodies import Bodies, Body
from gearwright.dynamics.tree.joints import (
    BallFreedom,
    quaternion_advanced,
    quaternion_conjugate,
    quaternion_normalised,
    quaternion_product,
)
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.model import Pose

Path = tuple[int, ...]  # bodies, each the parent of the next


class BaseSlide(NamedTuple):
    """A slide of the base."""

    position: int  # of the tree
    velocity: int
    direction: Vector  # in the ground's axes


@dataclass(frozen=True)
class Chord:
    """How one base moves in a step. Lists of scalars run over the velocities of the tree."""

    lines: tuple[BaseSlide, ...]
    centre: Path  # from the body on the slides to the heaviest one; empty where the base's own origin goes straight
    point: Vector  # the centre of mass in the axes of the last of these [m]
    turning: Path  # from the body after the ball to the one that turns about a fixed axis; empty where the base does
    ball: Body | None = None  # that turns freely on the slides, where `turning` is not empty

    def velocities(self, at: Configuration, v: Sequence[Scalar]) -> list[Scalar]:
        """A·v."""
        found = list(v)
        rate = self._centre_rate(at, v)
        for line in self.lines:
            found[line.velocity] = v[line.velocity] + line.direction @ rate
        if self.ball is not None:
            put_at(
                found, self.ball.velocities, self._inward(at, vector_at(v, self.ball.velocities)) + self._spin(at, v)
            )
        return found

    def kept(self, at: Configuration, v: Sequence[Scalar], later: Sequence[Scalar]) -> list[Scalar]:
        """Velocities of a later instant with the base's, along its chord, as they are with v."""
        found, V = list(later), self.velocities(at, v)
        for k in (*(line.velocity for line in self.lines), *(self.ball.velocities if self.ball else ())):
            found[k] = V[k]
        return found

    def base_velocities(self, at: Configuration, V: Sequence[Scalar]) -> list[Scalar]:
        """A⁻¹·V."""
        found = list(V)
        if self.ball is not None:
            put_at(
                found, self.ball.velocities, self._outward(at, vector_at(V, self.ball.velocities) - self._spin(at, V))
            )
        rate = self._centre_rate(at, found)
        for line in self.lines:
            found[line.velocity] = V[line.velocity] - line.direction @ rate
        return found

    def forces(self, at: Configuration, f: Sequence[Scalar]) -> list[Scalar]:
        """A⁻ᵀ·f; also of momenta."""
        found = list(f)
        for k, x in self._efforts(at, self.centre, self._at_centre(at, f)):
            found[k] = found[k] - x
        if self.ball is not None:
            moment = self._inward(at, vector_at(found, self.ball.velocities))
            for k, x in self._efforts(at, self.turning, Force(moment, ZERO)):
                found[k] = found[k] - x
            put_at(found, self.ball.velocities, moment)
        return found

    def base_forces(self, at: Configuration, F: Sequence[Scalar]) -> list[Scalar]:
        """Aᵀ·F; also of momenta."""
        found = list(F)
        if self.ball is not None:
            moment = vector_at(F, self.ball.velocities)
            for k, x in self._efforts(at, self.turning, Force(moment, ZERO)):
                found[k] = found[k] + x
            put_at(found, self.ball.velocities, self._outward(at, moment))
        for k, x in self._efforts(at, self.centre, self._at_centre(at, F)):
            found[k] = found[k] + x
        return found

    def gradient(
        self, at: Configuration, v: Sequence[Scalar], p: Sequence[Scalar], f: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Momenta and forces along V, from `p = ∂L/∂v` and `f = ∂L/∂q` along v."""
        P, left = self.forces(at, p), list(f)
        for k, x in self._turned(at, v, P):
            left[k] = left[k] - x
        return P, self.forces(at, left)

    def advance(
        self, at: Configuration, q: Sequence[Scalar], v: Sequence[Scalar], new: list[Scalar], dt: Scalar
    ) -> None:
        """Corrects the base's position where all coordinates have gone from q to `new` with v."""
        system, V = at.system, self.velocities(at, v)
        if self.ball is not None:
            turned = quaternion_product([q[i] for i in self.ball.positions], self._orientation(system, q))
            turned = quaternion_advanced(turned, vector_at(V, self.ball.velocities) * dt)
            turned = quaternion_product(turned, quaternion_conjugate(self._orientation(system, new)))
            put_at(new, self.ball.positions, quaternion_normalised(turned))
        moved = self._centre(at) - self._centre(Configuration.at(system, new))
        for i, k, direction in self.lines:
            new[i] = q[i] + (dt * V[k] + direction @ moved)

    # --- the centre of mass that goes straight ---------------------------------------------------------------------

    def _centre(self, at: Configuration) -> Vector:
        """r, in the ground's axes."""
        p = self.point
        for i in reversed(self.centre):
            p = at.X[i].point(p)
        return p

    def _centre_rate(self, at: Configuration, v: Sequence[Scalar]) -> Vector:
        """ṙ, in the ground's axes."""
        rate = _point_rate([*_motions(at, self.centre, v)][-1][1], self.point) if self.centre else ZERO
        for i in reversed(self.centre):
            rate = at.X[i].R.apply(rate)
        return rate

    def _at_centre(self, at: Configuration, f: Sequence[Scalar]) -> Force:
        """The force along the slides, as one that acts at the centre of mass: on the body, in its axes."""
        force = ZERO
        for line in self.lines:
            force = force + line.direction * f[line.velocity]
        for i in self.centre:
            force = at.X[i].R.undo(force)
        return Force(self.point.cross(force), force)

    # --- the body that turns about a fixed axis --------------------------------------------------------------------

    def _spin(self, at: Configuration, v: Sequence[Scalar]) -> Vector:
        """Cᵀ·σ."""
        return [*_motions(at, self.turning, v)][-1][1].angular

    def _inward(self, at: Configuration, a: Vector) -> Vector:
        """Cᵀ·a."""
        for i in self.turning:
            a = at.X[i].R.undo(a)
        return a

    def _outward(self, at: Configuration, a: Vector) -> Vector:
        """C·a."""
        for i in reversed(self.turning):
            a = at.X[i].R.apply(a)
        return a

    def _orientation(self, system: Bodies, q: Sequence[Scalar]) -> Sequence[Scalar]:
        """C, as a quaternion."""
        found: Sequence[Scalar] = (1.0, 0.0, 0.0, 0.0)
        for body in (system.bodies[i] for i in self.turning):
            found = quaternion_product(found, Pose(body.place.R, (0.0, 0.0, 0.0)).quaternion)
            found = quaternion_product(found, body.freedom.quaternion([q[i] for i in body.positions]))
        return found

    # --- along both paths ------------------------------------------------------------------------------------------

    def _efforts(self, at: Configuration, path: Path, F: Force) -> Iterator[tuple[int, Scalar]]:
        """Jᵀ·F of a force on the last body of a path, by velocity."""
        for i in reversed(path):
            for s, k in zip(at.S[i], at.system.bodies[i].velocities, strict=True):
                yield k, s.dot(F)
            F = at.X[i].force(F)

    def _turned(self, at: Configuration, v: Sequence[Scalar], P: Sequence[Scalar]) -> Iterator[tuple[int, Scalar]]:
        """∂(P·A·v)/∂q, by velocity. P is held in the ground's axes along Ẋ, and in the body's along Ω."""
        force = self._at_centre(at, P)
        moving = [*_motions(at, self.centre, v)]
        if moving:
            rate = _point_rate(moving[-1][1], self.point)
            yield from _slopes(at, self.centre, moving, force, rate.cross(force.linear))
        if self.ball is not None:
            ball = self.ball.velocities
            turning = [*_motions(at, self.turning, v, Motion(vector_at(v, ball), ZERO))]
            yield from _slopes(at, self.turning, turning, Force(vector_at(P, ball), ZERO), ZERO)


def _motions(at: Configuration, path: Path, v: Sequence[Scalar], V: Motion = REST) -> Iterator[tuple[Motion, Motion]]:
    """By body of a path: the velocity that its parent brings along, and its own; V: of what the path begins on."""
    for i in path:
        carried = at.X[i].velocity(V)
        V = carried + at.relative(i, list(v))
        yield carried, V


def _slopes(
    at: Configuration, path: Path, moving: Sequence[tuple[Motion, Motion]], P: Force, turning: Vector
) -> Iterator[tuple[int, Scalar]]:
    """`P·(V' × S) + S·turning` along a path, as in `momentum`; P and the moment act on its last body."""
    F = Force(turning, ZERO)
    for i, (carried, V) in zip(reversed(path), reversed(moving), strict=True):
        body = at.system.bodies[i]
        turned = V if isinstance(body.freedom, BallFreedom) and body.freedom.reversed else carried
        for s, k in zip(at.S[i], body.velocities, strict=True):
            yield k, turned.cross(s).dot(P) + s.dot(F)
        P, F = at.X[i].force(P), at.X[i].force(F)


def _point_rate(V: Motion, point: Vector) -> Vector:
    return V.linear + V.angular.cross(point)


def vector_at(values: Sequence[Scalar], places: Sequence[int]) -> Vector:
    return Vector(*(values[k] for k in places))


def put_at(values: list[Scalar], places: Sequence[int], new: Sequence[Scalar]) -> None:
    for k, x in zip(places, new, strict=True):
        values[k] = x
