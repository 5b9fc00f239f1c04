"""Coordinates, shafts, couplings and loops: where they are, how they accelerate, how far they are from holding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from casadi import SX

from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.sparse import combined
from gearwright.dynamics.constraints.closures import ClosureRows
from gearwright.dynamics.constraints.loop_joint_readings import cut_joint_readings
from gearwright.dynamics.constraints.rows import ConstraintGroup, CouplingRow, Instant
from gearwright.dynamics.observers.present import Given, Outputs, moving_tree, present
from gearwright.dynamics.tree.coordinates import State
from gearwright.model.layout.slots import StepSlot

if TYPE_CHECKING:
    from gearwright.dynamics.equations import Equations


def tree(equations: Equations, given: Given) -> Outputs:
    """The tree's position and velocity, and each coupling's error C."""
    now = moving_tree(equations, given)
    return {
        "tree_position": now.q,
        "tree_velocity": now.v,
        "coupling_error": _coupling_errors(equations, now.q),
    }


def shafts(equations: Equations, given: Given) -> Outputs:
    """Position and velocity of each actuator's own axis; 0 if not connected."""
    seen = equations.model.actuation.seen(moving_tree(equations, given))
    return {
        "shaft_position": [seen[n].position if n in seen else 0.0 for n in equations.actuators],
        "shaft_velocity": [seen[n].speed if n in seen else 0.0 for n in equations.actuators],
    }


def observation(equations: Equations, given: Given) -> Outputs:
    """The tree's position and velocity, its acceleration, and each coupling's error C and effort λ.

    λ acts on the follower; on leader i, λ·Gᵢ. Loops are closed at the instant of the acceleration; other rows act as
    they did in the step that ends here.
    """
    model, end = equations.model, moving_tree(equations, given)
    now, at, vd, effort, impulses = present(equations, given)
    missing = model.residual_effort(at, now, vd, effort)
    exact = zip(model.reduction.ties, model.reduction.efforts(now.q, missing), strict=True)
    efforts = {tie.name: x for tie, x in exact}
    for name, group, x in zip(equations.rows, _each_row(equations.groups), impulses, strict=True):
        if isinstance(group, CouplingRow):
            efforts[name] = x / given[StepSlot.DT][0]
    return {
        "tree_position": end.q,
        "tree_velocity": end.v,
        "tree_acceleration": vd,
        "coupling_error": _coupling_errors(equations, end.q),
        "coupling_effort": [efforts[name] for name in equations.couplings],
    }


def closure(equations: Equations, given: Given) -> Outputs:
    """How far loops are from closing, and ∂ of that over the independent velocities."""
    model = equations.model
    now = model.tree(State(given[StepSlot.POSITION], [0.0] * model.dof))
    instant = Instant(now, model.configuration(now), 1.0)
    rows = [row for group in equations.groups if isinstance(group, ClosureRows) for row in group.position_rows(instant)]
    J = SX(len(rows), model.dof)
    for i, row in enumerate(rows):
        for n, x in combined(row.J, now.G).items():
            J[i, n] = SX(x)
    return {"error": [row.error for row in rows], "jacobian": J}


def cut_joints(equations: Equations, given: Given) -> Outputs:
    """Positions and velocities of joints that close loops."""
    model = equations.model
    now = moving_tree(equations, given)
    q, v = cut_joint_readings(equations.mechanism, model.bodies, equations.values, model.configuration(now), now.v)
    return {"cut_position": q, "cut_velocity": v}


def _coupling_errors(equations: Equations, q: list[Scalar]) -> list[Scalar]:
    """C of each coupling."""
    ties = {tie.name: tie for tie in equations.model.reduction.ties}
    ties |= {group.name: group.tie for group in equations.groups if isinstance(group, CouplingRow)}
    return [ties[name].error(q) for name in equations.couplings]


def _each_row(groups: Sequence[ConstraintGroup]) -> list[ConstraintGroup]:
    return [group for group in groups for _ in range(group.size)]
