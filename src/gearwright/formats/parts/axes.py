"""Directions of axes, common to both formats."""

from __future__ import annotations

from math import hypot

from gearwright.formats.xml.located_xml import Element
from gearwright.model.poses import Vector3

Z: Vector3 = (0.0, 0.0, 1.0)


def unit(element: Element, joint: str, xyz: Vector3, default: Vector3) -> Vector3:
    """Unit vector along `xyz`; an error and the default if its length is zero.

    A vector that is of unit length to rounding is kept to the bit, so that 0 0 1 stays 0 0 1.
    """
    x, y, z = xyz
    n = hypot(x, y, z)
    if n < 1e-12:
        element.error("axis-zero", f"joint {joint!r}: an axis of length zero has no direction")
        return default
    if abs(n - 1.0) < 1e-15:
        return xyz
    if abs(n - 1.0) > 1e-3:
        element.info("axis-not-unit", f"joint {joint!r}: the axis has length {n:.6g} and is normalised")
    largest = max(abs(x), abs(y), abs(z))  # divided by first, since the length of a huge vector overflows
    x, y, z = x / largest, y / largest, z / largest
    n = hypot(x, y, z)
    return (x / n, y / n, z / n)
