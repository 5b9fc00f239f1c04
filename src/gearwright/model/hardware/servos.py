"""Servo motors behind a joint's command interfaces: each follows one of them at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from math import inf
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_names import checked_instance
from gearwright.given_numbers import numbers
from gearwright.model.actuators import Actuator, ElectricMotor
from gearwright.model.actuators.actuator import Number, Shaft
from gearwright.model.hardware.hardware import Hardware
from gearwright.model.joints import AxisRef
from gearwright.model.layout.layout import rotor_name
from gearwright.model.mechanism import Mechanism
from gearwright.model.transmissions import TransmissionMap

Array = NDArray[Any]

MODES = ("idle", "effort", "velocity", "position")  # by the number that stands for each
FULL_ERROR = 0.01  # [rad, m] at which a drive of the usual gains gives all that the joint's effort limit allows
STIFFNESS = 1e4  # [N·m/rad, N/m] of a joint without an effort limit
TIME_CONSTANT = 0.05  # [s] damping over stiffness: how an error dies out that is not large


@dataclass(frozen=True, kw_only=True)
class Servo(ElectricMotor):
    """A motor with a drive that follows an effort, a velocity or a position, as its `mode` says; idle at the start.

    The mode is part of the simulation's state. The effort is evaluated at the end of the step, and limited by effort
    limit and torque-speed curve in every mode.
    """

    type: ClassVar[str] = "servo"
    states: ClassVar[tuple[str, ...]] = ("mode",)

    def respond(self, command: Number, shaft: Shaft, state: tuple[Number, ...] = ()) -> tuple[Number, tuple[Any, ...]]:
        mode = state[0]
        velocity = self.damping_gain * (command - shaft.speed)
        position = self.stiffness * (command - shaft.position) - self.damping_gain * shaft.speed
        wanted = np.where(mode == 3, position, np.where(mode == 2, velocity, np.where(mode == 1, command, 0.0)))
        return self.bounded(wanted, shaft), state


class ActuatorGroup(NamedTuple):
    """The actuators that a hardware's joints are moved by, together: through a transmission, or on the joint itself."""

    joints: tuple[AxisRef, ...]
    actuators: tuple[str, ...]
    map: TransmissionMap | None  # None: the actuator sits on the joint, or there is none


def actuator_groups(robot: Mechanism, hardware: Hardware) -> dict[str, ActuatorGroup]:
    """By joint. A transmission that the tag lists comes before others, as it is written for this hardware."""
    found: dict[str, ActuatorGroup] = {}
    for component in hardware.joints:
        if component.name in found:
            continue
        group = _group_of(robot, hardware, component.name)
        found |= dict.fromkeys([ref.joint for ref in group.joints], group)
    return found


def _group_of(robot: Mechanism, hardware: Hardware, joint: str) -> ActuatorGroup:
    listed = [*hardware.transmissions, *(n for n in robot.transmissions if n not in hardware.transmissions)]
    for t in (robot.transmissions[n] for n in listed):
        acts = bool(t.actuators) and all(robot.acting.get(a) is t for a in t.actuators)
        if acts and joint in [r.joint for r in t.joints]:
            return ActuatorGroup(t.joints, t.actuators, t.map)
    axis = AxisRef(joint, 0)
    return ActuatorGroup((axis,), tuple(n for n in robot.actuators if _sits_on(robot, n, axis)), None)


def _sits_on(robot: Mechanism, actuator: str, axis: AxisRef) -> bool:
    """Whether an actuator turns an axis directly, itself or with a rotor that is a body."""
    turned, rotor = robot.actuators[actuator].joint, rotor_name(actuator)
    if actuator in robot.layout.rotors and rotor in robot.couplings:
        return [t.axis for t in robot.couplings[rotor].leaders] == [axis]
    return turned == axis


