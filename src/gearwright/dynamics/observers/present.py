"""The present instant with all that acts: accelerations, efforts, and wrenches at joints.

Motors and drives that depend on the motion are known by what they did in the last step, on average. Beside that, the
weight or a damper at its end would be half a step late, and a stiff damper's error is larger than the acceleration. So
the instant of such a robot is the middle of the last step; before the first step it is the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from casadi import SX

from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import Scalar, total, where
from gearwright.dynamics.algebra.spatial import Force
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.rows import row_efforts
from gearwright.dynamics.observers.body_signals import body_signals
from gearwright.dynamics.observers.last_step import LastStep
from gearwright.dynamics.observers.link_motion import link_motions
from gearwright.dynamics.observers.loop_forces import LoopForceRows
from gearwright.dynamics.observers.reactions import Reactions, cut_wrenches
from gearwright.dynamics.solve.floors import Floors
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.dynamics.tree.reduction import TreeState
from gearwright.model.layout.slots import SlotName, StepSlot

if TYPE_CHECKING:
    from gearwright.dynamics.equations import Equations

Given = Mapping[SlotName, list[Scalar]]
Outputs = dict[str, list[Scalar] | SX]


class Present(NamedTuple):
    """The instant: where the tree is, what it is doing, and what acts along its coordinates."""

    tree: TreeState
    at: Configuration
    vd: list[Scalar]
    effort: list[Scalar]  # held, of actuators and of rows
    impulses: list[Scalar]  # λ·dt of each row


def moving_tree(equations: Equations, given: Given) -> TreeState:
    return equations.model.tree(State(given[StepSlot.POSITION], given[StepSlot.VELOCITY]))


def present(equations: Equations, given: Given) -> Present:
    """Accelerations with all that acts. Friction, stops, motors and couplings act as in the step that ends here."""
    model, last = equations.model, _last_step(equations, given)
    state = State(given[StepSlot.POSITION], given[StepSlot.VELOCITY]) if last is None else last.middle
    tree = model.tree(state)
    at = model.configuration(tree)
    actuator = given.get(StepSlot.ACTUATOR, [])
    acting = model.actuation.having(tree, actuator) if actuator else []
    effort = model.total_effort(tree, given[StepSlot.EFFORT], acting)
    impulses: list[Scalar] = []
    if equations.groups:
        idle = [0.0] * (2 * len(equations.drives))  # J needs no targets, nor commands
        now = Moment.of_instant(tree, at, given[StepSlot.DT][0], model.dof)
        now = now._replace(target=idle, command=actuator, memory=actuator, acting=acting)
        if last is not None:
            mass = FrontalMatrix(model.mass_matrix(at, tree)).diagonal(model.dof)
            effort = effort + last.beside_middle(now, mass)
        rows = LoopForceRows(equations.groups, model, Floors.of(equations.eps))
        impulses = rows.impulses(now, state, effort, given[StepSlot.IMPULSE])
        effort = effort + row_efforts(equations.groups, now, impulses)
    return Present(tree, at, tree.accelerations(model.acceleration(state, effort)), effort, impulses)


def _last_step(equations: Equations, given: Given) -> LastStep | None:
    """Where accelerations are those of its middle. Before the first step the mean velocity is the velocity."""
    if not equations.seen_in_the_middle:
        return None
    end, w = State(given[StepSlot.POSITION], given[StepSlot.VELOCITY]), given[StepSlot.MEAN_VELOCITY]
    moved = total(*(abs(a - b) for a, b in zip(w, end.u, strict=True))) > 0.0
    length = given[StepSlot.DT][0] / (1.0 + given[StepSlot.SUBSTEPPING][0])
    return LastStep(equations.model, end, w, where(moved, length, 0.0))


def joint_wrenches(equations: Equations, given: Given, now: Present) -> Mapping[str, Force]:
    """By joint what its parent puts on its child."""
    from gearwright.dynamics.observers.contacts import contact_loads

    moving = link_motions(now.at, now.tree.v, now.vd)
    cuts: Mapping[str, Force] = {}
    if equations.mechanism.tree.cuts:
        cuts = cut_wrenches(equations.mechanism, equations.groups, now.at, now.impulses, given[StepSlot.DT][0])
    balance = Reactions(equations.mechanism, equations.values)
    loads = (*equations.model.loads, *contact_loads(equations, given))
    return balance.wrenches(now.at.system.gravity, moving, loads, cuts)


def observed_by_sensors(equations: Equations, given: Given) -> dict[str, list[Scalar]]:
    """Readings of force-torque sensors, IMUs and contact sensors, by sensor."""
    from gearwright.dynamics.observers.contacts import touch

    now = present(equations, given)
    wrenches = joint_wrenches(equations, given, now)
    moving = link_motions(now.at, now.tree.v, now.vd)
    return body_signals(equations.mechanism, wrenches, moving, now.at.system.gravity, partial(touch, equations, given))
