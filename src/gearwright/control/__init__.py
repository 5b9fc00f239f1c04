"""Users' controllers: called from Python by `Simulation.run`, or compiled into the step."""

from gearwright.control.combined import CombinedControllers
from gearwright.control.declared import Controller, Declared, declared
from gearwright.control.pid import PID
from gearwright.control.policy import Policy

__all__ = ["PID", "CombinedControllers", "Controller", "Declared", "Policy", "declared"]
