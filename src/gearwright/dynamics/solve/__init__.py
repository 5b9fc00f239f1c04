"""The velocities of a step with every law on its piece: stops, friction, drives and equalities, solved to the end."""

from gearwright.dynamics.solve.laws import (
    FAR,
    VERTICAL,
    Polyline,
    Vertex,
    between_rates,
    friction_and_stops,
    saturated,
    straight,
)
from gearwright.dynamics.solve.rows import Equality
from gearwright.dynamics.solve.switching import STARTED, Acting, Iteration, Law, Problem, Progress, started

__all__ = [
    "FAR",
    "STARTED",
    "VERTICAL",
    "Acting",
    "Equality",
    "Iteration",
    "Law",
    "Polyline",
    "Problem",
    "Progress",
    "Vertex",
    "between_rates",
    "friction_and_stops",
    "saturated",
    "started",
    "straight",
]
