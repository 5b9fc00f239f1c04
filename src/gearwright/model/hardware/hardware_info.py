"""A ros2_control tag as plain data, in the words of its HardwareInfo: for other processes and languages."""

from __future__ import annotations

from math import isfinite
from typing import Any

from gearwright.model.hardware.hardware import CommandLimits, Component, Hardware, Interface
from gearwright.model.mechanism import Mechanism


def hardware_info(robot: Mechanism, tag: Hardware) -> dict[str, Any]:
    """Missing numbers are null: JSON has neither infinity nor NaN."""
    return {
        "name": tag.name, "type": tag.type, "group": tag.group, "rw_rate": tag.rw_rate, "is_async": tag.is_async,
        "async_params": dict(tag.async_parameters), "hardware_plugin_name": tag.plugin,
        "hardware_parameters": dict(tag.parameters),
        "joints": [_component(c, "joint") for c in tag.joints],
        "mimic_joints": [
            {"joint": m.joint, "leader": m.leader, "multiplier": m.multiplier, "offset": m.offset}
            for m in tag.mimic_joints
        ],
        "sensors": [_component(c, "sensor") for c in tag.sensors],
        "gpios": [_component(c, "gpio") for c in tag.gpios],
        "transmissions": [_transmission(robot, name) for name in tag.transmissions],
        "limits": {name: _limits(limits) for name, limits in tag.limits.items()},
        "soft_limits": {
            name: {"min_position": finite(s.soft_lower_limit), "max_position": finite(s.soft_upper_limit),
                   "k_position": s.k_position, "k_velocity": s.k_velocity}
            for name, s in tag.soft_limits.items()
        },
    }  # fmt: skip


def finite(x: float) -> float | None:
    return x if isfinite(x) else None


def _component(c: Component, kind: str) -> dict[str, Any]:
    return {
        "name": c.name, "type": kind, "is_mimic": c.mimic, "parameters": dict(c.parameters),
        "command_interfaces": [_interface(i) for i in c.commands],
        "state_interfaces": [_interface(i) for i in c.states],
    }  # fmt: skip


def _interface(i: Interface) -> dict[str, Any]:
    return {
        "name": i.name, "min": finite(i.minimum), "max": finite(i.maximum), "initial_value": finite(i.initial_value),
        "data_type": i.data_type, "size": i.size, "enable_limits": i.enable_limits, "parameters": dict(i.parameters),
    }  # fmt: skip


def _transmission(robot: Mechanism, name: str) -> dict[str, Any]:
    t = robot.transmissions[name]

    def end(name: str) -> dict[str, Any]:
        said = t.parameters
        return {
            "name": name, "role": said.get(f"{name}.role", ""), "offset": float(said.get(f"{name}.offset", 0.0)),
            "mechanical_reduction": float(said.get(f"{name}.mechanical_reduction", 1.0)),
        }  # fmt: skip

    return {
        "name": t.name, "type": t.type, "actuators": [end(a) for a in t.actuators],
        "joints": [end(str(j)) for j in t.joints],
    }  # fmt: skip


def _limits(limits: CommandLimits) -> dict[str, Any]:
    numbers = ("min_position", "max_position", "max_velocity", "max_effort", "max_acceleration", "max_deceleration",
               "max_jerk")  # fmt: skip
    return {name: finite(getattr(limits, name)) for name in numbers} | {"angle_wraparound": limits.angle_wraparound}
