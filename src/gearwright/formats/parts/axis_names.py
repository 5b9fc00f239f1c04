"""How files name a joint's axis: `joint`, `joint.axis2`, or the axis in an attribute of its own."""

from __future__ import annotations

from collections.abc import Callable

from gearwright.formats.xml.located_xml import Element
from gearwright.model import AxisRef

Rename = Callable[[str], str]  # scopes the names of nested models
AXIS_INDEX = {"axis": 0, "axis2": 1}


def axis_ref(e: Element, text: str, rename: Rename, axis: str | None = None) -> AxisRef:
    """`joint`, or `joint.axis2`; or the axis in an attribute of its own."""
    name, _, suffix = text.strip().rpartition(".")
    if axis is None and name and suffix in AXIS_INDEX:
        return AxisRef(rename(name), AXIS_INDEX[suffix])
    if axis is not None and axis not in AXIS_INDEX:
        e.error(
            "mimic-axis-name", f"the leader's axis must be axis or axis2, not {axis!r}{e.report.near(axis, AXIS_INDEX)}"
        )
    return AxisRef(rename(text.strip()), AXIS_INDEX.get(axis or "axis", 0))
