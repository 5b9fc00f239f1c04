"""Units of actuators' and sensors' numbers."""

from __future__ import annotations

from gearwright.model import AxisRef, Mechanism

TURNING = {"position": "rad", "velocity": "rad/s", "effort": "N·m", "voltage": "V"}
PUSHING = {"position": "m", "velocity": "m/s", "effort": "N", "voltage": "V"}


def pushes(robot: Mechanism, actuator: str) -> bool:
    """Whether an actuator moves along a line: one that sits on a sliding joint itself; gears have shafts."""
    joint = robot.actuators[actuator].joint
    geared = any(actuator in t.actuators for t in robot.transmissions.values())
    return not geared and joint is not None and _slides(robot, joint)


def actuator_units(robot: Mechanism, actuator: str) -> dict[str, str]:
    """Units of `command`, `torque`, `position` and `velocity`; a servo's command has the unit of its mode."""
    own = PUSHING if pushes(robot, actuator) else TURNING
    a = robot.actuators[actuator]
    command = "as its mode" if "mode" in a.states else own[a.command]
    return {"command": command, "torque": own["effort"], "position": own["position"], "velocity": own["velocity"]}


def state_units(robot: Mechanism, actuator: str) -> dict[str, str]:
    """Units of an actuator's states, by their names."""
    own = robot.actuators[actuator]
    return dict(zip(own.states, own.state_units, strict=False))


def reading_unit(robot: Mechanism, sensor: str, index: int) -> str:
    """Unit of one number of a sensor."""
    return robot.sensors[sensor].unit(length=_reads_length(robot, sensor, index), index=index)


def _reads_length(robot: Mechanism, sensor: str, index: int) -> bool:
    s = robot.sensors[sensor]
    if s.joint is not None:
        return _slides(robot, s.joint)
    if s.actuator is not None:
        return pushes(robot, s.actuator)
    if s.transmission is None:
        return False
    t = robot.transmissions[s.transmission]
    ends = len(t.joints if s.side == "joint" else t.actuators)
    at = min(index, ends - 1)  # a user's own sensor may read more numbers than there are ends
    return _slides(robot, t.joints[at]) if s.side == "joint" else pushes(robot, t.actuators[at])


def _slides(robot: Mechanism, ref: AxisRef) -> bool:
    return robot.joint(ref.joint).type.prismatic
