"""Springs, dampers, friction, inertia and limits along tendons: shafts without a command, on the tendon's map.

A spring that is slack between two lengths is two springs that only pull back.
"""

from __future__ import annotations

from math import inf
from typing import Any

from gearwright.formats.mjcf.actuators import tie
from gearwright.formats.mjcf.parts import Parts
from gearwright.formats.mjcf.tendons import TendonPart
from gearwright.formats.mjcf.values import is_limited, real, reals
from gearwright.model.actuators import AffineActuator


def add_tendon_forces(parts: Parts) -> None:
    for t in parts.tendons.values():
        losses, springs = {**_losses(t, parts), **_limits(t, parts)}, _springs(t, parts)
        found = t.scaled(1.0)
        if found is None:
            _report_without_map(t, acts=bool(losses or springs))
            continue
        if is_limited(t.element, "actuatorfrclimited", "actuatorfrcrange", True):
            message = f"tendon {t.name!r}: the limit of what its actuators pull together is not simulated"
            t.element.warning("not-simulated", message)
        if not losses and not springs:
            continue
        for k, spring in enumerate(springs or [{}]):
            _add(t, parts, {**spring, **(losses if k == 0 else {})}, k)


def _add(t: TendonPart, parts: Parts, forces: dict[str, Any], k: int) -> None:
    draft, e = parts.draft, t.element
    name = f"{t.name}_spring{k + 1}" if k else f"{t.name}_spring"
    if name in draft.actuators:
        name = draft.numbered(f"{name}_", draft.actuators)
    what = f"tendon {t.name!r}"
    made = draft.build(e, "actuator-value", what, AffineActuator, name=name, gain=0.0, **forces)
    found = t.scaled(1.0)
    if made is not None and found is not None and draft.add(draft.actuators, "actuator", name, made, e):
        tie(parts, e, name, name, *found)
        e.info("element-ignored", f"{what}: actuator {name!r} applies its passive forces, whatever the command")


def _losses(t: TendonPart, parts: Parts) -> dict[str, Any]:
    on, e = parts.option.on, t.element
    damping, *more = reals(e, "damping", (0.0, 0.0, 0.0))
    if any(more):
        e.warning("not-simulated", f"tendon {t.name!r}: its damping is linear; further numbers have no effect")
    values = {
        "damping": damping if on("damper") else 0.0,
        "friction": real(e, "frictionloss") if on("frictionloss") else 0.0,
        "rotor_inertia": real(e, "armature"),
    }
    return {name: value for name, value in values.items() if value}


def _limits(t: TendonPart, parts: Parts) -> dict[str, Any]:
    """Of a fixed tendon; those of a path in space would be stops that turn with the pose."""
    if t.limits is None or not parts.option.on("limit"):
        return {}
    if not t.coefficients:
        t.element.warning("not-simulated", f"tendon {t.name!r}: the limits of its length are not simulated")
        return {}
    return dict(zip(("position_lower", "position_upper"), t.limits, strict=True))


def _springs(t: TendonPart, parts: Parts) -> list[dict[str, Any]]:
    """`−k·(L − L₀)`; where two lengths are given, outside of them only."""
    e = t.element
    stiffness, *more = reals(e, "stiffness", (0.0, 0.0, 0.0))
    if not stiffness or not parts.option.on("spring"):
        return []
    if any(more):
        e.warning("not-simulated", f"tendon {t.name!r}: its spring is linear; further numbers have no effect")
    low, high = _rest_lengths(t)
    linear = {"bias_per_position": -stiffness}
    if low == high:
        return [{**linear, "bias": stiffness * low}]
    return [
        {**linear, "bias": stiffness * low, "effort_lower": 0.0, "effort_upper": inf},
        {**linear, "bias": stiffness * high, "effort_lower": -inf, "effort_upper": 0.0},
    ]


def _rest_lengths(t: TendonPart) -> tuple[float, float]:
    """As given, or the length with every joint at its reference."""
    given = (t.element.get("springlength") or "-1").split()
    low, high = reals(t.element, "springlength", (-1.0, -1.0))
    high = low if len(given) == 1 else high
    if low == high == -1.0:
        return t.length_at_reference, t.length_at_reference
    return low, high


def _report_without_map(t: TendonPart, acts: bool) -> None:
    message = f"tendon {t.name!r} has no map here: {t.why}"
    if acts:
        t.element.error("element-refused", f"{message}; its forces cannot be simulated")
    elif t.element.report.first("mjcf tendon without a map"):
        t.element.info("element-ignored", f"{message}; tendons that have no forces of their own are left out")
