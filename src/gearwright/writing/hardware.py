"""<ros2_control> tags: the other way round of `formats.ros2_control`."""

from __future__ import annotations

from gearwright.model import Component, Hardware, Interface
from gearwright.writing.actuation import FormatDialect
from gearwright.writing.nodes import Node, value_text
from gearwright.writing.transmissions import add_transmission

ATTRIBUTES = ("data_type", "size")  # of an interface that ros2_control reads as attributes


def add_hardware(parent: Node, h: Hardware, tag: str, d: FormatDialect) -> None:
    """One tag, with the transmissions that stand in it."""
    node = parent.add(tag, name=d.local(h.name), type=h.type)
    if h.rw_rate:
        node.attributes["rw_rate"] = value_text(h.rw_rate)
    if h.is_async:
        node.attributes["is_async"] = "true"
    hardware = node.add("hardware")
    if h.plugin:
        hardware.add("plugin", h.plugin)
    if h.group:
        hardware.add("group", h.group)
    _add_params(hardware, h.parameters)
    if h.async_parameters:
        node.add("properties").add("async").attributes.update(h.async_parameters)
    for family, components in (("joint", h.joints), ("sensor", h.sensors), ("gpio", h.gpios)):
        for c in components:
            _add_component(node, family, c, d)
    for name in h.transmissions:
        if name in d.robot.transmissions:
            add_transmission(node, d.robot.transmissions[name], d, style="ros2")


def _add_component(parent: Node, family: str, c: Component, d: FormatDialect) -> None:
    name = d.joint(c.name) if family == "joint" else c.name
    node = parent.add(family, name=name, mimic=c.mimic)
    for tag, interfaces in (("command_interface", c.commands), ("state_interface", c.states)):
        for interface in interfaces:
            _add_interface(node, tag, interface)
    _add_params(node, c.parameters)


def _add_interface(parent: Node, tag: str, interface: Interface) -> None:
    node = parent.add(tag, name=interface.name)
    for name, text in interface.parameters.items():
        if name in ATTRIBUTES:
            node.attributes[name] = text
        else:
            node.add("param", text, name=name)
    if not interface.enable_limits:
        node.add("limits", enable=False)


def _add_params(parent: Node, parameters: object) -> None:
    assert hasattr(parameters, "items")
    for name, text in parameters.items():
        parent.add("param", text, name=name)
