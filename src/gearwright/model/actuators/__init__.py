"""Actuators: what turns a command into effort. One class a kind, and one row in `ACTUATORS`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names
from gearwright.model.actuators.actuator import COMMANDS, Actuator, Command, Shaft
from gearwright.registry import Registry

if TYPE_CHECKING:
    from gearwright.model.actuators.custom_actuator import CustomActuator
    from gearwright.model.actuators.dc_motor import DCMotor
    from gearwright.model.actuators.electric_motor import ElectricMotor
    from gearwright.model.actuators.linear_actuators import PneumaticCylinder, Solenoid

ACTUATORS: Registry[type[Actuator]] = Registry(
    "gearwright.actuators",
    {
        "ideal": "gearwright.model.actuators.actuator:Actuator",
        "electric_motor": "gearwright.model.actuators.electric_motor:ElectricMotor",
        "dc_motor": "gearwright.model.actuators.dc_motor:DCMotor",
        "solenoid": "gearwright.model.actuators.linear_actuators:Solenoid",
        "pneumatic": "gearwright.model.actuators.linear_actuators:PneumaticCylinder",
    },
)

__all__ = [
    "ACTUATORS", "COMMANDS", "Actuator", "Command", "CustomActuator", "DCMotor", "ElectricMotor", "PneumaticCylinder",
    "Shaft", "Solenoid",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = lazy_names(
        __name__,
        {
            "CustomActuator": "gearwright.model.actuators.custom_actuator",
            **{kind.partition(":")[2]: kind.partition(":")[0] for kind in ACTUATORS.rows.values()},
        },
    )
