"""Questions that can be asked of a mechanism at one instant: one row each.

A row says what the answer needs. `acting` ones need all that acts, since they depend on accelerations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from gearwright.dynamics.observers.contacts import contact_force, contacts
from gearwright.dynamics.observers.coordinates import closure, cut_joints, observation, shafts, tree
from gearwright.dynamics.observers.links import link_acceleration, link_poses, link_velocity, reaction, screws
from gearwright.dynamics.observers.motion_terms import bias, energy, inverse_dynamics, mass_matrix, momentum
from gearwright.dynamics.observers.present import Given, Outputs
from gearwright.model.layout.slots import SlotName, StepSlot

if TYPE_CHECKING:
    from gearwright.dynamics.equations import Equations


class Observer(NamedTuple):
    """A question: its inputs beside parameters and wrenches, and its answer."""

    inputs: tuple[SlotName, ...]
    trace: Callable[[Equations, Given], Outputs]
    acting: bool = False  # needs all that acts


PLACED, MOVING = (StepSlot.POSITION,), (StepSlot.POSITION, StepSlot.VELOCITY)
TOUCHED = (*MOVING, StepSlot.IMPULSE, StepSlot.DT)

OBSERVERS: dict[str, Observer] = {
    "tree": Observer(MOVING, tree),
    "shafts": Observer(MOVING, shafts),
    "observation": Observer(MOVING, observation, acting=True),
    "closure": Observer(PLACED, closure),
    "cut_joints": Observer(MOVING, cut_joints),
    "link_poses": Observer(PLACED, link_poses),
    "link_velocity": Observer(MOVING, link_velocity),
    "link_acceleration": Observer(MOVING, link_acceleration, acting=True),
    "reaction": Observer(MOVING, reaction, acting=True),
    "contacts": Observer(TOUCHED, contacts),
    "contact_force": Observer(TOUCHED, contact_force),
    "screws": Observer(PLACED, screws),
    "energy": Observer(MOVING, energy),
    "momentum": Observer(MOVING, momentum),
    "mass_matrix": Observer((StepSlot.TREE_POSITION,), mass_matrix),
    "bias": Observer((StepSlot.TREE_POSITION, StepSlot.TREE_VELOCITY), bias),
    "inverse_dynamics": Observer((*MOVING, StepSlot.ACCELERATION), inverse_dynamics),
}
