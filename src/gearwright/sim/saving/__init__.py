"""Compiled simulations in files: `Simulation.save`, `gearwright.open`."""

from gearwright.sim.saving.opening import open
from gearwright.sim.saving.writing import save

__all__ = ["open", "save"]
