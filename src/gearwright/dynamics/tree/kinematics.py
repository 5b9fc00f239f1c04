"""Where the bodies are, how they move, and where the links of the file are on them."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.dynamics.algebra.rotation import Rows, Transform, composed
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.spatial import REST, UNIT, ZERO, Motion, Vector
from gearwright.dynamics.tree.bodies import GROUND, Bodies


@dataclass
class Configuration:
    """The position-dependent quantities that every algorithm shares: X_PB and S of each body."""

    system: Bodies
    X: list[Transform]
    S: list[tuple[Motion, ...]]

    @staticmethod
    def at(system: Bodies, q: list[Scalar]) -> Configuration:
        X = [b.transform(q) for b in system.bodies]
        S = [b.freedom.subspace([q[i] for i in b.positions]) for b in system.bodies]
        return Configuration(system, X, S)

    def relative(self, i: int, v: list[Scalar]) -> Motion:
        """S·v: how body i moves against its parent."""
        V = REST
        for s, k in zip(self.S[i], self.system.bodies[i].velocities, strict=True):
            V = V + s * v[k]
        return V


def velocities(at: Configuration, v: list[Scalar]) -> list[Motion]:
    """V of every body, in its own axes, at its origin."""
    V: list[Motion] = []
    for i, b in enumerate(at.system.bodies):
        carried = REST if b.parent == GROUND else at.X[i].velocity(V[b.parent])
        V.append(carried + at.relative(i, v))
    return V


def body_poses(at: Configuration) -> list[tuple[Rows, Vector]]:
    """X_WB of every body."""
    poses: list[tuple[Rows, Vector]] = []
    for i, b in enumerate(at.system.bodies):
        rows, p = poses[b.parent] if b.parent != GROUND else (UNIT, ZERO)
        poses.append(composed(rows, p, at.X[i].R, at.X[i].r))
    return poses


def link_poses(at: Configuration) -> dict[str, tuple[Rows, Vector]]:
    """X_WL of every link: the rows of its rotation, and its origin."""
    bodies = body_poses(at)
    poses = {}
    for name, (body, place) in at.system.links.items():
        rows, p = bodies[body] if body != GROUND else (UNIT, ZERO)
        poses[name] = composed(rows, p, place.rotation, place.p)
    return poses
