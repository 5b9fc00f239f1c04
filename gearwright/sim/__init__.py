"""Simulation as users see it: state by name, batches, stepping, recording."""

from gearwright.sim.compiling import compile
from gearwright.sim.recording import Recording
from gearwright.sim.simulation import Simulation

__all__ = ["Recording", "Simulation", "compile"]