def with_servos(
    robot: Mechanism, hardware: str | None = None, *, gains: Mapping[str, tuple[float, float]] | None = None
) -> Mechanism:
    """A copy in which every joint that a ros2_control tag commands has a servo behind it.

    Existing motors become servos, with their curves, limits and rotors; a joint without a motor gets `JOINT_servo`. The
    effort and velocity limits of the joint apply to them. `gains`: stiffness and damping by joint [N·m/rad, N·m·s/rad;
    N/m, N·s/m]. By default, a drive reaches the joint's effort limit at an error of 0.01 rad or m, and its damping is
    0.05 s times its stiffness.
    """
    checked_instance("robot", robot, Mechanism)
    if gains is not None and not isinstance(gains, Mapping):
        raise ModelError(f"gains must be a mapping from joints to pairs (stiffness, damping), not {gains!r:.60}")
    for name in gains or {}:
        if name not in robot.joints:
            raise UnknownNameError("joint", name, robot.joints)
    for tag in robot.hardware.values() if hardware is None else [robot.hardware[hardware]]:
        commanded = [c for c in tag.joints if c.commands]
        each = actuator_groups(robot, tag)
        for group in dict.fromkeys(each[c.name] for c in commanded):
            for servo in _servos(robot, group, [_wanted(robot, ref, gains or {}) for ref in group.joints]):
                robot = robot.with_actuator(servo)
    return robot


class AtJoint(NamedTuple):
    """Gains and limits of a drive, seen at the joint."""

    stiffness: float
    damping: float
    effort: float  # limit
    velocity: float  # limit


def _wanted(robot: Mechanism, ref: AxisRef, gains: Mapping[str, tuple[float, float]]) -> AtJoint:
    limits = robot.joint(ref.joint).axes[ref.index].limits
    effort, velocity = (x if x > 0 else inf for x in (limits.effort, limits.velocity))  # 0 is left open in files
    if ref.joint in gains:
        pair = numbers(f"the gains of {ref.joint!r}", gains[ref.joint])
        if pair.shape != (2,) or not (pair[0] >= 0 and pair[1] > 0):
            raise ModelError(
                f"the gains of {ref.joint!r} must be a stiffness and a positive damping, not {gains[ref.joint]!r:.60}"
            )
        stiffness, damping = pair.tolist()
        return AtJoint(stiffness, damping, effort, velocity)
    stiffness = effort / FULL_ERROR if effort < inf else STIFFNESS
    return AtJoint(stiffness, TIME_CONSTANT * stiffness, effort, velocity)


def _servos(robot: Mechanism, group: ActuatorGroup, at_joints: list[AtJoint]) -> Iterator[Servo]:
    """Gains through a transmission: `K_j = Aᵀ·K_a·A`, with one K_a for its motors, from the softest joint.

    Limits of efforts and velocities are what the joints' limits together ask of a motor: `|A⁻ᵀ|·τ` and `|A|·v`.
    """
    A = np.eye(1) if group.map is None else group.map.actuator_per_joint_at(group.map.rest)
    weight = (A**2).sum(axis=0)  # of each joint: Σᵢ Aᵢⱼ²
    j = min(range(len(at_joints)), key=lambda j: at_joints[j].stiffness / weight[j])
    own = {"stiffness": at_joints[j].stiffness / weight[j], "damping_gain": at_joints[j].damping / weight[j]}
    square = A.shape[0] == A.shape[1]
    square = square and abs(np.linalg.det(A)) > 0.0  # else joints' limits say nothing of single motors
    efforts = _bound(np.linalg.inv(A).T, [x.effort for x in at_joints]) if square else [inf] * len(A)
    speeds = _bound(A, [x.velocity for x in at_joints])
    for name, effort, speed in zip(group.actuators, efforts, speeds, strict=False):
        motor = robot.actuators[name]
        if type(motor) in (Actuator, ElectricMotor) and motor.command == "effort":
            kept = {f.name: getattr(motor, f.name) for f in fields(motor)} | own
            kept["effort_limit"] = min(motor.effort_limit, effort)
            kept["velocity_limit"] = min(motor.velocity_limit, speed)
            yield Servo(**kept)
    if not group.actuators:
        (ref,) = group.joints
        name = f"{ref.joint}_servo"
        if name in robot.actuators:
            raise ModelError(f"there is an actuator {name!r} already, on another joint")
        yield Servo(name=name, joint=ref, effort_limit=efforts[0], velocity_limit=speeds[0], **own)


def _bound(B: Array, limits: list[float]) -> list[float]:
    """`|B|·limit`; infinite if a limit that counts is infinite."""
    return [sum(abs(b) * x for b, x in zip(row, limits, strict=True) if b) for row in B.tolist()]
