"""<ros2_control> tags: hardware descriptions, with ros2_control's own rules for mimic joints."""

from __future__ import annotations

from gearwright.formats.draft import Draft
from gearwright.formats.parts.axis_names import Rename
from gearwright.formats.ros2_control.limits import command_limits, soft_limits
from gearwright.formats.transmissions.plugins import PluginPolicy
from gearwright.formats.transmissions.transmissions import read_params, read_transmission
from gearwright.formats.xml.located_xml import Element
from gearwright.model import CommandLimits, Component, Coupling, Hardware, Interface, MimicJoint, SafetyController

_READ_ELSEWHERE = ("group", "async", "properties", "limits")  # children beside parameters


def read_ros2_controls(tags: list[Element], draft: Draft, plugins: PluginPolicy, rename: Rename = str) -> None:
    """All tags of a robot or model. Couplings that they switch off are taken out once, at the end."""
    couplings = {c.follower.joint: c for c in draft.couplings} if tags else {}
    switched_off: set[str] = set()
    for e in tags:
        _read_tag(e, draft, plugins, rename, couplings, switched_off)
    if switched_off:
        draft.couplings = [c for c in draft.couplings if c.follower.joint not in switched_off]


def _read_tag(
    e: Element, draft: Draft, plugins: PluginPolicy, rename: Rename, couplings: dict[str, Coupling],
    switched_off: set[str],
) -> None:  # fmt: skip
    name = e.get("name") or ""
    if not name:
        e.error("name-missing", "a ros2_control tag without a name")
        return
    kind = e.get("type") or ""
    hardware = e.child("hardware")
    plugin = hardware.child_text("plugin") if hardware is not None else ""
    if not plugin:
        where = "<hardware> names no <plugin>" if hardware is not None else "there is no <hardware> with a <plugin>"
        near = hardware.misspelt("plugin") if hardware is not None else e.misspelt("hardware")
        (hardware or e).recoverable("element-missing", f"ros2_control tag {name!r}: {where}{near}")
    parameters = _parameters(hardware) if hardware is not None else {}
    joints = tuple(_component(c, rename, joint=True) for c in e.all("joint"))
    sensors = tuple(_component(c) for c in e.all("sensor"))
    gpios = tuple(_component(c) for c in e.all("gpio"))
    read = [read_transmission(t, draft, plugins, "ros2", rename) for t in e.all("transmission")]
    _check_joints(joints, draft, couplings, switched_off)
    limits, soft = _limits(joints, draft)
    distinct = draft.distinct(draft.hardware, "ros2_control tag", rename(name), e)
    made = Hardware(
        name=distinct, type=kind, plugin=plugin, parameters=parameters, joints=joints, sensors=sensors, gpios=gpios,
        group=hardware.child_text("group") if hardware is not None else "", rw_rate=e.number("rw_rate", 0.0),
        is_async=e.truth(e.get("is_async") or "false", "attribute is_async", False), async_parameters=_async(e),
        transmissions=tuple(t.name for t in read if t is not None), limits=limits, soft_limits=soft,
        mimic_joints=_mimic_joints(joints, couplings, switched_off), source=e.source,
    )  # fmt: skip
    draft.add(draft.hardware, "ros2_control tag", made.name, made, e)


def _async(e: Element) -> dict[str, str]:
    """Attributes of `<properties><async …/></properties>`, and the older one of the tag itself."""
    found = {} if e.get("thread_priority") is None else {"thread_priority": e.attributes["thread_priority"]}
    properties = e.child("properties")
    for child in properties.all("async") if properties is not None else []:
        found |= child.attributes
        child.consume()
    return found


def _limits(
    joints: tuple[Component, ...], draft: Draft
) -> tuple[dict[str, CommandLimits], dict[str, SafetyController]]:
    limits: dict[str, CommandLimits] = {}
    soft: dict[str, SafetyController] = {}
    for c in joints:
        joint = draft.joints.get(c.name)
        if joint is not None and joint.axes:
            limits[c.name] = command_limits(joint, c)
            own = soft_limits(joint, limits[c.name])
            if own is not None:
                soft[c.name] = own
    return limits, soft


