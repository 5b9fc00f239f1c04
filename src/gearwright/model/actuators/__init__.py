"""Actuators: what turns a command into effort. One class a kind, and one row in `ACTUATORS`."""

from __future__ import annotations

from gearwright.model.actuators.actuator import COMMANDS, Actuator, Command, Shaft
from gearwright.model.actuators.custom_actuator import CustomActuator
from gearwright.model.actuators.dc_motor import DCMotor
from gearwright.model.actuators.electric_motor import ElectricMotor
from gearwright.model.actuators.linear_actuators import PneumaticCylinder, Solenoid
from gearwright.registry import Registry

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
