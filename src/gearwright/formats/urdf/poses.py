"""<origin> of a URDF."""

from __future__ import annotations

from gearwright.formats.xml.located_xml import Element
from gearwright.given_numbers import FARTHEST
from gearwright.model import (
    Pose,
)
from gearwright.model.poses import IDENTITY, Vector3

ZERO: Vector3 = (0.0, 0.0, 0.0)
QUATERNIONS = {"quat_xyzw": (3, 0, 1, 2), "quat_wxyz": (0, 1, 2, 3), "wxyz": (0, 1, 2, 3)}  # where w, x, y, z stand


def origin(e: Element) -> Pose:
    """<origin xyz rpy>, or a quaternion as newer URDF has it."""
    o = e.child("origin")
    return IDENTITY if o is None else attached(o)


def attached(o: Element) -> Pose:
    """Pose by attributes."""
    xyz = o.vector("xyz", ZERO)
    if any(abs(v) > FARTHEST for v in xyz):
        o.error("pose-invalid", f"attribute xyz: a coordinate exceeds the limit of {FARTHEST:g} m")
        return IDENTITY
    for attribute in o.attributes.keys() & QUATERNIONS:
        q = o.numbers(o.get(attribute), f"attribute {attribute}") or []
        if len(q) == 4 and any(q):
            return Pose.from_quaternion(xyz, [q[i] for i in QUATERNIONS[attribute]])
        o.error("pose-invalid", f"attribute {attribute}: expected four numbers that are not all zero")
    return Pose.from_rpy(xyz, o.vector("rpy", ZERO))
