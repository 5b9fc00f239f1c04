"""What can be asked of a mechanism at one instant beside its motion: one row a question.

`acting` ones need all that acts, since they depend on accelerations; the others only positions and velocities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import casadi
from casadi import SX

from gearwright.dynamics.algebra.scalar import Scalar, plus
from gearwright.dynamics.constraints.loop_joint_readings import cut_joint_readings
from gearwright.dynamics.constraints.rows import Instant, row_efforts
from gearwright.dynamics.observers.link_motion import coordinate_screws, link_motions
from gearwright.dynamics.observers.reactions import Reactions, cut_wrenches
from gearwright.dynamics.sensing.body_signals import body_signals
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.dynamics.tree.motion import State
from gearwright.dynamics.tree.reduction import TreeState

if TYPE_CHECKING:
    from gearwright.dynamics.equations import Equations

Given = Mapping[str, list[Scalar]]  # slots
Outputs = dict[str, Any]


class Present(NamedTuple):
    """This instant: where the tree is, what it is doing, and what acts along its coordinates."""

    tree: TreeState
    at: Configuration
    vd: list[Scalar]
    effort: list[Scalar]  # held, of actuators and of rows


def present(equations: Equations, given: Given) -> Present:
    """Accelerations with all that acts; rows act as they did in the step that ends here."""
    model, state = equations.model, State(given["position"], given["velocity"])
    tree = model.tree(state)
    at = model.configuration(tree)
    actuator = given.get("actuator", [])
    acting = model.actuation.having(tree, actuator) if actuator else []
    effort = model.pushed(tree, given["effort"], acting)
    if equations.kinds:
        idle = [0.0] * (2 * len(equations.drives))  # J needs no targets, nor commands
        now = Instant(tree, at, given["dt"][0], idle, actuator, actuator, acting)
        of_rows = row_efforts(equations.kinds, now, given["impulse"])
        effort = [plus(own, other) for own, other in zip(effort, of_rows, strict=True)]
    return Present(tree, at, tree.accelerations(model.acceleration(state, effort)), effort)


def link_velocity(equations: Equations, given: Given) -> Outputs:
    """(links, 6): linear, at the link's origin, then angular, in the world's axes."""
    tree = equations.model.tree(State(given["position"], given["velocity"]))
    still: list[Scalar] = [0.0] * len(tree.v)
    moving = link_motions(equations.model.configuration(tree), tree.v, still)
    return {"link_velocity": _table([[*m.velocity.linear, *m.velocity.angular] for m in moving.values()], 6)}


def link_acceleration(equations: Equations, given: Given) -> Outputs:
    """(links, 6): the same of accelerations; gravity is not in them."""
    now = present(equations, given)
    moving = link_motions(now.at, now.tree.v, now.vd)
    rows = [[*m.acceleration.linear, *m.acceleration.angular] for m in moving.values()]
    return {"link_acceleration": _table(rows, 6)}


def reaction(equations: Equations, given: Given) -> Outputs:
    """(joints, 6): force, then torque, in the order of `Equations.reacting`."""
    wrenches = joint_wrenches(equations, given, present(equations, given))
    return {"reaction": _table([[*wrenches[j].linear, *wrenches[j].moment] for j in equations.reacting], 6)}


def joint_wrenches(equations: Equations, given: Given, now: Present) -> Mapping[str, Any]:
    """By joint what its parent puts on its child."""
    moving = link_motions(now.at, now.tree.v, now.vd)
    cuts: Mapping[str, Any] = {}
    if equations.mechanism.tree.cuts:
        cuts = cut_wrenches(equations.mechanism, equations.kinds, now.at, given["impulse"], given["dt"][0])
    balance = Reactions(equations.mechanism, equations.values)
    return balance.wrenches(now.at.system.gravity, moving, equations.model.loads, cuts)


def observed_by_sensors(equations: Equations, given: Given) -> dict[str, list[Scalar]]:
    """What force-torque sensors and IMUs read, by sensor."""
    now = present(equations, given)
    wrenches = joint_wrenches(equations, given, now)
    moving = link_motions(now.at, now.tree.v, now.vd)
    return body_signals(equations.mechanism, wrenches, moving, now.at.system.gravity)


def screws(equations: Equations, given: Given) -> Outputs:
    """(nv, 9): of each tree coordinate linear and angular velocity of what it carries, and the point of the former."""
    tree = equations.model.tree(State(given["position"], [0.0] * equations.model.dof))
    found = coordinate_screws(equations.model.configuration(tree))
    return {"screws": _table([[*S.linear, *S.angular, *p] for S, p in found], 9)}


def cut_joints(equations: Equations, given: Given) -> Outputs:
    """Positions and velocities of joints that close loops."""
    tree = equations.model.tree(State(given["position"], given["velocity"]))
    at = equations.model.configuration(tree)
    q, v = cut_joint_readings(equations.mechanism, equations.model.bodies, equations.values, at, tree.v)
    return {"cut_position": q, "cut_velocity": v}


def inverse_dynamics(equations: Equations, given: Given) -> Outputs:
    """(position, velocity, acceleration) → efforts along the tree's coordinates that these accelerations take."""
    model = equations.model
    tree = model.tree(State(given["position"], given["velocity"]))
    vd = tree.accelerations(given["acceleration"])
    return {"needed": model.missing(model.configuration(tree), tree, vd, [0.0] * len(tree.v))}


def _table(rows: Sequence[Sequence[Scalar]], width: int) -> SX:
    return SX(casadi.vertcat(*(casadi.horzcat(*row) for row in rows))) if rows else SX(0, width)


class Observer(NamedTuple):
    """A question: what it needs beside parameters and wrenches, and its answer."""

    inputs: tuple[str, ...]
    trace: Callable[[Equations, Given], Outputs]
    acting: bool = False  # needs all that acts


MOVING = ("position", "velocity")

OBSERVERS: dict[str, Observer] = {
    "link_velocity": Observer(MOVING, link_velocity),
    "link_acceleration": Observer(MOVING, link_acceleration, acting=True),
    "reaction": Observer(MOVING, reaction, acting=True),
    "screws": Observer(("position",), screws),
    "cut_joints": Observer(MOVING, cut_joints),
    "inverse_dynamics": Observer((*MOVING, "acceleration"), inverse_dynamics),
}
