"""Springs and dampers of axes and actuators, as terms of a phase."""

from __future__ import annotations

from collections.abc import Sequence

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
    rows, places = damper_rows(model, now), model.reduction.velocities
    apart = [
        spring_damper(now, J, 0.0, d, 0.0) for J, d in rows if len(combined(J, now.tree.G)) != 1 and not is_zero(d)
    ]
    together = along_coordinates(rows, now.tree.G).items()
    return [*apart, *(spring_damper(now, {places[n]: 1.0}, 0.0, d, 0.0) for n, d in together if not is_zero(d))]


def damper_rows(model: Model, now: Moment) -> list[tuple[Sparse, Scalar]]:
    """Dampers of axes without springs and of actuators, along the tree's velocities."""
    axes = model.bodies.axes
    rows = enumerate(zip(axes.damping, axes.stiffness, strict=True))
    own: list[tuple[Sparse, Scalar]] = [({k: 1.0}, d) for k, (d, stiffness) in rows if is_zero(stiffness)]
    return own + model.actuation.dampers(now)


def along_coordinates(rows: Sequence[tuple[Sparse, Scalar]], G: list[Sparse]) -> Sparse:
    """By independent coordinate, the dampers that are along it alone."""
    along: Sparse = {}
    for J, damping in rows:
        row = combined(J, G)
        if len(row) == 1:
            ((n, x),) = row.items()
            along[n] = along.get(n, 0.0) + x * x * damping
    return along
