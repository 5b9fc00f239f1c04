"""Gearwright: a mechanism compiler and simulator for robot actuation."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gearwright.errors import (
    CompileError,
    GearwrightError,
    LoadError,
    ModelError,
    NotSimulatedWarning,
    SimulationError,
)

if TYPE_CHECKING:
    from gearwright.diagnostics import Diagnostic
    from gearwright.dynamics.drives import Drive
    from gearwright.formats import load, loads
    from gearwright.model import (
        DifferentialTransmission,
        FourBarLinkageTransmission,
        LinearMap,
        Mechanism,
        SimpleTransmission,
    )
    from gearwright.sim import Recording, Simulation, compile

__version__ = "0.1.0"

# public name → the module it is imported from when it is first used; so `import gearwright` stays fast
_LAZY = {
    "Diagnostic": "gearwright.diagnostics",
    "load": "gearwright.formats",
    "loads": "gearwright.formats",
    "compile": "gearwright.sim",
    "Drive": "gearwright.dynamics.drives",
    "Simulation": "gearwright.sim",
    "Recording": "gearwright.sim",
    "Mechanism": "gearwright.model",
    "SimpleTransmission": "gearwright.model",
    "DifferentialTransmission": "gearwright.model",
    "FourBarLinkageTransmission": "gearwright.model",
    "LinearMap": "gearwright.model",
}

__all__ = [
    "CompileError",
    "Diagnostic",
    "DifferentialTransmission",
    "Drive",
    "FourBarLinkageTransmission",
    "GearwrightError",
    "LinearMap",
    "LoadError",
    "Mechanism",
    "ModelError",
    "NotSimulatedWarning",
    "Recording",
    "SimpleTransmission",
    "Simulation",
    "SimulationError",
    "compile",
    "load",
    "loads",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'gearwright' has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
