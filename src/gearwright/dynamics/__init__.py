"""The physics: a mechanism's equations of motion, scalar-generic, and traced into CasADi Functions."""

from gearwright.dynamics.builder import Repeat
from gearwright.dynamics.equations import Equations
from gearwright.dynamics.stages import SOLVERS, TOLERANCE
from gearwright.dynamics.step import INTEGRATORS

__all__ = ["INTEGRATORS", "SOLVERS", "TOLERANCE", "Equations", "Repeat"]
