"""Units of actuators' and sensors' numbers."""

from __future__ import annotations

from gearwright.model import AxisRef, Encoder, LimitSwitch, Mechanism

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


def reading_unit(robot: Mechanism, sensor: str, index: int) -> str:
    """Unit of one number of a sensor; empty for a user's own kind."""
    s = robot.sensors[sensor]
    if isinstance(s, LimitSwitch):
        return "0/1"
    if not isinstance(s, Encoder):
        return ""
    return (PUSHING if _reads_length(robot, sensor, index) else TURNING)[s.type]


def _reads_length(robot: Mechanism, sensor: str, index: int) -> bool:
    s = robot.sensors[sensor]
    if s.joint is not None:
        return _slides(robot, s.joint)
    if s.actuator is not None:
        return pushes(robot, s.actuator)
    assert s.transmission is not None
    t = robot.transmissions[s.transmission]
    return _slides(robot, t.joints[index]) if s.side == "joint" else pushes(robot, t.actuators[index])


def _slides(robot: Mechanism, ref: AxisRef) -> bool:
    return robot.joint(ref.joint).type.prismatic
