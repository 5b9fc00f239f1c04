"""<link> of SDFormat: mass properties, shapes, and the sensors on it."""

from __future__ import annotations

from math import inf

from gearwright.model import BodySensor, ForceTorque, Geometry, Imu, Inertia, Link
from gearwright.model.sensors.contact_sensor import ContactSensor
from gearwright.writing.actuation import FormatDialect
from gearwright.writing.fields import OWN
from gearwright.writing.nodes import Node, is_identity, pose_text
from gearwright.writing.shapes import MeshPath, add_shape
from gearwright.writing.surfaces import add_contact

ON_BODIES = (BodySensor, ContactSensor)  # sensors that stand in a link or a joint
VECTORS = {Imu: ("angular_velocity", "linear_acceleration"), ForceTorque: ("force", "torque")}


def add_link(parent: Node, link: Link, d: FormatDialect, mesh_path: MeshPath) -> Node:
    node = parent.add("link", name=d.local(link.name))
    add_inertial(node, link.inertia)
    if not link.gravity:
        node.add("gravity", False)
    if link.name in d.robot.self_collide:
        node.add("self_collide", True)
    taken: set[str] = set()
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        for g in shapes:
            _add_geometry(node, tag, g, link, d, mesh_path, taken)
    return node


def add_inertial(parent: Node, inertia: Inertia) -> None:
    node = parent.add("inertial")
    if not is_identity(inertia.pose):
        node.add("pose", pose_text(inertia.pose))
    node.add("mass", inertia.mass)
    tensor = node.add("inertia")
    for names, values in ((("ixx", "iyy", "izz"), inertia.moments), (("ixy", "ixz", "iyz"), inertia.products)):
        for name, x in zip(names, values, strict=True):
            tensor.add(name, x)


def _add_geometry(
    parent: Node, tag: str, g: Geometry, link: Link, d: FormatDialect, mesh_path: MeshPath, taken: set[str]
) -> None:
    shown = f"link {link.name!r}"
    name = g.name
    while (key := f"{tag} {name}") in taken:
        name += "_"
    taken.add(key)
    if name != g.name:
        d.losses.note(f"{shown}: another {tag} is called {g.name!r}; this one is written as {name!r}")
    node = Node(tag, name=name)
    if not is_identity(g.pose):
        node.add("pose", pose_text(g.pose))
    if not add_shape(node, g, mesh_path, attributes=False):
        d.losses.lose(shown, f"{tag} {g.name!r}", f"a {getattr(g.shape, 'kind', 'shape')} is known by name only")
        return
    if tag == "collision":
        add_contact(node, g)
    if g.rgba is not None:
        node.add("material").add("diffuse", g.rgba)
    parent.children.append(node)


def add_body_sensor(parent: Node, s: BodySensor | ContactSensor, d: FormatDialect, tag: str = "sensor") -> Node:
    """<sensor type="imu"> or "contact" of a link, <sensor type="force_torque"> of a joint."""
    node = parent.add(tag, name=d.local(s.name), type=s.kind)
    if s.update_rate < inf:
        node.add("update_rate", s.update_rate)
    if s.latency:
        node.add(f"{OWN}latency", s.latency)
    own = node.add(s.kind)
    if isinstance(s, ContactSensor):
        for name in s.shapes:
            own.add("collision", name)
        if s.threshold:
            node.add(f"{OWN}threshold", s.threshold)
        return node
    if not is_identity(s.pose):
        node.children.insert(0, Node("pose", pose_text(s.pose)))
    if isinstance(s, ForceTorque):
        own.add("frame", s.frame)
        own.add("measure_direction", s.direction)
    for v, vector in enumerate(VECTORS[type(s)]):
        _add_noise(own, vector, s.offset[3 * v : 3 * v + 3], s.noise[3 * v : 3 * v + 3])
    if s.seed:
        node.add(f"{OWN}seed", s.seed)
    return node


def _add_noise(parent: Node, vector: str, means: tuple[float, ...], deviations: tuple[float, ...]) -> None:
    if not any((*means, *deviations)):
        return
    whole = parent.add(vector)
    for axis, mean, deviation in zip("xyz", means, deviations, strict=True):
        noise = whole.add(axis).add("noise", type="gaussian")
        noise.add("mean", mean)
        noise.add("stddev", deviation)
