"""Positions and orientations: a quaternion, or one of its four alternatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import atan2, hypot

import numpy as np

from gearwright.errors import ModelError
from gearwright.formats.mjcf.compiler import Compiler
from gearwright.formats.mjcf.values import exactly, vector
from gearwright.formats.xml.located_xml import Element
from gearwright.given_numbers import FARTHEST
from gearwright.model.poses import IDENTITY, Array, Pose, rotation_about, rotation_quaternion

SHORTEST = 1e-14  # of a direction [1]
PARALLEL = 1e-10  # sine of an angle below which a direction counts as along z
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def pose(e: Element, compiler: Compiler) -> Pose:
    """`pos`, and one of the ways to write an orientation."""
    p, R = vector(e, "pos"), orientation(e, compiler)
    if max(map(abs, p)) > FARTHEST:
        e.error("pose-invalid", f"attribute pos: a coordinate exceeds the limit of {FARTHEST:g} m")
        return IDENTITY
    return IDENTITY if R is IDENTITY.R and not any(p) else Pose(R, p)


def orientation(e: Element, compiler: Compiler) -> Array:
    """The rotation that an element writes. Beside an alternative, a quaternion has no effect."""
    given = [name for name in WAYS if name in e.attributes]
    if len(given) > 1 and not (len(given) == 2 and "quat" in given):
        e.error("pose-invalid", f"<{e.tag}> has more than one orientation: {', '.join(given)}")
        return IDENTITY.R
    for name in given:
        count, make = WAYS[name]
        numbers = exactly(e, name, count)
        if numbers is None:
            return IDENTITY.R
        try:
            R = make(numbers, compiler)
        except ModelError as error:
            e.error("pose-invalid", f"attribute {name}: {error}")
            return IDENTITY.R
        return R if np.isfinite(R).all() else IDENTITY.R
    return IDENTITY.R


def turned_by_euler(angles: Sequence[float], compiler: Compiler) -> Array:
    """Lower case turns about the moved axes, upper case about the fixed ones."""
    R = IDENTITY.R
    for axis, angle in zip(compiler.eulerseq, angles, strict=True):
        turn = rotation_about(AXES[axis.lower()], compiler.angle(angle))
        R = R @ turn if axis.islower() else turn @ R
    return R


def _axis_angle(v: Sequence[float], compiler: Compiler) -> Array:
    return rotation_about(unit(v[:3]).tolist(), compiler.angle(v[3]))


def _xy_axes(v: Sequence[float], _: Compiler) -> Array:
    x = unit(v[:3])
    y = unit(np.array(v[3:]) - x * (x @ np.array(v[3:])))
    return np.column_stack([x, y, np.cross(x, y)])


def _z_axis(v: Sequence[float], _: Compiler) -> Array:
    return along_z(v)


def along_z(v: Sequence[float] | Array) -> Array:
    """The smallest rotation that takes z to a direction; half a turn about x where it is opposite."""
    x, y, z = unit(v)
    sine = hypot(x, y)
    axis = (1.0, 0.0, 0.0) if sine < PARALLEL else (-y / sine, x / sine, 0.0)
    return rotation_about(axis, atan2(sine, z))


def unit(v: Sequence[float] | Array) -> Array:
    """Raises ModelError for a vector that has no direction."""
    a = np.array(v, dtype=np.float64)
    largest = float(np.abs(a).max())
    if not SHORTEST < largest < np.inf:
        raise ModelError("a direction of length zero")
    a = a / largest
    return np.asarray(a / np.linalg.norm(a), dtype=np.float64)


WAYS: dict[str, tuple[int, Callable[[Sequence[float], Compiler], Array]]] = {  # in the order of precedence
    "axisangle": (4, _axis_angle),
    "xyaxes": (6, _xy_axes),
    "zaxis": (3, _z_axis),
    "euler": (3, turned_by_euler),
    "quat": (4, lambda q, _: rotation_quaternion(q[0], q[1], q[2], q[3])),
}
