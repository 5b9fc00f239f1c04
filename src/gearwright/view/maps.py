"""Transmissions as formulas: what a joint does when its actuators move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import pi

from gearwright.errors import ModelError
from gearwright.model import (
    CustomTransmission,
    FourBarLinkage,
    LinearMap,
    LinearTransmission,
    Mechanism,
    SimpleTransmission,
    Transmission,
)
from gearwright.view.quantities import length, number, span


def slides(mechanism: Mechanism, joint: str) -> bool:
    return joint in mechanism.joints and mechanism.joints[joint].type.prismatic


def ratio(mechanism: Mechanism, t: Transmission) -> str:
    """A simple one in a word: `50:1`, `2 mm/rev`; otherwise nothing."""
    if not isinstance(t.map, SimpleTransmission):
        return ""
    r = t.map.reduction
    if slides(mechanism, t.joints[0].joint):
        return f"{length(2 * pi / r)}/rev"
    return f"{number(r)}:1" if abs(r) >= 1 else f"{'−' if r < 0 else ''}1:{number(1 / abs(r))}"


def formulas(t: Transmission) -> list[str]:
    """`pitch = left/80 + right/80`, one line a joint; of a map that cannot be inverted, one line an actuator."""
    joints = [str(j) for j in t.joints]
    if isinstance(t.map, LinearTransmission):
        shares, outputs = joint_shares(t), list(joints)
        if shares is None:
            shares = [combination(row, joints) for row in t.map.actuator_per_joint.tolist()]
            outputs = list(t.actuators)
        lines = [f"{y} = {x}" for y, x in zip(outputs, shares, strict=True)]
        return lines + (_clipped(t.map) if isinstance(t.map, LinearMap) else [])
    if isinstance(t.map, FourBarLinkage):
        m = t.map
        bars = (("ground", m.ground), ("input", m.input), ("coupler", m.coupler), ("output", m.output))
        return ["linkage: " + ", ".join(f"{name} {length(x)}" for name, x in bars)]
    if isinstance(t.map, CustomTransmission):
        own = f"{', '.join(t.actuators)} = position({', '.join(joints)})"
        return [own if t.map.position else f"efforts of {', '.join(joints)} = effort({', '.join(t.actuators)}, q, v)"]
    return ["no map: the type is not known"]


def joint_shares(t: Transmission) -> list[str] | None:
    """Formula of each joint in its actuators; None if the map has no inverse."""
    if not isinstance(t.map, LinearTransmission):
        return None
    try:
        rows = t.map.joint_per_actuator.tolist()
    except ModelError:
        return None
    offsets = t.map.position_offset.tolist()
    return [combination(row, t.actuators, offset) for row, offset in zip(rows, offsets, strict=True)]


def combination(coefficients: Iterable[float], names: Sequence[str], offset: float = 0.0) -> str:
    """`a/50 − 0.5·b + 0.1`."""
    text = ""
    for c, name in zip(coefficients, names, strict=True):
        if c:
            sign = ("−" if c < 0 else "") if not text else (" − " if c < 0 else " + ")
            text += sign + _scaled(abs(c), name)
    if offset:
        text += (" − " if offset < 0 else " + ") + number(abs(offset))
    return text or "0"


def _scaled(c: float, name: str) -> str:
    """A share is written as a division where that is the rounder number."""
    if c == 1:
        return name
    times, over = number(c, 5), number(1 / c, 5)
    return f"{name}/{over}" if len(over) < len(times) else f"{times}·{name}"


def _clipped(m: LinearMap) -> list[str]:
    if not m.lower or not m.upper:
        return []
    return ["efforts kept to " + ", ".join(span(lo, hi, "N·m") for lo, hi in zip(m.lower, m.upper, strict=True))]
