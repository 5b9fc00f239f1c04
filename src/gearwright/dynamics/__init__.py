"""The physics: a mechanism's equations of motion, scalar-generic, and traced into CasADi Functions."""

from gearwright.dynamics.equations import Equations
from gearwright.dynamics.steps.builder import Node, Repeat, Unless
from gearwright.dynamics.steps.sweep import SOLVERS
from gearwright.dynamics.steps.unconstrained import INTEGRATORS

__all__ = ["INTEGRATORS", "SOLVERS", "Equations", "Node", "Repeat", "Unless"]
