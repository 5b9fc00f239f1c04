"""The velocities of a step with every force law on its segment: stops, friction, drives and equalities, to
convergence."""

from gearwright.dynamics.solve.choosing import STARTED, Acting, Choice, Progress, choose
from gearwright.dynamics.solve.laws import (
    FAR,
    VERTICAL,
    Polyline,
    Vertex,
    friction_and_stops,
    saturated,
    straight,
)
from gearwright.dynamics.solve.rows import Equality
from gearwright.dynamics.solve.switching import Iteration, Problem, started

__all__ = [
    "FAR",
    "STARTED",
    "VERTICAL",
    "Acting",
    "Choice",
    "Equality",
    "Iteration",
    "Polyline",
    "Problem",
    "Progress",
    "Vertex",
    "choose",
    "friction_and_stops",
    "saturated",
    "started",
    "straight",
]
