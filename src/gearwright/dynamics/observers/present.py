"""The present instant with all that acts: accelerations, efforts, and wrenches at joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.rows import row_efforts
from gearwright.dynamics.observers.body_signals import body_signals
from gearwright.dynamics.observers.link_motion import link_motions
from gearwright.dynamics.observers.loop_forces import Rows
from gearwright.dynamics.observers.reactions import Reactions, cut_wrenches
from gearwright.dynamics.solve.floors import Floors
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.dynamics.tree.reduction import TreeState
from gearwright.model.slots import SlotName, StepSlot

if TYPE_CHECKING:
    from gearwright.dynamics.equations import Equations

Given = Mapping[SlotName, list[Scalar]]
Outputs = dict[str, Any]


class Present(NamedTuple):
    """This instant: where the tree is, what it is doing, and what acts along its coordinates."""

    tree: TreeState
    at: Configuration
    vd: list[Scalar]
    effort: list[Scalar]  # held, of actuators and of rows
    impulses: list[Scalar]  # λ·dt of each row


def moving_tree(equations: Equations, given: Given) -> TreeState:
    return equations.model.tree(State(given[StepSlot.POSITION], given[StepSlot.VELOCITY]))


def present(equations: Equations, given: Given) -> Present:
    """Accelerations with all that acts. Friction, stops, motors and couplings act as in the step that ends here."""
    model, state = equations.model, State(given[StepSlot.POSITION], given[StepSlot.VELOCITY])
    tree = model.tree(state)
    at = model.configuration(tree)
    actuator = given.get(StepSlot.ACTUATOR, [])
    acting = model.actuation.having(tree, actuator) if actuator else []
    effort = model.total_effort(tree, given[StepSlot.EFFORT], acting)
    impulses: list[Scalar] = []
    if equations.kinds:
        idle = [0.0] * (2 * len(equations.drives))  # J needs no targets, nor commands
        now = Moment.of_instant(tree, at, given[StepSlot.DT][0], model.dof)
        now = now._replace(target=idle, command=actuator, memory=actuator, acting=acting)
        rows = Rows(equations.kinds, model, Floors.of(equations.eps))
        impulses = rows.impulses(now, state, effort, given[StepSlot.IMPULSE])
        of_rows = row_efforts(equations.kinds, now, impulses)
        effort = [own + other for own, other in zip(effort, of_rows, strict=True)]
    return Present(tree, at, tree.accelerations(model.acceleration(state, effort)), effort, impulses)


def joint_wrenches(equations: Equations, given: Given, now: Present) -> Mapping[str, Any]:
    """By joint what its parent puts on its child."""
    moving = link_motions(now.at, now.tree.v, now.vd)
    cuts: Mapping[str, Any] = {}
    if equations.mechanism.tree.cuts:
        cuts = cut_wrenches(equations.mechanism, equations.kinds, now.at, now.impulses, given[StepSlot.DT][0])
    balance = Reactions(equations.mechanism, equations.values)
    return balance.wrenches(now.at.system.gravity, moving, equations.model.loads, cuts)


def observed_by_sensors(equations: Equations, given: Given) -> dict[str, list[Scalar]]:
    """Readings of force-torque sensors and IMUs, by sensor."""
    now = present(equations, given)
    wrenches = joint_wrenches(equations, given, now)
    moving = link_motions(now.at, now.tree.v, now.vd)
    return body_signals(equations.mechanism, wrenches, moving, now.at.system.gravity)