def _mimic_joints(
    joints: tuple[Component, ...], couplings: dict[str, Coupling], switched_off: set[str]
) -> tuple[MimicJoint, ...]:
    """Joints that follow one other joint along a line."""
    found = []
    for c in joints:
        coupling = couplings.get(c.name)
        plain = coupling is not None and len(coupling.leaders) == 1 and not coupling.powers and not coupling.through
        if coupling is not None and plain and c.name not in switched_off:
            axis, multiplier = coupling.leaders[0]
            offset = coupling.offset - multiplier * coupling.reference
            found.append(MimicJoint(joint=c.name, leader=axis.joint, multiplier=multiplier, offset=offset))
    return tuple(found)


def _parameters(e: Element) -> dict[str, str]:
    for tag in _READ_ELSEWHERE:
        for c in e.all(tag):
            c.consume()
    return read_params(e)


def _component(e: Element, rename: Rename = str, joint: bool = False) -> Component:
    name = e.get("name") or ""
    if not name:
        e.error("name-missing", f"a ros2_control {e.tag} without a name")
    mimic = e.get("mimic") if joint else None
    for attribute in ("role", "type", "enable_limits"):
        e.get(attribute)
    enabled = _limits_enabled(e)
    return Component(
        name=rename(name),
        commands=tuple(_interface(c, enabled) for c in e.all("command_interface")),
        states=tuple(_interface(c, enabled) for c in e.all("state_interface")),
        parameters=_parameters(e),
        mimic=None if mimic is None else e.truth(mimic, "attribute mimic", True),
        source=e.source,
    )


def _limits_enabled(e: Element) -> bool:
    """`<limits enable="false"/>` of a joint, or of an interface."""
    limits = e.child("limits")
    written = limits.get("enable") if limits is not None else None
    return True if limits is None or written is None else limits.truth(written, "attribute enable", True)


def _interface(e: Element, enabled: bool) -> Interface:
    values = {k: v for k, v in e.attributes.items() if k != "name"}
    name = e.get("name") or ""
    if not name:
        e.error("name-missing", f"<{e.tag}> has no name")
    enabled = _limits_enabled(e) and enabled
    e.consume()
    values |= read_params(e)
    return Interface(name=name, parameters=values, enable_limits=enabled)


def _check_joints(
    joints: tuple[Component, ...], draft: Draft, couplings: dict[str, Coupling], switched_off: set[str]
) -> None:
    """ros2_control's rules: an active mimic joint has no command, and its leader stands in the same tag."""
    listed = {c.name for c in joints}
    for c in joints:
        joint = draft.joints.get(c.name)
        coupling = couplings.get(c.name) if c.name not in switched_off else None
        if joint is None:
            message = f"ros2_control names joint {c.name!r}, which the robot does not have"
            draft.report.error("ros2-joint-not-found", message + draft.report.near(c.name, draft.joints), c.source)
        elif joint.kind == "fixed":
            draft.report.error("ros2-joint-fixed", f"ros2_control drives joint {c.name!r}, which is fixed", c.source)
        elif c.mimic and coupling is None:
            message = f'joint {c.name!r} has mimic="true" and mimics nothing in the URDF'
            draft.report.error("ros2-mimic-not-in-urdf", message, c.source)
        elif coupling is not None and c.mimic is False:
            switched_off.add(c.name)
        elif coupling is not None:
            if c.commands:
                message = f'mimic joint {c.name!r} has a command interface; it must have none, or mimic="false"'
                draft.report.error("ros2-mimic-command-interface", message, c.source)
            if not {t.axis.joint for t in coupling.leaders} <= listed:
                leaders = ", ".join(repr(t.axis.joint) for t in coupling.leaders)
                message = f"the leader {leaders} of mimic joint {c.name!r} is not in the same ros2_control tag"
                draft.report.error("ros2-mimic-leader-missing", message, c.source)
