"""The actuation of a robot alone: its motors, gears and encoders on joints whose motion somebody else computes.

Every joint axis that an actuator moves, or that a sensor of these reads, is mounted by itself on a base that stands
still. Links, couplings between joints, stops, dampers and springs stay with whoever moves the joints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from types import MappingProxyType
from typing import NamedTuple

from gearwright.errors import ModelError
from gearwright.model.actuators import Actuator, AffineActuator
from gearwright.model.joints import WORLD, Axis, AxisRef, Joint
from gearwright.model.joints.axes import AxisDynamics
from gearwright.model.layout.layout import turns_body
from gearwright.model.links import Link
from gearwright.model.mechanism import Mechanism
from gearwright.model.sensors.sensors import Sensor
from gearwright.model.transmissions import CustomTransmission, LinearTransmission, Transmission, rows
from gearwright.model.transmissions.leading import leads_only

BASE = "actuation.base"
ARMATURE = 1e-3  # [kg·m², kg] of every axis, so that it has an inertia; known, and taken off what is read


class PartFriction(NamedTuple):
    """Coulomb friction of an actuator and its gear."""

    ratios: Mapping[str, float]  # turns of the actuator's axis per turn of each joint
    effort: float  # on the actuator's side [N·m, N]


@dataclass(frozen=True, kw_only=True)
class ActuationMechanism:
    """`mechanism` has one joint per moved joint of the robot, under its own name."""

    mechanism: Mechanism
    axes: tuple[AxisRef, ...]  # every axis of these joints
    friction: Mapping[str, PartFriction] = field(default_factory=dict)  # by actuator; not in the mechanism
    left_out: tuple[str, ...] = ()  # sensors that read something else

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(map(str, self.axes))

    def coupled(self, a: AxisRef, b: AxisRef) -> bool:
        """Whether an effort along one may depend on the motion of the other: a transmission moves both."""
        return any({a, b} <= set(t.joints) for t in self.mechanism.acting.values())


def actuation_mechanism(robot: Mechanism) -> ActuationMechanism:
    """Raises ModelError if nothing acts, or if the joints do not determine the position of an actuator."""
    moved = list(dict.fromkeys(_moved(robot)))
    if not moved:
        raise ModelError(f"{robot.name!r} has no actuator on a joint, and so no actuation")
    sensors = {s.name: s for s in robot.sensors.values() if _within(s, robot, moved)}
    joints = {name: _alone(robot.joint(name)) for name in dict.fromkeys(ref.joint for ref in moved)}
    friction = _frictions(robot)
    links = {BASE: Link(name=BASE)} | {j.child: Link(name=j.child) for j in joints.values()}
    mount = Joint(name=f"{BASE}.mount", kind="fixed", parent=WORLD, child=BASE)
    island = Mechanism(
        name=robot.name, links=links, joints={mount.name: mount, **joints},
        transmissions={t.name: _from_joints(_smooth(t, friction)) for t in robot.transmissions.values()},
        actuators={a.name: _without_friction(a, friction) for a in robot.actuators.values()},
        sensors=sensors, hardware=robot.hardware, initial={n: q for n, q in robot.initial.items() if n in joints},
        gravity=(0.0, 0.0, 0.0),
    )  # fmt: skip
    return ActuationMechanism(
        mechanism=island,
        axes=tuple(ref for j in joints.values() for ref in j.refs),
        friction=MappingProxyType(friction),
        left_out=tuple(name for name in robot.sensors if name not in sensors),
    )


def _moved(robot: Mechanism) -> Iterator[AxisRef]:
    """Axes that actuators move, through their transmissions or by themselves."""
    for a in robot.actuators.values():
        if (t := robot.acting.get(a.name)) is not None:
            yield from t.joints
        elif a.joint is not None and a.joint.joint in robot.joints:
            yield a.joint


def _within(s: Sensor, robot: Mechanism, moved: list[AxisRef]) -> bool:
    """Whether it reads actuators, their transmissions or their joints."""
    if s.joint is not None:
        return s.joint in moved
    if s.transmission is not None:
        return s.transmission in robot.transmissions and set(robot.transmissions[s.transmission].joints) <= set(moved)
    return s.actuator is not None


def _alone(joint: Joint) -> Joint:
    """The joint between the base and a link of its own; its effort limit still bounds a motor without one."""
    if not joint.refs:
        raise ModelError(f"joint {joint.name!r} is {joint.kind}: no actuator can be on it")
    return replace(joint, parent=BASE, child=f"{joint.name}.output", axes=tuple(map(_bare, joint.axes)))


def _bare(axis: Axis) -> Axis:
    limits = replace(axis.limits, lower=-float("inf"), upper=float("inf"), stiffness=None, dissipation=None)
    return replace(axis, limits=limits, dynamics=AxisDynamics(armature=ARMATURE))


# --- Coulomb friction: at rest it is no function of the speed, so whoever moves the joints holds them ----------------


def _ratios(robot: Mechanism, a: Actuator) -> dict[str, float]:
    """Turns of its axis per turn of each joint axis, where friction there can act on the joints just as well.

    Empty if it cannot: ratios vary, losses depend on the load, or there is play in between.
    """
    t = robot.acting.get(a.name)
    if t is None:
        return {} if a.joint is None else {str(a.joint): 1.0}
    if not isinstance(t.map, LinearTransmission) or not t.losses.efficient or t.backlash is not None:
        return {}
    row = rows(t.map)[t.actuators.index(a.name)]
    return {str(ref): float(r) for ref, r in zip(t.joints, row, strict=True) if r}


def _frictions(robot: Mechanism) -> dict[str, PartFriction]:
    found: dict[str, PartFriction] = {}
    for a in robot.actuators.values():
        t = robot.acting.get(a.name)
        effort = a.friction + (0.0 if t is None else t.losses.friction)
        if effort and (ratios := _ratios(robot, a)):
            found[a.name] = PartFriction(MappingProxyType(ratios), effort)
    return found


def _without_friction(a: Actuator, extracted: Mapping[str, PartFriction]) -> Actuator:
    """A rotor that is a body turns on a base that stands still: reflected, it is the same."""
    a = replace(a, rotor="reflected") if turns_body(a) else a
    if isinstance(a, AffineActuator):
        a = replace(a, position_lower=-inf, position_upper=inf)
    return replace(a, friction=0.0) if a.name in extracted else a


def _smooth(t: Transmission, extracted: Mapping[str, PartFriction]) -> Transmission:
    if not t.losses.friction or not extracted.keys() & set(t.actuators):
        return t
    return replace(t, losses=replace(t.losses, friction=0.0))


def _from_joints(t: Transmission) -> Transmission:
    """A crank that leads its joint is found from the joint: on the side of its dead points where it is."""
    if t.map is None or not t.map.leads_joints:
        return t
    if leads_only(t):
        raise ModelError(
            f"transmission {t.name!r} maps actuators to joints and has no inverse, so that the joints' "
            "motion does not determine that of the actuators: simulate the whole robot"
        )
    back = CustomTransmission(position=t.map.to_actuators, size=(t.map.actuators, t.map.joints))
    return replace(t, map=back)
