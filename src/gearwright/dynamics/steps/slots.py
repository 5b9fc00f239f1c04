"""Slots of a step in the making, one line each: `build.trial` are the numbers, `Slots.trial` is the slot's name.

Those that other layers name have their names from `model.layout`; the rest is scratch, between the stages of one step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.model.layout import SlotName, StepSlot


class Numbers:
    """One slot: its name on the class, its numbers on a step."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = SlotName(name)

    @overload
    def __get__(self, step: None, owner: type) -> SlotName: ...
    @overload
    def __get__(self, step: Slots, owner: type) -> list[Scalar]: ...
    def __get__(self, step: Slots | None, owner: type) -> SlotName | list[Scalar]:
        return self.name if step is None else step[self.name]

    def __set__(self, step: Slots, values: Sequence[Scalar]) -> None:
        step[self.name] = values


class Shared(Numbers):
    """One that has its name from the layout."""

    def __init__(self, name: SlotName) -> None:
        self.name = name

    def __set_name__(self, owner: type, name: str) -> None:
        assert self.name == name


class Slots:
    """Every slot that stages name. Without a `__dict__`: setting any other attribute is an error."""

    __slots__ = ()

    position = Shared(StepSlot.POSITION)
    velocity = Shared(StepSlot.VELOCITY)
    mean_velocity = Shared(StepSlot.MEAN_VELOCITY)
    earlier_velocity = Shared(StepSlot.EARLIER_VELOCITY)
    smooth = Shared(StepSlot.SMOOTH)
    impulse = Shared(StepSlot.IMPULSE)
    piece = Shared(StepSlot.PIECE)
    piece_end = Shared(StepSlot.PIECE_END)
    parts = Shared(StepSlot.PARTS)
    unsettled = Shared(StepSlot.UNSETTLED)
    actuator = Shared(StepSlot.ACTUATOR)
    mass = Shared(StepSlot.MASS)
    factors = Shared(StepSlot.FACTORS)
    fresh = Shared(StepSlot.FRESH)
    effort = Shared(StepSlot.EFFORT)
    command = Shared(StepSlot.COMMAND)
    target = Shared(StepSlot.TARGET)
    parameter = Shared(StepSlot.PARAMETER)
    dt = Shared(StepSlot.DT)

    # velocities with laws on their pieces
    given = Numbers()  # matrix and terms, carried from the stage that makes them
    begun = Numbers()  # what else later stages need of a step's start
    push = Numbers()  # right-hand side
    u = Numbers()  # velocities
    trial = Numbers()  # pieces that laws are tried on; impulses, where they are swept over
    point = Numbers()  # rate at which each curve has its line
    progress = Numbers()
    law = Numbers()  # impulses: of laws,
    reaction = Numbers()  # of equalities,
    curve = Numbers()  # of curves
    settled = Numbers()  # ends the switching

    # passes of the midpoint
    guess = Numbers()
    start = Numbers()  # w that a pass starts from
    change = Numbers()
    relaxation = Numbers()
    near = Numbers()
    momentum = Numbers()
    force = Numbers()
    momentum_after = Numbers()
    passed = Numbers()  # ends the passes
    round = Numbers()
    unresolved = Numbers()
    followed = Numbers()
    oldest = Numbers()  # mean velocity that has left `earlier_velocity`

    # parts of a step
    part = Numbers()  # share of dt
    left = Numbers()  # share of dt still to be made
    span = Numbers()  # [s]
    aim = Numbers()  # targets for the end of the part
    acted = Numbers()  # impulses so far
    taken = Numbers()
    goes_on = Numbers()
    failed = Numbers()
    whole = Numbers()
    made = Numbers()  # ends the parts

    # loops
    metric = Numbers()
    closed = Numbers()  # ends the projection

    # sweeps
    responses = Numbers()
    rate = Numbers()
    kept = Numbers()  # impulses without what took errors off
    kept_rate = Numbers()
    accepted = Numbers()  # no sweep is needed
    swept = Numbers()  # ends the sweeps
    moved = Numbers()
    mean = Numbers()
    done = Numbers()
    mean_u = Numbers()

    def __getitem__(self, slot: SlotName) -> list[Scalar]:
        raise NotImplementedError

    def __setitem__(self, slot: SlotName, values: Sequence[Scalar]) -> None:
        raise NotImplementedError


def before(slot: SlotName) -> SlotName:
    """A state as the part of the step found it."""
    return SlotName(f"{slot}_before")


def given_for(pieces: SlotName) -> SlotName:
    """Matrix and terms of the phase whose laws keep their pieces in that slot."""
    return SlotName(f"given_{pieces}")


def lines_for(pieces: SlotName) -> SlotName:
    """Lines of that phase."""
    return SlotName(f"lines_{pieces}")
