"""Links and joints in space: poses, velocities, accelerations, reactions, screws of the coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import casadi
from casadi import SX

from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.observers.link_motion import coordinate_screws, link_motions
from gearwright.dynamics.observers.present import Given, Outputs, joint_wrenches, moving_tree, present
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.kinematics import link_poses as poses_at
from gearwright.model.layout.slots import StepSlot

if TYPE_CHECKING:
    from gearwright.dynamics.equations import Equations


def link_poses(equations: Equations, given: Given) -> Outputs:
    """(links, 12): of each link its rotation matrix by rows, then its origin."""
    still: list[Scalar] = [0.0] * equations.model.dof
    tree = equations.model.tree(State(given[StepSlot.POSITION], still))
    poses = poses_at(equations.model.configuration(tree))
    return {"poses": _table([[*R[0], *R[1], *R[2], *p] for R, p in poses.values()], 12)}


def link_velocity(equations: Equations, given: Given) -> Outputs:
    """(links, 6): linear, at the link's origin, then angular, in the world's axes."""
    tree = moving_tree(equations, given)
    still: list[Scalar] = [0.0] * len(tree.v)
    moving = link_motions(equations.model.configuration(tree), tree.v, still)
    return {"link_velocity": _table([[*m.velocity.linear, *m.velocity.angular] for m in moving.values()], 6)}


def link_acceleration(equations: Equations, given: Given) -> Outputs:
    """(links, 6): accelerations in the same order; gravity is not in them."""
    now = present(equations, given)
    moving = link_motions(now.at, now.tree.v, now.vd)
    rows = [[*m.acceleration.linear, *m.acceleration.angular] for m in moving.values()]
    return {"link_acceleration": _table(rows, 6)}


def reaction(equations: Equations, given: Given) -> Outputs:
    """(joints, 6): force, then torque, in the order of `Equations.reacting`."""
    wrenches = joint_wrenches(equations, given, present(equations, given))
    return {"reaction": _table([[*wrenches[j].linear, *wrenches[j].moment] for j in equations.reacting], 6)}


def screws(equations: Equations, given: Given) -> Outputs:
    """(nv, 9): of each tree coordinate linear and angular velocity of what it carries, and the point of the former."""
    tree = equations.model.tree(State(given[StepSlot.POSITION], [0.0] * equations.model.dof))
    found = coordinate_screws(equations.model.configuration(tree))
    return {"screws": _table([[*S.linear, *S.angular, *p] for S, p in found], 9)}


def _table(rows: Sequence[Sequence[Scalar]], width: int) -> SX:
    return SX(casadi.vertcat(*(casadi.horzcat(*map(SX, row)) for row in rows))) if rows else SX(0, width)
