"""Bindings that a ros2_control tag implies: the hardware plugin says the protocol, each joint its id."""

from __future__ import annotations

from gearwright.errors import ModelError
from gearwright.model import Component, Hardware, Mechanism
from gearwright.model.hardware.device_bindings import PROTOCOLS, DeviceBinding

# part of a plugin's name → protocol; the parameter `gearwright_protocol` of the hardware or a joint goes before it
PLUGINS = {
    "dynamixel": "dynamixel",
    "feetech": "feetech",
    "sts_hardware": "feetech",
    "cia402": "cia402",
    "odrive": "odrive",
    "moteus": "moteus",
    "damiao": "damiao",
    "cubemars": "cubemars",
    "robstride": "robstride",
}
IDS = ("id", "ID", "node_id", "motor_id", "can_id")  # parameters of a joint, as these plugins call them
PROTOCOL, MODEL = "gearwright_protocol", "gearwright_model"


def of_ros2_control(robot: Mechanism) -> dict[str, DeviceBinding]:
    """By actuator, of every joint that has an id."""
    found: dict[str, DeviceBinding] = {}
    for hardware in robot.hardware.values():
        implied = _implied(hardware)
        for joint in hardware.joints:
            name = joint.parameters.get(PROTOCOL, implied)
            node = _node(joint)
            if name is None or node is None:
                continue
            if name not in PROTOCOLS:
                raise ModelError(f"ros2_control joint {joint.name!r}: there is no protocol {name!r}")
            for actuator in _actuators_of(robot, joint.name):
                found[actuator] = DeviceBinding(
                    protocol=name, node=node, model=joint.parameters.get(MODEL), source=joint.source
                )
    return found


def _implied(hardware: Hardware) -> str | None:
    if PROTOCOL in hardware.parameters:
        return hardware.parameters[PROTOCOL]
    plugin = hardware.plugin.lower()
    return next((protocol for part, protocol in PLUGINS.items() if part in plugin), None)


def _node(joint: Component) -> int | None:
    text = next((joint.parameters[name] for name in IDS if name in joint.parameters), None)
    if text is None:
        return None
    try:
        return int(text, 0)
    except ValueError:
        raise ModelError(f"ros2_control joint {joint.name!r}: an id must be a whole number, not {text!r:.60}") from None


def _actuators_of(robot: Mechanism, joint: str) -> list[str]:
    """Those that sit on a joint, or act on it through a transmission of one joint."""
    through = [a for a, t in robot.acting.items() if [r.joint for r in t.joints] == [joint]]
    on = [n for n, a in robot.actuators.items() if a.joint is not None and a.joint.joint == joint]
    return list(dict.fromkeys([*through, *(n for n in on if n not in robot.acting)]))
