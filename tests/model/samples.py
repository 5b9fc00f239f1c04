"""One of each registered kind, made from the ranges of its fields, and a robot that has all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gearwright as gw
from gearwright.formats.xml.from_fields import missing_from
from gearwright.model.actuators import ACTUATORS
from gearwright.model.fields import Quantity, meanings
from gearwright.model.frictions import FRICTIONS
from gearwright.model.sensors.sensors import SENSORS
from gearwright.model.transmissions import TRANSMISSIONS
from gearwright.registry import Registry

# fields that a range does not say: tables, matrices, and lengths that close
GIVEN: dict[str, dict[str, Any]] = {
    "four_bar_linkage": {"ground": 1.0, "input": 3.0, "coupler": 2.5, "output": 2.0},
    "linear_map": {"matrix": ((2.0, 0.5), (0.0, 3.0))},
    "maxwell_slip": {"elements": ((3.0, 1.0), (2.0, 2.0))},
    "series": {"stages": (gw.SimpleTransmission(reduction=5.0), gw.SimpleTransmission(reduction=-3.0))},
    "solenoid": {"force_stroke": ((0.0, 10.0), (0.01, 1.0))},
}
INERTIA = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"


def sample(registry: Registry[Any], row: str, **more: Any) -> Any:
    """A kind with a number within its range in each field that has no default."""
    return registry[row](**sample_fields(registry, row, **more))


def sample_fields(registry: Registry[Any], row: str, **more: Any) -> dict[str, Any]:
    """Those numbers by field, beside `more`."""
    kind = registry[row]
    known = {**GIVEN.get(row, {}), **more}
    tags = {m.tag: m for m in meanings(kind)}
    for needed in missing_from(kind, known):
        known[tags[needed].name] = within(tags[needed].quantity)
    return known


def within(q: Quantity) -> float:
    """A number of the range, in its middle where it has two ends."""
    low = q.above if q.above is not None else q.at_least
    if low is None:
        return 1.0 if q.at_most is None else q.at_most
    return low + 1.0 if q.at_most is None else (low + q.at_most) / 2


def robot_of_all_kinds() -> gw.Mechanism:
    """A joint for each actuator, friction and sensor, and as many as a transmission takes for each of those."""
    maps = {name: sample(TRANSMISSIONS, name) for name in TRANSMISSIONS}
    joints = [f"{name}_joint" for r in (ACTUATORS, FRICTIONS, SENSORS) for name in r]
    joints += [f"{name}_joint{i}" for name, m in maps.items() for i in range(m.joints)]
    text = "".join(
        f'<link name="{j}_link">{INERTIA}</link><joint name="{j}" type="revolute"><parent>world</parent>'
        f"<child>{j}_link</child><axis><xyz>0 0 1</xyz></axis></joint>"
        for j in joints
    )
    robot = gw.loads(f'<sdf version="1.11"><model name="all">{text}</model></sdf>')
    robot = replace(robot, joints={j: _with_friction(joint) for j, joint in robot.joints.items()})
    for name in ACTUATORS:
        robot = robot.with_actuator(sample(ACTUATORS, name, name=f"{name}_motor", joint=f"{name}_joint"))
    for name in SENSORS:
        robot = robot.with_sensor(sample(SENSORS, name, name=f"{name}_sensor", joint=f"{name}_joint"))
    for name, m in maps.items():
        motors = [f"{name}_motor{i}" for i in range(m.actuators)]
        for motor in motors:
            robot = robot.with_actuator(gw.ElectricMotor(name=motor, rotor_inertia=0.1))
        ends = [f"{name}_joint{i}" for i in range(m.joints)]
        robot = robot.with_transmission(f"{name}_gear", m, actuators=motors, joints=ends)
    return robot


def _with_friction(joint: gw.Joint) -> gw.Joint:
    kind = joint.name.removesuffix("_joint")
    if kind not in FRICTIONS:
        return joint
    (axis,) = joint.axes
    dynamics = replace(axis.dynamics, friction_model=sample(FRICTIONS, kind))
    return replace(joint, axes=(replace(axis, dynamics=dynamics),))
