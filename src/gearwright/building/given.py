"""Parts of a robot from what a script gives for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from math import hypot
from typing import Any

from gearwright.building.bodies import Numbers, vector
from gearwright.errors import ModelError, nearest
from gearwright.given_names import checked_name
from gearwright.given_numbers import number
from gearwright.model import Axis, AxisDynamics, AxisRef, Limits
from gearwright.model.fields import meanings

AXIS_LIMITS = tuple(f.name for f in fields(Limits))
AXIS_DYNAMICS = tuple(f.name for f in fields(AxisDynamics))
Colour = Sequence[float]


def made_of(kind: Any, what: str, **given: Any) -> Any:
    """A part from its fields; a wrong name of a field gets the nearest valid one."""
    known = {m.name for m in meanings(kind)}
    for name in given:
        if name not in known:
            raise ModelError(f"{what}: {kind.__name__} has no {name!r}{nearest(name, known)}")
    given = {n: x for n, x in given.items() if x is not None or n == "joint"}
    try:
        return kind(**given)
    except ModelError as error:
        said = str(error)
        raise ModelError(said if said.startswith(what) else f"{what}: {said}") from None
    except TypeError as error:
        missing = str(error).partition("argument")[2].lstrip("s: ") or str(error)
        raise ModelError(f"{what}: a {kind.__name__} needs {missing}") from None


def row(registry: Any, what: str, kind: str) -> Any:
    if not isinstance(kind, str) or kind not in registry:
        raise ModelError(f"there is no {what} type {kind!r:.60}{nearest(str(kind), registry)}")
    return registry[kind]


def axis_of(joint: str, given: Axis | Numbers, named: Mapping[str, Any]) -> Axis:
    """An Axis, or its direction of any length; numbers by name are its limits and passive forces."""
    if isinstance(given, Axis):
        axis = given
    else:
        x, y, z = vector(f"joint {joint!r}: axis", given)
        length = hypot(x, y, z)
        if not length > 0:
            raise ModelError(f"joint {joint!r}: an axis of length zero has no direction")
        unit = (x, y, z) if length == 1.0 else (x / length, y / length, z / length)
        axis = Axis(xyz=unit)
    limits, passive = dict[str, Any](), dict[str, Any]()
    for name, value in named.items():
        if name not in (*AXIS_LIMITS, *AXIS_DYNAMICS):
            near = nearest(name, (*AXIS_LIMITS, *AXIS_DYNAMICS))
            raise ModelError(f"joint {joint!r}: a joint has no {name!r}{near}")
        (limits if name in AXIS_LIMITS else passive)[name] = value
    try:
        return replace(axis, limits=replace(axis.limits, **limits), dynamics=replace(axis.dynamics, **passive))
    except ModelError as error:
        raise ModelError(f"joint {joint!r}: {error}") from None


def axis_ref(name: Any) -> AxisRef:
    axis = AxisRef.of(checked_name("a joint", name))
    assert axis is not None
    return axis


def rgba_of(what: str, color: Colour) -> tuple[float, float, float, float]:
    values = [number(f"{what}: color", x, low=0, high=1) for x in color]
    if len(values) not in (3, 4):
        raise ModelError(f"{what}: color takes three or four numbers, not {len(values)}")
    r, g, b, a = (*values, 1.0)[:4]
    return (r, g, b, a)
