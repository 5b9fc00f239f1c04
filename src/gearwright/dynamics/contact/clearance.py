"""How far two shapes are apart, at least: by boxes around them, along the normals of the boxes' faces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.dynamics.algebra.scalar import Scalar, maximum_of, total
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.contact.frame import WorldFrame
from gearwright.dynamics.contact.planes import HalfSpace
from gearwright.model.contacts.pair import ContactPair, ContactSide
from gearwright.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Plane, Shape, Sphere
from gearwright.model.shapes.height_field import HeightField
from gearwright.model.shapes.hull import Hull


class BoundingBox(NamedTuple):
    """A box around a shape, in its frame: the middle, and half of each edge."""

    middle: Vector
    half: Vector

    @staticmethod
    def of(shape: Shape) -> BoundingBox:
        low, high = (np.asarray(end, float) for end in _extent(shape))
        return BoundingBox(Vector(*(0.5 * (low + high)).tolist()), Vector(*(0.5 * (high - low)).tolist()))


def _extent(shape: Shape) -> tuple[ArrayLike, ArrayLike]:
    """The lowest and the highest coordinates."""
    match shape:
        case Sphere():
            high = np.full(3, shape.radius)
        case Box():
            high = 0.5 * np.asarray(shape.size, float)
        case Capsule():
            high = np.array([shape.radius, shape.radius, 0.5 * shape.length + shape.radius])
        case Cylinder():
            high = np.array([shape.radius, shape.radius, 0.5 * shape.length])
        case Ellipsoid():
            high = np.asarray(shape.radii, float)
        case Hull():
            return np.min(shape.vertices, axis=0), np.max(shape.vertices, axis=0)
        case HeightField():
            across = 0.5 * np.asarray(shape.size, float)
            return [*-across, np.min(shape.heights)], [*across, np.max(shape.heights)]
        case _:
            raise TypeError(f"{type(shape).__name__} has no bounds")
    return -high, high


def reach(side: ContactSide) -> float:
    """How far the farthest point of a shape's box is from the origin of its link."""
    box = BoundingBox.of(side.shape)
    corner = np.abs(np.array(box.middle, float)) + np.array(box.half, float)
    return float(np.linalg.norm(side.pose.p) + np.linalg.norm(corner))


def clearance(pair: ContactPair, X_WA: WorldFrame, X_WB: WorldFrame) -> Scalar:
    """From the poses of the two *links*. Negative if the boxes may overlap."""
    A, B = X_WA.at(pair.a.pose), X_WB.at(pair.b.pose)
    if isinstance(pair.a.shape, Plane):
        return _above(pair.a.shape, A, pair.b.shape, B)
    if isinstance(pair.b.shape, Plane):
        return _above(pair.b.shape, B, pair.a.shape, A)
    a, b = BoundingBox.of(pair.a.shape), BoundingBox.of(pair.b.shape)
    d = A.point(a.middle) - B.point(b.middle)
    axes_a, axes_b = [A.axis(k) for k in range(3)], [B.axis(k) for k in range(3)]
    across = [[abs(x @ y) for y in axes_b] for x in axes_a]
    apart = [abs(d @ x) - h - _dot(b.half, row) for x, h, row in zip(axes_a, a.half, across, strict=True)]
    columns = zip(*across, strict=True)
    apart += [abs(d @ y) - h - _dot(a.half, column) for y, h, column in zip(axes_b, b.half, columns, strict=True)]
    return maximum_of(apart)


def _above(plane: Plane, P: WorldFrame, shape: Shape, X: WorldFrame) -> Scalar:
    below, box = HalfSpace.of(plane, P), BoundingBox.of(shape)
    extent = _dot(box.half, [abs(below.n @ X.axis(k)) for k in range(3)])
    return below.n @ (X.point(box.middle) - below.p) - extent


def _dot(h: Vector, along: Iterable[Scalar]) -> Scalar:
    return total(*(x * y for x, y in zip(h, along, strict=True)))
