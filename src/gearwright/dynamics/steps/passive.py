"""Springs and dampers of axes and actuators, as terms of a phase."""

from __future__ import annotations

from gearwright.dynamics.algebra.scalar import Scalar, is_zero
from gearwright.dynamics.algebra.sparse import Sparse, combined
from gearwright.dynamics.constraints.moment import Moment, spring_damper
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve.terms import Term


def passive_terms(model: Model, now: Moment) -> list[Term]:
    """None of them has an impulse to be read."""
    return [*_springs(model, now), *_dampers(model, now)]


def _springs(model: Model, now: Moment) -> list[Term]:
    """Those of the axes, with their dampers."""
    axes, found = model.bodies.axes, []
    rows = zip(axes.damping, axes.stiffness, axes.reference, model.bodies.spring_positions, strict=True)
    for k, (damping, stiffness, reference, i) in enumerate(rows):
        if not is_zero(stiffness):
            found.append(spring_damper(now, {k: 1.0}, stiffness, damping, now.tree.q[i] - reference))
    return list(found)


def _dampers(model: Model, now: Moment) -> list[Term]:
    """Those of axes without springs and of actuators; one a coordinate, where they are along one.

    Together they decide how much of a coordinate's damping is implicit, and that takes one quotient.
    """
    axes, places = model.bodies.axes, model.reduction.velocities
    rows = enumerate(zip(axes.damping, axes.stiffness, strict=True))
    dampers: list[tuple[Sparse, Scalar]] = [({k: 1.0}, d) for k, (d, stiffness) in rows if is_zero(stiffness)]
    dampers += model.actuation.dampers(now)
    along: Sparse = {}
    found = []
    for J, damping in dampers:
        row = combined(J, now.tree.G)
        if len(row) == 1:
            ((n, x),) = row.items()
            along[n] = along.get(n, 0.0) + x * x * damping
        elif not is_zero(damping):
            found.append(spring_damper(now, J, 0.0, damping, 0.0))
    found += [spring_damper(now, {places[n]: 1.0}, 0.0, d, 0.0) for n, d in along.items() if not is_zero(d)]
    return list(found)
