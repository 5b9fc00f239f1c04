"""Users' controllers: called from Python by `Simulation.run`, or compiled into the step."""

from gearwright.control.combined import CombinedControllers
from gearwright.control.declared import Controller, Declared, declared
from gearwright.control.pid import PID

__all__ = ["PID", "CombinedControllers", "Controller", "Declared", "declared"]
