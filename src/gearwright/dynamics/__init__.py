"""The physics: a mechanism's equations of motion, scalar-generic, and traced into CasADi Functions."""

from gearwright.dynamics.equations import Equations
from gearwright.dynamics.step import INTEGRATORS
from gearwright.dynamics.steps.builder import Repeat
from gearwright.dynamics.steps.sweep import SOLVERS, TOLERANCE

__all__ = ["INTEGRATORS", "SOLVERS", "TOLERANCE", "Equations", "Repeat"]
