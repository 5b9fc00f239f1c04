"""Gearwright: a mechanism compiler and simulator for robot actuation."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gearwright.errors import (
    BeyondLimitsWarning,
    BranchWarning,
    CacheWarning,
    CompileError,
    GearwrightError,
    LoadError,
    LoadWarning,
    ModelError,
    NotSimulatedWarning,
    RecordingWarning,
    SimulationError,
    SweepWarning,
    TracingError,
    UnsettledWarning,
)

if TYPE_CHECKING:
    from gearwright import robots
    from gearwright.control import PID, CombinedControllers
    from gearwright.diagnostics import Diagnostic
    from gearwright.display.reach_plots import plot_reach
    from gearwright.export import export_c
    from gearwright.formats import load, loads
    from gearwright.hardware.serving import serve
    from gearwright.learning import Env, VectorEnv
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
        ForceTorque,
        FourBarLinkage,
        FourBarLinkageTransmission,
        Imu,
        LimitSwitch,
        LinearMap,
        Losses,
        Mechanism,
        PneumaticCylinder,
        RodLinkage,
        Series,
        SimpleTransmission,
        Solenoid,
    )
    from gearwright.model.hardware.drives import Drive
    from gearwright.model.hardware.servos import with_servos
    from gearwright.page import view
    from gearwright.sim import Recording, Simulation, compile, open
    from gearwright.sim.ros2_control.mock_hardware import MockHardware
    from gearwright.study import sweep

__version__ = "0.1.0"

# public name → the module it is imported from when it is first used; so `import gearwright` stays fast
_LAZY = {
    "Diagnostic": "gearwright.diagnostics",
    "export_c": "gearwright.export",
    "sweep": "gearwright.study",
    "view": "gearwright.page",
    "plot_reach": "gearwright.display.reach_plots",
    "load": "gearwright.formats",
    "open": "gearwright.sim",
    "loads": "gearwright.formats",
    "migrate": "gearwright.migration",
    "serve": "gearwright.hardware.serving",
    "compile": "gearwright.sim",
    "Drive": "gearwright.model.hardware.drives",
    "Simulation": "gearwright.sim",
    "MockHardware": "gearwright.sim.ros2_control.mock_hardware",
    "Recording": "gearwright.sim",
    "Env": "gearwright.learning",
    "robots": "gearwright",
    "VectorEnv": "gearwright.learning",
    "PID": "gearwright.control",
    "CombinedControllers": "gearwright.control",
    "with_servos": "gearwright.model.hardware.servos",
    "Mechanism": "gearwright.model",
    "SimpleTransmission": "gearwright.model",
    "DifferentialTransmission": "gearwright.model",
    "FourBarLinkageTransmission": "gearwright.model",
    "LinearMap": "gearwright.model",
    "FourBarLinkage": "gearwright.model",
    "CustomJointMap": "gearwright.model",
    "CustomTransmission": "gearwright.model",
    "RodLinkage": "gearwright.model",
    "Series": "gearwright.model",
    "Actuator": "gearwright.model",
    "ElectricMotor": "gearwright.model",
    "DCMotor": "gearwright.model",
    "Solenoid": "gearwright.model",
    "PneumaticCylinder": "gearwright.model",
    "CustomActuator": "gearwright.model",
    "Encoder": "gearwright.model",
    "LimitSwitch": "gearwright.model",
    "ForceTorque": "gearwright.model",
    "Imu": "gearwright.model",
    "CustomSensor": "gearwright.model",
    "Losses": "gearwright.model",
    "Backlash": "gearwright.model",
}

__all__ = [
    "PID",
    "Actuator",
    "Backlash",
    "BeyondLimitsWarning",
    "BranchWarning",
    "CacheWarning",
    "CombinedControllers",
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
    "Env",
    "ForceTorque",
    "FourBarLinkage",
    "FourBarLinkageTransmission",
    "GearwrightError",
    "Imu",
    "LimitSwitch",
    "LinearMap",
    "LoadError",
    "LoadWarning",
    "Losses",
    "Mechanism",
    "MockHardware",
    "ModelError",
    "NotSimulatedWarning",
    "PneumaticCylinder",
    "Recording",
    "RecordingWarning",
    "RodLinkage",
    "Series",
    "SimpleTransmission",
    "Simulation",
    "SimulationError",
    "Solenoid",
    "SweepWarning",
    "TracingError",
    "UnsettledWarning",
    "VectorEnv",
    "compile",
    "export_c",
    "load",
    "loads",
    "migrate",
    "open",
    "plot_reach",
    "robots",
    "serve",
    "sweep",
    "view",
    "with_servos",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'gearwright' has no attribute {name!r}")
    value = import_module("gearwright.robots") if name == "robots" else getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
