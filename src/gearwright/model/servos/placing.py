"""Servos put in the place of a mechanism's motors."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from gearwright.errors import ModelError, UnknownNameError
from gearwright.model.actuators import Supply
from gearwright.model.servos.library import servo_model
from gearwright.model.servos.servo_model import ServoModel

if TYPE_CHECKING:
    from gearwright.model.joints import AxisRef
    from gearwright.model.mechanism import Mechanism


def with_servo(
    robot: Mechanism, name: str, model: str | os.PathLike[str] | ServoModel, supply: Supply | None, **changes: Any
) -> Mechanism:
    """A copy with a servo in place of an actuator, or on a joint; see `Mechanism.with_servo`."""
    made = servo_model(model)
    actuator, axis = _place(robot, name)
    device = robot.actuators[actuator].device if actuator in robot.actuators else None
    return robot.with_actuator(made.actuator(actuator, axis, supply=supply, **{"device": device, **changes}))


def _place(robot: Mechanism, name: str) -> tuple[str, AxisRef | None]:
    """The name that the servo gets, and its axis: those of the motor whose place it takes."""
    if name in robot.actuators:
        return name, robot.actuators[name].joint
    axes = {str(ref): ref for joint in robot.joints.values() for ref in joint.refs}
    if name not in axes:
        raise UnknownNameError("joint axis or actuator", name, [*axes, *robot.actuators])
    axis = axes[name]
    movers = [a.name for a in robot.actuators.values() if axis in _moved_by(robot, a.name)]
    if not movers:
        return name, axis
    if len(movers) > 1 or len(_moved_by(robot, movers[0])) > 1:
        raise ModelError(f"joint {name!r} has several motors, or shares one: name the actuator, one of {movers}")
    return movers[0], robot.actuators[movers[0]].joint


def _moved_by(robot: Mechanism, actuator: str) -> tuple[AxisRef, ...]:
    t, own = robot.acting.get(actuator), robot.actuators[actuator].joint
    return t.joints if t is not None else () if own is None else (own,)
