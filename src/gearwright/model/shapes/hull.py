"""Convex hulls: the extreme points of a mesh, thinned to a number that a compiled step can look at one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.poses import Array, Vector3

MOST_VERTICES = 32
DIRECTIONS = 2000  # in which a hull's extent is compared with that of the whole mesh
SAME = 1e-9  # share of the mesh's size: vertices closer than this are one


@dataclass(frozen=True, kw_only=True, slots=True)
class Hull:
    """The convex hull of some points."""

    vertices: tuple[Vector3, ...]  # [m]
    uri: str = ""  # the mesh that it is made of
    error: float = 0.0  # how far the mesh reaches beyond it at most [m]

    def __post_init__(self) -> None:
        if not self.vertices:
            raise ModelError("a hull needs vertices")


def hull_of(points: Array, uri: str = "", most: int = MOST_VERTICES) -> Hull:
    """Points (n, 3) of a mesh [m]. The vertex with the largest error is added until there are enough."""
    if points.ndim != 2 or points.shape[1:] != (3,) or not len(points) or not np.isfinite(points).all():
        raise ModelError(f"the mesh {uri!r:.80} has no finite points")
    directions = fibonacci_sphere(DIRECTIONS)
    extremes = points[np.unique(np.concatenate([(points @ d).argmax(keepdims=True) for d in directions]))]
    reach = extremes @ directions.T  # (vertices, directions)
    farthest = reach.max(axis=0)
    size = float(np.ptp(points, axis=0).max())
    chosen = [int(reach[:, 0].argmax())]
    missed = farthest - reach[chosen[0]]
    while len(chosen) < min(most, len(extremes)) and missed.max() > SAME * max(size, 1.0e-6):
        chosen.append(int(reach[:, missed.argmax()].argmax()))
        missed = np.minimum(missed, farthest - reach[chosen[-1]])
    vertices = tuple((float(x), float(y), float(z)) for x, y, z in extremes[chosen])
    return Hull(vertices=vertices, uri=uri, error=float(max(missed.max(), 0.0)))


def fibonacci_sphere(n: int) -> Array:
    """n directions, spread evenly; the coordinate axes among them. (n + 6, 3)"""
    k = np.arange(n) + 0.5
    z, turn = 1 - 2 * k / n, np.pi * (1 + 5**0.5) * k
    r = np.sqrt(1 - z * z)
    around = np.column_stack([r * np.cos(turn), r * np.sin(turn), z])
    return np.concatenate([np.eye(3), -np.eye(3), around])
