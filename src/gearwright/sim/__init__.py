"""Simulation as users see it: state by name, batches, stepping, recording."""

from gearwright.sim.compiling import compile
from gearwright.sim.control import PID, Together
from gearwright.sim.recording import Recording
from gearwright.sim.servos import with_servos
from gearwright.sim.simulation import Simulation

__all__ = ["PID", "Recording", "Simulation", "Together", "compile", "with_servos"]
