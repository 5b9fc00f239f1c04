"""How links move: velocities, accelerations and the screws of the axes that carry them, in the world's axes."""

from __future__ import annotations

from typing import NamedTuple

from gearwright.dynamics.algebra.rotation import Rows, composed, rotate
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.spatial import REST, UNIT, ZERO, Field, Motion, Vector
from gearwright.dynamics.tree.algorithms import accelerations
from gearwright.dynamics.tree.bodies import GROUND
from gearwright.dynamics.tree.kinematics import Configuration, body_poses, velocities


class LinkMotion(NamedTuple):
    """A link at one instant, in the world's axes; linear quantities are those of its origin."""

    rows: Rows  # of its rotation matrix
    origin: Vector
    velocity: Motion
    acceleration: Motion


def link_motions(at: Configuration, v: list[Scalar], vd: list[Scalar]) -> dict[str, LinkMotion]:
    """By link."""
    poses, V, A = body_poses(at), velocities(at, v), accelerations(at, v, vd)
    found = {}
    for name, (body, place) in at.system.links.items():
        if body == GROUND:
            rows, p = composed(UNIT, ZERO, place.rotation, place.p)
            found[name] = LinkMotion(rows, p, REST, REST)
            continue
        R, _ = poses[body]
        rows, p = composed(*poses[body], place.rotation, place.p)
        linear = rotate(R, V[body].linear + V[body].angular.cross(place.p))
        a = rotate(R, A[body].linear + Field.of(A[body].omega, A[body].alpha).at(place.p))
        found[name] = LinkMotion(
            rows, p, Motion(rotate(R, V[body].angular), linear), Motion(rotate(R, A[body].alpha), a)
        )
    return found


def coordinate_screws(at: Configuration) -> list[tuple[Motion, Vector]]:
    """By velocity of the tree: the motion of what it carries for a unit of it, at a point on the axis' body.

    A point r of what it carries moves with `linear + angular × (r − point)`.
    """
    found: list[tuple[Motion, Vector]] = [(REST, ZERO)] * len(at.system.velocities)
    for i, (b, (rows, p)) in enumerate(zip(at.system.bodies, body_poses(at), strict=True)):
        for s, k in zip(at.S[i], b.velocities, strict=True):
            found[k] = (Motion(rotate(rows, s.angular), rotate(rows, s.linear)), p)
    return found
