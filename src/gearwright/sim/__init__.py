"""Simulation as users see it: state by name, batches, stepping, recording."""

from gearwright.control import PID, CombinedControllers
from gearwright.model.servos import with_servos
from gearwright.sim.compiling import compile
from gearwright.sim.recordings import Recording
from gearwright.sim.simulation import Simulation

Together = CombinedControllers  # its old name

__all__ = ["PID", "CombinedControllers", "Recording", "Simulation", "Together", "compile", "with_servos"]
