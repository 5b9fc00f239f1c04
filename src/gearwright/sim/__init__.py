"""Simulation as users see it: state by name, batches, stepping, recording."""

from typing import TYPE_CHECKING, Any

from gearwright.control import PID, CombinedControllers
from gearwright.model.servos import with_servos
from gearwright.sim.compiling import compile
from gearwright.sim.simulation import Simulation

if TYPE_CHECKING:
    from gearwright.sim.recordings import Recording
    from gearwright.sim.saving.opening import open

Together = CombinedControllers  # its old name

__all__ = ["PID", "CombinedControllers", "Recording", "Simulation", "Together", "compile", "open", "with_servos"]


def __getattr__(name: str) -> Any:
    """Recordings and saved simulations are imported when they are first used."""
    if name == "Recording":
        from gearwright.sim.recordings import Recording

        return Recording
    if name == "open":
        from gearwright.sim.saving.opening import open

        return open
    raise AttributeError(f"module 'gearwright.sim' has no attribute {name!r}")
