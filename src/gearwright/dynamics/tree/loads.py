"""Wrenches that act on links from outside, and the efforts along the tree's coordinates that they come to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.dynamics.algebra.rotation import composed, rotate_inverse
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.spatial import NO_FORCE, Force, Vector
from gearwright.dynamics.tree.bodies import GROUND
from gearwright.dynamics.tree.kinematics import Configuration, body_poses
from gearwright.errors import UnknownNameError
from gearwright.model import Mechanism


class Load(NamedTuple):
    """A force and a torque on one link, in the world's axes, at the link's origin."""

    link: str
    force: Vector  # [N]
    torque: Vector  # [N·m]


def load_efforts(at: Configuration, loads: Sequence[Load]) -> list[Scalar]:
    """`Jᵀ·w`, by one recursion from the leaves to the world."""
    F = [NO_FORCE for _ in at.system.bodies]
    poses = body_poses(at)
    for load in loads:
        body, place = at.system.links[load.link]
        if body == GROUND:
            continue
        rows, p = poses[body]
        _, origin = composed(rows, p, place.rotation, place.p)
        moment = load.torque + (origin - p).cross(load.force)
        F[body] = F[body] + Force(rotate_inverse(rows, moment), rotate_inverse(rows, load.force))
    tau: list[Scalar] = [0.0] * len(at.system.velocities)
    for i, b in reversed([*enumerate(at.system.bodies)]):
        if F[i].zero:
            continue
        for s, k in zip(at.S[i], b.velocities, strict=True):
            tau[k] = s.dot(F[i])
        if b.parent != GROUND:
            F[b.parent] = F[b.parent] + at.X[i].force(F[i])
    return tau


def loads_on(mechanism: Mechanism, links: Sequence[str], wrench: Sequence[Scalar]) -> tuple[Load, ...]:
    """One on each link; `wrench` has six numbers a link, the force first."""
    for link in links:
        if link not in mechanism.links:
            raise UnknownNameError("link", link, mechanism.links)
    each = (wrench[6 * i : 6 * i + 6] for i in range(len(links)))
    return tuple(Load(link, Vector(*w[:3]), Vector(*w[3:])) for link, w in zip(links, each, strict=True))
