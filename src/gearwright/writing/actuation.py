"""The actuation elements of a model, which SDFormat and URDF files share: actuators, sensors, couplings and mimics.

The other way round of `formats.parts.actuation`. Elements that the host format does not have get the prefix
`gearwright:`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gearwright.model import ACTUATORS, SENSORS, Actuator, AxisRef, BodySensor, Coupling, Mechanism, Sensor
from gearwright.model.frictions import FRICTIONS
from gearwright.model.frictions.kind import FrictionModel
from gearwright.model.hardware.device_bindings import DeviceBinding
from gearwright.model.keyframes import Keyframe
from gearwright.model.sensors.contact_sensor import ContactSensor
from gearwright.writing.fields import OWN, add_fields
from gearwright.writing.nodes import Node
from gearwright.writing.report import LossLog

AXES = ("axis", "axis2")
AXIS_LIKE = (".axis", ".axis2")  # endings of a joint's name that a reader would take for an axis
APART = ("name", "joint", "type", "device", "friction_model", "supply")  # fields of actuators that are no elements
Local = Callable[[str], str]  # a name as the scope of a model has it


@dataclass(frozen=True, kw_only=True)
class FormatDialect:
    """What writers of one format have in common."""

    robot: Mechanism
    losses: LossLog
    local: Local = field(default=lambda name: name)  # the name of a part in its element's scope
    joint: Local = field(default=lambda name: name)  # the same of a joint, which may have to be called otherwise


def reference(node: Node, axis: AxisRef, d: FormatDialect) -> None:
    """The axis as an element's text; the index in an attribute where the joint's name could be misread."""
    name = d.joint(axis.joint)
    if axis.index or name.endswith(AXIS_LIKE):
        node.attributes["axis"] = AXES[axis.index] if axis.index < len(AXES) else str(axis.index)
    node.text = name


# --- actuators and sensors --------------------------------------------------------------------------------------------


def add_actuator(parent: Node, a: Actuator, d: FormatDialect) -> None:
    kind = ACTUATORS.name_of(type(a))
    if kind is None:
        d.losses.lose(f"actuator {a.name!r}", "", f"a {type(a).__name__} is a class that no file can name")
        return
    node = parent.add(f"{OWN}actuator", name=d.local(a.name), type=kind)
    if a.joint is not None:
        reference(node.add("joint"), a.joint, d)
    add_fields(node, a, f"actuator {a.name!r}", d.losses, APART)
    if a.friction_model is not None:
        add_friction_model(node, a.friction_model, f"actuator {a.name!r}", d.losses)
    supply = getattr(a, "supply", None)  # of servos, which may share one
    if supply is not None:
        child = node.add("supply", name=supply.name)
        add_fields(child, supply, f"actuator {a.name!r}", d.losses, ("name",))
    if a.device is not None:
        add_device(node, a.device)


def add_device(parent: Node, device: DeviceBinding) -> None:
    node = parent.add("device", protocol=device.protocol, node=device.node, model=device.model)
    for name, value in device.options:
        node.add(name, value)


def add_sensor(parent: Node, s: Sensor, d: FormatDialect) -> None:
    """Encoders, switches and other registered kinds; those of links and joints are the format's own."""
    kind = SENSORS.name_of(type(s))
    if kind is None:
        if not isinstance(s, BodySensor | ContactSensor):
            d.losses.lose(f"sensor {s.name!r}", "", f"a {type(s).__name__} is a class that no file can name")
        return
    node = parent.add(f"{OWN}{kind}", name=d.local(s.name), type=getattr(s, "type", None))
    for target in ("transmission", "actuator"):
        if getattr(s, target) is not None:
            node.add(target, d.local(getattr(s, target)))
    if s.joint is not None:
        reference(node.add("joint"), s.joint, d)
    add_fields(
        node, s, f"sensor {s.name!r}", d.losses, ("name", "type", "transmission", "actuator", "joint")
    )  # fmt: skip


def add_friction_model(
    parent: Node, model: FrictionModel, shown: str, losses: LossLog, tag: str = f"{OWN}friction_model"
) -> None:
    kind = FRICTIONS.name_of(type(model))
    if kind is None:
        losses.lose(shown, "friction_model", f"a {type(model).__name__} is a class that no file can name")
        return
    add_fields(parent.add(tag, type=kind), model, shown, losses)


def add_keyframe(parent: Node, k: Keyframe, d: FormatDialect) -> None:
    """A named state, as an element of ours."""
    node = parent.add(f"{OWN}keyframe", name=d.local(k.name))
    for tag, values in (("position", k.position), ("velocity", k.velocity)):
        for joint, numbers in values.items():
            node.add(tag, numbers, joint=d.joint(joint))
    for actuator, command in k.command.items():
        node.add("command", command, actuator=d.local(actuator))


# --- couplings --------------------------------------------------------------------------------------------------------


def mimics(robot: Mechanism) -> dict[AxisRef, Coupling]:
    """The couplings that a <mimic> of their follower says, by follower: one leader each, the first of each follower."""
    found: dict[AxisRef, Coupling] = {}
    for c in robot.couplings.values():
        if c.name == str(c.follower) and c.alias is None and len(c.leaders) == 1 and c.through is None:
            found.setdefault(c.follower, c)
    return found


def add_mode(node: Node, c: Coupling, losses: LossLog) -> None:
    """How the coupling is realised, and its higher powers: our own elements, which other readers skip."""
    apart = ("name", "follower", "leaders", "offset", "reference", "spelling", "alias", "through")
    add_fields(node, c, f"coupling {c.name!r}", losses, apart, prefix=OWN)


def add_coupling(parent: Node, c: Coupling, d: FormatDialect) -> None:
    """`Σ Gᵢ·(qᵢ − reference) + offset = 0`, the follower's term first."""
    if c.through is not None:
        d.losses.lose(f"coupling {c.name!r}", "", f"its map is that of {c.through.transmission!r}, not a combination")
        return
    node = parent.add(f"{OWN}coupling", name=d.local(c.name))
    if c.alias != str(c.follower):
        node.attributes["alias"] = d.local(c.alias or "")
    for axis, share in ((c.follower, 1.0), *((t.axis, -t.multiplier) for t in c.leaders)):
        term = node.add("term", share, joint=d.joint(axis.joint))
        if axis.index or axis.joint.endswith(AXIS_LIKE):
            term.attributes["axis"] = AXES[axis.index]
    node.add("offset", -c.offset)
    if c.reference:
        node.add("reference", c.reference)
    add_mode(node, c, d.losses)
