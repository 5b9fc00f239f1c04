"""Slots of a step in the making, one line each: `build.rhs` are the numbers, `Slots.rhs` is the slot's name.

Those that other layers name have their names from `model.layout.slots`; the rest passes between the stages of a step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import overload

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.model.layout.slots import SlotName, StepSlot


class Numbers:
    """One slot: its name on the class, its numbers on a step."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = SlotName(name)

    @overload
    def __get__(self, step: None, owner: type) -> SlotName: ...
    @overload
    def __get__(self, step: Slots, owner: type) -> Column: ...
    def __get__(self, step: Slots | None, owner: type) -> SlotName | Column:
        return self.name if step is None else step[self.name]

    def __set__(self, step: Slots, values: Sequence[Scalar]) -> None:
        step[self.name] = values


class Shared(Numbers):
    """One that has its name from the layout, where the attribute is written in capitals."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = getattr(StepSlot, name.upper())


class Slots(ABC):
    """Every slot that stages name. Without a `__dict__`: setting any other attribute is an error."""

    __slots__ = ()

    position = Shared()
    velocity = Shared()
    mean_velocity = Shared()
    missed = Shared()
    smooth = Shared()
    impulse = Shared()
    segment = Shared()
    substepping = Shared()
    unsettled = Shared()
    opened = Shared()
    actuator = Shared()
    friction = Shared()
    mass = Shared()
    factors = Shared()
    fresh = Shared()
    effort = Shared()
    command = Shared()
    target = Shared()
    parameter = Shared()
    dt = Shared()

    # velocities with laws on their segments
    system = Numbers()  # matrix and terms, carried from the stage that makes them
    at_start = Numbers()  # what else later stages need of a step's start
    rhs = Numbers()  # right-hand side
    u = Numbers()  # velocities
    segment_tried = Numbers()  # by polyline: the segment that a solution is made with,
    segment_found = Numbers()  # and the one that it belongs to
    point = Numbers()  # rate at which each curve has its line
    cone_point = Numbers()  # rates at which each contact's cone is touched
    shift = Numbers()  # of each contact: the speed that it slips with, about
    may_touch = Numbers()  # a contact may touch
    is_free = Numbers()  # the solution without contacts is final
    met = Numbers()  # contacts are on their cones with these shifts
    fast = Numbers()  # points go where each contact alone would meet its cone,
    base = Numbers()  # else with these velocities, by a share of the way to the solution
    way_numbers = Numbers()  # dᵀ·H·d and the affine impulses' work on that way
    ends = Numbers()  # shares between which the least potential is, and the slopes there
    level = Numbers()  # the slope that is small enough
    share = Numbers()  # of the way
    found_share = Numbers()  # ends the search for it
    follows = Numbers()  # times that points have followed the solution in this phase
    way = Numbers()  # how far each law has got along its polyline
    progress = Numbers()  # of the switching: `solve.choosing.Progress`
    polyline = Numbers()  # impulses: of polylines,
    equality = Numbers()  # of equalities,
    curve = Numbers()  # of curves,
    cone = Numbers()  # of contacts
    agreed = Numbers()  # laws are on their segments, wherever curves are
    settled = Numbers()  # ends the switching

    # with fewer contacts
    apart = Numbers()  # what a step leaves out is far apart
    near = Numbers()  # it is not

    # the iteration for the mean velocity w
    guess = Numbers()  # w that the first iteration starts from
    start = Numbers()  # w that an iteration starts from
    change = Numbers()  # of w by the last iteration
    relaxation = Numbers()  # Aitken's factor of that change
    residual = Numbers()  # the change, over the bound within which w is near a solution
    momentum = Numbers()
    force = Numbers()
    momentum_after = Numbers()
    converged = Numbers()  # ends the iteration
    iteration = Numbers()  # its number, from 1
    motion = Numbers()  # error of the motion: above 1 the substep is too long for it

    taken = Numbers()  # position and speed at which actuators with states had their efforts in the first half

    # energy
    pull = Numbers()  # efforts, weight and loads where the substep begins
    kick = Numbers()  # impulses by its middle, those of loops not
    due = Numbers()  # twice the kinetic energy that there ought to be at its end

    # substeps
    share_of_step = Numbers()  # of dt, that the substep is
    remaining = Numbers()  # share of dt still to be made
    length = Numbers()  # h [s]
    aim = Numbers()  # targets for the end of the substep
    impulse_so_far = Numbers()
    mean_so_far = Numbers()  # the same of what actuators show as means over the step
    accepted = Numbers()  # else it is made again in half its length
    sound = Numbers()  # it is not the shortest, or has not failed
    failed = Numbers()  # one has, and was accepted: the step is counted
    step_done = Numbers()  # ends the substeps

    # the way back from beyond stops
    inertia = Numbers()  # the diagonal of M
    within = Numbers()  # no axis is beyond its stop

    # loops
    inertia_before = Numbers()  # M where a step begins, that has no slot of its own for it
    gap = Numbers()  # errors of rows
    closing = Numbers()  # factors of H and of rows, as velocities are found with
    give = Numbers()  # compliances of the rows of loops
    as_before = Numbers()  # loops give way as much as in the iteration before: the same factors serve
    projection = Numbers()  # factors of M and of rows
    moved_by = Numbers()  # the last move
    turned = Numbers()  # ends the use of factors: closed, or a move was not much smaller than the one before
    closed = Numbers()  # ends the projection
    opening = Numbers()  # by loop: its error as a share of the tolerance
    loops_closed = Numbers()  # no loop is open

    # sweeps
    responses = Numbers()  # velocities that unit impulses cause
    swept_impulse = Numbers()  # of each row
    rate = Numbers()  # of each row
    kept = Numbers()  # impulses without what took errors off
    kept_rate = Numbers()  # and the rates with these
    swept = Numbers()  # ends the sweeps; set before the first where none is needed
    moved = Numbers()  # sum of the rates of substeps so far
    mean = Numbers()  # impulses of substeps
    done = Numbers()  # substeps so far
    mean_u = Numbers()  # velocities with the mean impulses

    @property
    def length_now(self) -> Scalar:
        """h: length of the present substep, or of the step if it has none [s]."""
        return self[Slots.length if Slots.length in self else Slots.dt][0]

    @abstractmethod
    def __contains__(self, slot: SlotName) -> bool:
        """Whether the step has it by now."""

    @abstractmethod
    def __getitem__(self, slot: SlotName) -> Column:
        """The numbers in a slot."""

    @abstractmethod
    def __setitem__(self, slot: SlotName, values: Sequence[Scalar]) -> None:
        """Puts numbers into a slot."""


def before(slot: SlotName) -> SlotName:
    """A state as the substep found it."""
    return SlotName(f"{slot}_before")


def given_for(phase: str) -> SlotName:
    """Matrix and terms of a phase."""
    return SlotName(f"given_{phase}")


def lines_for(phase: str) -> SlotName:
    """Its lines."""
    return SlotName(f"lines_{phase}")
