"""The velocities of a step with every force law on its segment: stops, friction, drives and equalities, to
convergence."""

from gearwright.dynamics.solve.choosing import STARTED, Choice, Progress, choose
from gearwright.dynamics.solve.laws import (
    FAR,
    VERTICAL,
    ForceLaw,
    Vertex,
    friction_and_stops,
    saturated,
)
from gearwright.dynamics.solve.rows import Equality
from gearwright.dynamics.solve.switching import Iteration, Problem, started
from gearwright.dynamics.solve.terms import Polyline

__all__ = [
    "FAR",
    "STARTED",
    "VERTICAL",
    "Choice",
    "Equality",
    "ForceLaw",
    "Iteration",
    "Polyline",
    "Problem",
    "Progress",
    "Vertex",
    "choose",
    "friction_and_stops",
    "saturated",
    "started",
]
