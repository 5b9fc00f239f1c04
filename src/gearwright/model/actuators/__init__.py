"""Actuators: what turns a command into effort. One class a kind; `ACTUATORS` maps the names in files to them."""

from __future__ import annotations

from gearwright.model.actuators.actuator import COMMANDS, Actuator, Command, Shaft
from gearwright.model.actuators.custom_actuator import CustomActuator
from gearwright.model.actuators.dc_motor import DCMotor
from gearwright.model.actuators.electric_motor import ElectricMotor
from gearwright.model.actuators.linear_actuators import PneumaticCylinder, Solenoid

ACTUATORS: dict[str, type[Actuator]] = {
    kind.type: kind for kind in (Actuator, ElectricMotor, DCMotor, Solenoid, PneumaticCylinder)
}

__all__ = [
    "ACTUATORS", "COMMANDS", "Actuator", "Command", "CustomActuator", "DCMotor", "ElectricMotor", "PneumaticCylinder",
    "Shaft", "Solenoid",
]  # fmt: skip
