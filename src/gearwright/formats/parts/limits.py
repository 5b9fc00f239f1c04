"""Limits and passive forces of both formats. A huge limit, or a negative effort or velocity, means none."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from gearwright.formats.parts.frictions import friction_model
from gearwright.formats.xml.located_xml import Element
from gearwright.model import AxisDynamics, Limits

HUGE = 1e16  # SDFormat's word for infinity before it knew inf


def _cap(value: float) -> float:
    return value if 0 <= value < HUGE else inf


def limits(
    element: Element, joint: str, *, lower: float = -inf, upper: float = inf, velocity: float = inf,
    effort: float = inf, stiffness: float | None = None, dissipation: float | None = None,
) -> Limits:  # fmt: skip
    """Limits from a file's numbers. A lower one above the upper means no limits, as in ODE and Bullet."""
    lower = lower if abs(lower) < HUGE else -inf
    upper = upper if abs(upper) < HUGE else inf
    if lower > upper:
        message = f"joint {joint!r}: the lower limit {lower:g} is above the upper one {upper:g}; taken as no limits"
        element.warning("limit-inverted", message)
        lower, upper = -inf, inf
    stop = {"stiffness": stiffness, "dissipation": dissipation}
    for name, value in stop.items():
        if value is not None and value < 0:
            element.error("dynamics-invalid", f"joint {joint!r}: a stop's {name} cannot be negative ({value:g})")
            stop[name] = None
    return Limits(lower=lower, upper=upper, velocity=_cap(velocity), effort=_cap(effort), **stop)


def dynamics(element: Element, joint: str, values: dict[str, float]) -> AxisDynamics:
    """Passive forces from a file's numbers; negative coefficients, which would add energy, are refused."""
    for name in ("damping", "friction", "armature"):
        if values.get(name, 0.0) < 0:
            element.error("dynamics-invalid", f"joint {joint!r}: {name} cannot be negative ({values[name]:g})")
            values[name] = 0.0
    if values.get("spring_stiffness", 0.0) < 0:
        stiffness = values["spring_stiffness"]
        message = f"joint {joint!r}: a negative spring_stiffness ({stiffness:g}) pushes away from its reference"
        element.warning("dynamics-invalid", f"{message}; it is taken as written")
    return AxisDynamics(**values, friction_model=friction_model(element, f"joint {joint!r}", "dynamics-invalid"))


def positive_damping(element: Element, joint: str, damping: float) -> float:
    """Of a joint without axes."""
    return dynamics(element, joint, {"damping": damping}).damping


def without_axes(element: Element | None, joint: str, kind: str, given: Sequence[str]) -> None:
    """Reports passive forces of a joint that has no axes for them."""
    if element is not None and given and kind != "fixed":
        what = f"{' and '.join(given)} {'is' if len(given) == 1 else 'are'}"
        element.warning("not-simulated", f"joint {joint!r} is of type {kind}: its {what} not simulated")
