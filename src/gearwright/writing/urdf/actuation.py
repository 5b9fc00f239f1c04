"""The actuation of a robot as elements below a <robot>: those of ROS, and ours."""

from __future__ import annotations

from collections.abc import Iterable

from gearwright.model import Coupling
from gearwright.writing.actuation import FormatDialect, add_actuator, add_coupling, add_keyframe, add_sensor
from gearwright.writing.fields import OWN
from gearwright.writing.hardware import add_hardware
from gearwright.writing.nodes import Node
from gearwright.writing.sdf.links import ON_BODIES, add_body_sensor
from gearwright.writing.transmissions import add_transmission


def add_actuation(root: Node, d: FormatDialect, couplings: Iterable[Coupling]) -> None:
    """Everything but the elements of links and joints; `couplings` are those that no <mimic> says."""
    robot = d.robot
    for a in robot.actuators.values():
        add_actuator(root, a, d)
    in_tags = {name for h in robot.hardware.values() for name in h.transmissions}
    for t in robot.transmissions.values():
        if t.name not in in_tags:
            add_transmission(root, t, d, style="ros1")
    for h in robot.hardware.values():
        add_hardware(root, h, "ros2_control", d)
    for s in robot.sensors.values():
        if isinstance(s, ON_BODIES):
            owner = {"link": s.link, "joint": s.reaction}
            node = add_body_sensor(root, s, d, tag=f"{OWN}body_sensor")
            node.attributes |= {k: v for k, v in owner.items() if v is not None}
        else:
            add_sensor(root, s, d)
    for c in couplings:
        add_coupling(root, c, d)
    for k in robot.keyframes.values():
        add_keyframe(root, k, d)
    for one, other in robot.no_contact:
        root.add(f"{OWN}no_contact", link1=one, link2=other)
    for name in robot.cut:
        root.add(f"{OWN}cut", name)
