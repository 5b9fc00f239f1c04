"""Gearwright: a mechanism compiler and simulator for robot actuation."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gearwright.errors import (
    CacheWarning,
    CompileError,
    GearwrightError,
    LoadError,
    ModelError,
    NotSimulatedWarning,
    SimulationError,
    TracingError,
)

if TYPE_CHECKING:
    from gearwright.diagnostics import Diagnostic
    from gearwright.dynamics.drives import Drive
    from gearwright.formats import load, loads
    from gearwright.migration import migrate
    from gearwright.model import (
        Actuator,
        Backlash,
        CustomActuator,
        CustomJointMap,
        CustomSensor,
        CustomTransmission,
        DCMotor,
        DifferentialTransmission,
        ElectricMotor,
        Encoder,
        FourBarLinkage,
        FourBarLinkageTransmission,
        LimitSwitch,
        LinearMap,
        Losses,
        Mechanism,
        PneumaticCylinder,
        Series,
        SimpleTransmission,
        Solenoid,
    )
    from gearwright.sim import PID, Recording, Simulation, compile, with_servos

__version__ = "0.1.0"

# public name → the module it is imported from when it is first used; so `import gearwright` stays fast
_LAZY = {
    "Diagnostic": "gearwright.diagnostics",
    "load": "gearwright.formats",
    "loads": "gearwright.formats",
    "migrate": "gearwright.migration",
    "compile": "gearwright.sim",
    "Drive": "gearwright.dynamics.drives",
    "Simulation": "gearwright.sim",
    "Recording": "gearwright.sim",
    "PID": "gearwright.sim",
    "with_servos": "gearwright.sim",
    "Mechanism": "gearwright.model",
    "SimpleTransmission": "gearwright.model",
    "DifferentialTransmission": "gearwright.model",
    "FourBarLinkageTransmission": "gearwright.model",
    "LinearMap": "gearwright.model",
    "FourBarLinkage": "gearwright.model",
    "CustomJointMap": "gearwright.model",
    "CustomTransmission": "gearwright.model",
    "Series": "gearwright.model",
    "Actuator": "gearwright.model",
    "ElectricMotor": "gearwright.model",
    "DCMotor": "gearwright.model",
    "Solenoid": "gearwright.model",
    "PneumaticCylinder": "gearwright.model",
    "CustomActuator": "gearwright.model",
    "Encoder": "gearwright.model",
    "LimitSwitch": "gearwright.model",
    "CustomSensor": "gearwright.model",
    "Losses": "gearwright.model",
    "Backlash": "gearwright.model",
}

__all__ = [
    "PID",
    "Actuator",
    "Backlash",
    "CacheWarning",
    "CompileError",
    "CustomActuator",
    "CustomJointMap",
    "CustomSensor",
    "CustomTransmission",
    "DCMotor",
    "Diagnostic",
    "DifferentialTransmission",
    "Drive",
    "ElectricMotor",
    "Encoder",
    "FourBarLinkage",
    "FourBarLinkageTransmission",
    "GearwrightError",
    "LimitSwitch",
    "LinearMap",
    "LoadError",
    "Losses",
    "Mechanism",
    "ModelError",
    "NotSimulatedWarning",
    "PneumaticCylinder",
    "Recording",
    "Series",
    "SimpleTransmission",
    "Simulation",
    "SimulationError",
    "Solenoid",
    "TracingError",
    "compile",
    "load",
    "loads",
    "migrate",
    "with_servos",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'gearwright' has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
