"""<sensor> and <site> of MJCF."""

from __future__ import annotations

from collections.abc import Mapping

from gearwright.model import IDENTITY, BodySensor, Encoder, ForceTorque, Imu, Mechanism, Pose, Sensor
from gearwright.writing.fields import leave_rest
from gearwright.writing.mjcf.bodies import placed, site_at
from gearwright.writing.mjcf.names import MjcfNames
from gearwright.writing.nodes import Node
from gearwright.writing.report import LossLog

WHERE = ("name", "joint", "actuator", "transmission", "side", "reaction", "link", "type", "pose", "frame", "direction")
TAGS = {Imu: ("gyro", "accelerometer"), ForceTorque: ("force", "torque")}


def add_frames(robot: Mechanism, nodes: Mapping[str, Node], names: MjcfNames) -> None:
    """Named frames are sites."""
    for f in robot.frames.values():
        site = nodes[f.link].add("site", name=names.free("site", f.name))
        placed(site, f.X_LF)


def add_sensors(
    robot: Mechanism, nodes: Mapping[str, Node], names: MjcfNames, losses: LossLog, sections: Mapping[str, Node]
) -> None:
    for s in robot.sensors.values():
        shown = f"sensor {s.name!r}"
        if isinstance(s, BodySensor):
            written = _add_body_sensor(s, robot, nodes, names, sections["sensor"])
        elif isinstance(s, Encoder):
            written = _add_encoder(s, robot, names, sections["sensor"])
        else:
            written = None
        if written is None:
            losses.lose(shown, "", f"MuJoCo has no such {s.label or 'sensor'}")
        else:
            leave_rest(losses, shown, s, (*WHERE, *written), "MuJoCo's sensors have none")


def _add_encoder(s: Encoder, robot: Mechanism, names: MjcfNames, section: Node) -> tuple[str, ...] | None:
    """Position or velocity of one joint or actuator."""
    target = _target(s, robot, names)
    if target is None:
        return None
    what, name = target
    node = section.add(f"{what}{'pos' if s.type == 'position' else 'vel'}", name=s.name, **{what: name})
    if s.noise and s.type == "position":
        node.attributes |= Node("", noise=s.noise).attributes
        return ("noise",)
    return ()


def _target(s: Sensor, robot: Mechanism, names: MjcfNames) -> tuple[str, str] | None:
    """Where MuJoCo's length is what the sensor reads: a joint, or an actuator whose zero is its joints'."""
    t = robot.transmissions.get(s.transmission) if s.transmission is not None else None
    joint, actuator = s.joint, s.actuator
    if t is not None and joint is None and actuator is None:
        if s.side == "joint" and len(t.joints) == 1:
            joint = t.joints[0]
        elif s.side == "actuator" and len(t.actuators) == 1:
            actuator = t.actuators[0]
    if joint is not None and (t is None or s.side == "joint"):
        return "joint", names.axis(joint)
    if actuator is None:
        return None
    acting = robot.acting.get(actuator)
    offset = getattr(acting.map, "position_offset", None) if acting is not None else None
    if acting is not None and (offset is None or offset.any() or (t is not None and t is not acting)):
        return None
    return "actuator", actuator


def _add_body_sensor(
    s: BodySensor, robot: Mechanism, nodes: Mapping[str, Node], names: MjcfNames, section: Node
) -> tuple[str, ...] | None:
    """Two sensors of MuJoCo's at one site."""
    place = _site(s, robot)
    if place is None or place[0] not in nodes:
        return None
    site = site_at(nodes, names, place[0], s.name, place[1])
    written = ["offset"] if not any(s.offset) else []
    for i, tag in enumerate(TAGS[type(s)]):
        node = section.add(tag, name=f"{s.name}.{tag}", site=site)
        deviations = set(s.noise[3 * i : 3 * i + 3])
        if len(deviations) == 1 and (deviation := deviations.pop()):
            node.attributes |= Node("", noise=deviation).attributes
    if all(len(set(s.noise[3 * i : 3 * i + 3])) == 1 for i in (0, 1)):
        written.append("noise")
    return tuple(written)


def _site(s: BodySensor, robot: Mechanism) -> tuple[str, Pose] | None:
    """The link and the pose of the site. MuJoCo has the force of the parent on the child, in the site's axes."""
    if isinstance(s, Imu):
        return s.link or "", s.pose
    assert isinstance(s, ForceTorque)
    joint = robot.joint(s.reaction or "")
    if s.direction != "parent_to_child" or s.frame == "parent":
        return None
    X = joint.X_CJ @ s.pose
    return joint.child, X if s.frame == "sensor" else Pose(IDENTITY.R, X.p)
