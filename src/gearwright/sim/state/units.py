"""Units of joints', actuators' and sensors' numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gearwright.model import Joint, Mechanism

TURNING = {"position": "rad", "velocity": "rad/s", "effort": "N·m", "impedance": "N·m", "voltage": "V"}
PUSHING = {"position": "m", "velocity": "m/s", "effort": "N", "impedance": "N", "voltage": "V"}


class Units(NamedTuple):
    """Of one coordinate, as a position or as a velocity."""

    position: str
    velocity: str
    effort: str
    acceleration: str


def units_of(joints: Iterable[Joint]) -> dict[str, Units]:
    """By coordinate of these joints."""
    found = {}
    for j in joints:
        for part in {*j.type.positions, *j.type.velocities}:
            name = f"{j.name}.{part}" if part else j.name
            turning = Units("1" if part in ("qw", "qx", "qy", "qz") else "rad", "rad/s", "N·m", "rad/s²")
            found[name] = Units("m", "m/s", "N", "m/s²") if j.type.slides(part) else turning
    return found


def actuator_units(robot: Mechanism, actuator: str) -> dict[str, str]:
    """Units of `command`, `torque`, `position` and `velocity`; a servo's command has the unit of its mode."""
    own = PUSHING if robot.pushes(actuator) else TURNING
    a = robot.actuators[actuator]
    command = "as its mode" if "mode" in a.states else own[a.command]
    return {"command": command, "torque": own["effort"], "position": own["position"], "velocity": own["velocity"]}


def state_units(robot: Mechanism, actuator: str) -> dict[str, str]:
    """Units of an actuator's states, by their names."""
    own = robot.actuators[actuator]
    return dict(zip(own.states, own.state_units, strict=False))


def reading_units(robot: Mechanism, readings: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """By reading; the readings of each sensor are given."""
    return {
        reading: robot.sensors[sensor].unit(length=_reads_length(robot, sensor, i), index=i)
        for sensor, own in readings.items()
        for i, reading in enumerate(own)
    }


def _reads_length(robot: Mechanism, sensor: str, index: int) -> bool:
    s = robot.sensors[sensor]
    if s.joint is not None:
        return robot.slides(s.joint)
    if s.actuator is not None:
        return robot.pushes(s.actuator)
    if s.transmission is None:
        return False
    t = robot.transmissions[s.transmission]
    ends = len(t.joints if s.side == "joint" else t.actuators)
    at = min(index, ends - 1)  # a user's own sensor may read more numbers than there are ends
    return robot.slides(t.joints[at]) if s.side == "joint" else robot.pushes(t.actuators[at])
