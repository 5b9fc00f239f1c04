"""The source of motion of each axis: a coupling, an actuator of its own, or actuators through a transmission."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gearwright.display.maps import joint_shares, ratio
from gearwright.model import AxisRef, Coupling, Mechanism, Sensor, Transmission

Family = Literal["coupling", "transmission", "actuator"]


@dataclass(frozen=True, kw_only=True)
class MotionSource:
    """A coupling, actuator or transmission that moves an axis, as text."""

    family: Family
    text: str


def motion_sources(mechanism: Mechanism) -> dict[AxisRef, list[MotionSource]]:
    """Axis → its sources of motion; axes without one are left out."""
    found: dict[AxisRef, list[MotionSource]] = {}
    for c in mechanism.couplings.values():
        found.setdefault(c.follower, []).append(MotionSource(family="coupling", text=right_side(c)))
    for a in mechanism.actuators.values():
        if a.joint is not None:
            found.setdefault(a.joint, []).append(MotionSource(family="actuator", text=a.name))
    for t in mechanism.transmissions.values():
        for i, axis in enumerate(t.joints):
            found.setdefault(axis, []).append(MotionSource(family="transmission", text=_through(mechanism, t, i)))
    return found


def right_side(c: Coupling) -> str:
    """Right-hand side of the follower's formula."""
    return c.formula.removeprefix(f"{c.follower} = ")


def _through(mechanism: Mechanism, t: Transmission, joint: int) -> str:
    """`motor  50:1`; where several actuators move a joint, its formula."""
    small = ratio(mechanism, t)
    if small:
        return f"{t.actuators[0]}  {small}"
    shares = joint_shares(t)
    return shares[joint] if shares else f"{', '.join(t.actuators) or t.name}  {t.type}"


def reads(sensor: Sensor) -> str:
    """The quantity that a sensor measures, in words."""
    if sensor.reaction is not None or sensor.link is not None:
        return f"joint {sensor.reaction}" if sensor.reaction is not None else f"link {sensor.link}"
    target = sensor.actuator or (str(sensor.joint) if sensor.joint is not None else "")
    if sensor.transmission is None:
        return f"{'actuator' if sensor.actuator else 'joint'} {target}"
    side = f"{target or sensor.side + ' side'}"
    return f"{side} of {sensor.transmission}"


def loose_actuators(mechanism: Mechanism) -> Iterator[str]:
    """Actuators that drive nothing."""
    geared = {name for t in mechanism.transmissions.values() for name in t.actuators}
    return (a.name for a in mechanism.actuators.values() if a.joint is None and a.name not in geared)
