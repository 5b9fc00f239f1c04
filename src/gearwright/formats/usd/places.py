"""Where prims stand: the `xformOp`s of each, and of those around it, as 4×4 matrices that take points to the stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, radians, sin
from typing import NamedTuple

import numpy as np

from gearwright.errors import ModelError
from gearwright.formats.xml.located_xml import Element
from gearwright.model.poses import Array, Pose, Vector3

INVERT = "!invert!"
RESET = "!resetXformStack!"
SKEW = 1e-6  # cosine between axes above which a frame is not a rotation and a scale


class PrimFrame(NamedTuple):
    """A rotation, a translation, and a scale along the rotated axes."""

    X: Pose
    scale: Vector3


def local(prim: Element) -> tuple[Array, bool]:
    """The prim's matrix in its parent's frame; and whether it leaves the parents out."""
    matrix = np.eye(4)
    resets = False
    for operation in (prim.get("xformOpOrder") or "").split():
        if operation == RESET:
            matrix, resets = np.eye(4), True
            continue
        name = operation.removeprefix(INVERT)
        kind = name.removeprefix("xformOp:").partition(":")[0]
        make = OPERATIONS.get(kind)
        if make is None:
            prim.error("pose-invalid", f"xformOp {operation[:80]!r} is not known")
            continue
        values = prim.numbers(prim.get(name) or "", f"attribute {name}")
        if values is None:
            continue
        try:
            step = make(values)
            matrix = matrix @ (np.linalg.inv(step) if operation.startswith(INVERT) else step)
        except (ValueError, IndexError, ModelError, np.linalg.LinAlgError):
            prim.error("pose-invalid", f"attribute {name}: {len(values)} numbers are not a {kind}")
    return matrix, resets


def mirrors(prim: Element) -> Array:
    """Signs of the scale that a prim ends with: a matrix alone does not say which axis is mirrored."""
    if (prim.get("xformOpOrder") or "").split()[-1:] != ["xformOp:scale"]:
        return np.ones(3)
    scale = prim.numbers(prim.get("xformOp:scale") or "", "attribute xformOp:scale") or []
    return np.where(np.array(scale) < 0, -1.0, 1.0) if len(scale) == 3 else np.ones(3)


def framed(matrix: Array, signs: Array | None = None) -> PrimFrame | None:
    """The rotation and the scale in a matrix; None for one that shears or has no size."""
    axes = matrix[:3, :3]
    sizes = np.linalg.norm(axes, axis=0)
    if not np.isfinite(matrix).all() or not sizes.all():
        return None
    sizes = sizes if signs is None else sizes * signs
    R = axes / sizes
    if np.abs(R.T @ R - np.eye(3)).max() > SKEW:
        return None
    if np.linalg.det(R) < 0:  # mirrored: a mesh, at most
        R, sizes = -R, -sizes
    x, y, z = (float(np.sign(s)) if abs(abs(s) - 1.0) < 1e-12 else float(s) for s in sizes)
    return PrimFrame(Pose(R.copy(), matrix[:3, 3]), (x, y, z))


def _translation(v: Sequence[float]) -> Array:
    X = np.eye(4)
    X[:3, 3] = v[0], v[1], v[2]
    return X


def _scale(v: Sequence[float]) -> Array:
    return np.diag([v[0], v[1], v[2], 1.0])


def _orientation(v: Sequence[float]) -> Array:
    w, x, y, z = v
    return Pose.from_quaternion((0, 0, 0), (w, x, y, z)).matrix


def _transform(v: Sequence[float]) -> Array:
    """USD writes matrices for row vectors."""
    return np.array(v, dtype=float).reshape(4, 4).T


def _turn(axis: int, degrees: float) -> Array:
    c, s = cos(radians(degrees)), sin(radians(degrees))
    X = np.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    X[i, i] = X[j, j] = c
    X[j, i], X[i, j] = s, -s
    return X


def _turns(order: str) -> Callable[[Sequence[float]], Array]:
    """rotateXYZ turns about x first; the three angles are always those about x, y and z."""

    def made(v: Sequence[float]) -> Array:
        angles = dict(zip("XYZ", (v[0], v[1], v[2]), strict=True))
        first, second, third = (_turn("XYZ".index(c), angles[c]) for c in order)
        found: Array = third @ second @ first
        return found

    return made


def _one_turn(axis: int) -> Callable[[Sequence[float]], Array]:
    return lambda v: _turn(axis, v[0])


OPERATIONS: dict[str, Callable[[Sequence[float]], Array]] = {
    "translate": _translation,
    "scale": _scale,
    "orient": _orientation,
    "transform": _transform,
    **{f"rotate{c}": _one_turn("XYZ".index(c)) for c in "XYZ"},
    **{f"rotate{order}": _turns(order) for order in ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")},
}
