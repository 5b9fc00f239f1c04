"""Friction models put in their place in a mechanism."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gearwright.errors import UnknownNameError
from gearwright.given_names import checked_instance
from gearwright.model.frictions.kind import FrictionModel

if TYPE_CHECKING:
    from gearwright.model.joints import AxisRef
    from gearwright.model.mechanism import Mechanism


def with_friction(robot: Mechanism, name: str, model: FrictionModel | None) -> Mechanism:
    """A copy with the model on a joint's axis, an actuator or a transmission; see `Mechanism.with_friction`."""
    if model is not None:
        checked_instance("a friction model", model, FrictionModel)
    axes = {str(ref): ref for joint in robot.joints.values() for ref in joint.refs}
    if name in axes:
        return _on_axis(robot, axes[name], model)
    if name in robot.actuators:
        return robot.with_actuator(replace(robot.actuators[name], friction_model=model))
    if name in robot.transmissions:
        t = robot.transmissions[name]
        changed = replace(t, losses=replace(t.losses, friction_model=model))
        return replace(robot, transmissions={**robot.transmissions, name: changed})
    raise UnknownNameError(
        "joint axis, actuator or transmission", name, [*axes, *robot.actuators, *robot.transmissions]
    )


def _on_axis(robot: Mechanism, ref: AxisRef, model: FrictionModel | None) -> Mechanism:
    joint = robot.joints[ref.joint]
    axes = list(joint.axes)
    axes[ref.index] = replace(axes[ref.index], dynamics=replace(axes[ref.index].dynamics, friction_model=model))
    return replace(robot, joints={**robot.joints, joint.name: replace(joint, axes=tuple(axes))})
