"""Simulation as users see it: state by name, batches, stepping, recording."""

from typing import TYPE_CHECKING, Any

from gearwright.control import PID, CombinedControllers
from gearwright.model.servos import with_servos
from gearwright.sim.compiling import compile
from gearwright.sim.simulation import Simulation

if TYPE_CHECKING:
    from gearwright.sim.recordings import Recording

Together = CombinedControllers  # its old name

__all__ = ["PID", "CombinedControllers", "Recording", "Simulation", "Together", "compile", "with_servos"]


def __getattr__(name: str) -> Any:
    """Recordings are imported when they are first used."""
    if name != "Recording":
        raise AttributeError(f"module 'gearwright.sim' has no attribute {name!r}")
    from gearwright.sim.recordings import Recording

    return Recording
