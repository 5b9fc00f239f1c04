"""Actuators: what turns a command into effort. One class per kind, and one row in `ACTUATORS`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names
from gearwright.registry import Registry

if TYPE_CHECKING:  # `as` exports a name
    from gearwright.model.actuators.actuator import COMMANDS as COMMANDS
    from gearwright.model.actuators.actuator import Actuator as Actuator
    from gearwright.model.actuators.actuator import Command as Command
    from gearwright.model.actuators.actuator import Shaft as Shaft
    from gearwright.model.actuators.affine import ActivatedActuator as ActivatedActuator
    from gearwright.model.actuators.affine import AffineActuator as AffineActuator
    from gearwright.model.actuators.affine import PIDActuator as PIDActuator
    from gearwright.model.actuators.custom_actuator import CustomActuator as CustomActuator
    from gearwright.model.actuators.dc_motor import DCMotor as DCMotor
    from gearwright.model.actuators.electric_motor import ElectricMotor as ElectricMotor
    from gearwright.model.actuators.learned_actuator import LearnedActuator as LearnedActuator
    from gearwright.model.actuators.linear_actuators import PneumaticCylinder as PneumaticCylinder
    from gearwright.model.actuators.linear_actuators import Solenoid as Solenoid
    from gearwright.model.actuators.position_servo import PositionServo as PositionServo
    from gearwright.model.actuators.supply import Supply as Supply
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

ACTUATORS: Registry[type[Actuator]] = Registry(
    "gearwright.actuators",
    {
        "ideal": "gearwright.model.actuators.actuator:Actuator",
        "electric_motor": "gearwright.model.actuators.electric_motor:ElectricMotor",
        "dc_motor": "gearwright.model.actuators.dc_motor:DCMotor",
        "servo": "gearwright.model.actuators.position_servo:PositionServo",
        "solenoid": "gearwright.model.actuators.linear_actuators:Solenoid",
        "affine": "gearwright.model.actuators.affine:AffineActuator",
        "activated": "gearwright.model.actuators.affine:ActivatedActuator",
        "pid": "gearwright.model.actuators.affine:PIDActuator",
        "pneumatic": "gearwright.model.actuators.linear_actuators:PneumaticCylinder",
    },
)
