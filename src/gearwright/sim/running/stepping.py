"""`Simulation.step` with commands, efforts or many steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import ModelError, counted
from gearwright.given_numbers import as_float, as_index, position_checked
from gearwright.model.hardware.drives import UNGIVEN_RATE
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.state import given_values

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


def step(sim: Simulation, given: Mapping[str, Any], n: Any) -> None:
    """See `Simulation.step`; inputs by slot."""
    command = given[StepSlot.COMMAND]
    if command is not None and not isinstance(command, Mapping):
        raise ModelError(f"command must map actuators to values, and is not {command!r:.60}{_advice(sim, command)}")
    clock, inputs = sim.clock, sim.inputs
    begun = clock.steps
    before: list[tuple[str, Any]] = []
    try:
        for slot, values in given.items():
            there = slot in inputs.slots
            if values is None or (not there and isinstance(values, Mapping) and not values):
                continue  # no commands to a robot without actuators
            if there:
                before.append((slot, inputs.copy(slot)))
            inputs.hold(slot, values)
        if type(n) is not int or n != 1:
            clock.advance(n)
        elif not clock.one_step():
            raise clock.failure(begun)
    except BaseException:
        if clock.steps == begun:  # no step was made with the new inputs
            for slot, old in before:
                inputs.restore(slot, old)
        raise


def _advice(sim: Simulation, given: Any) -> str:
    """Message part: a single number may mean steps, or a time."""
    steps, seconds = as_index(given), as_float(given)
    if steps is not None and steps >= 0:
        return f"; for {counted(steps, 'step')} write step(n={steps})"
    if seconds is None or not 0 < seconds < 1e9:
        return ""
    return (
        f"; for {seconds:g} s write run({seconds:g}), or step(n={max(1, round(seconds / sim.dt))}) of dt = {sim.dt:g} s"
    )


def set_targets(sim: Simulation, position: Mapping[str, Any] | None, velocity: Mapping[str, Any] | None) -> None:
    """See `Simulation.drive`."""
    group = sim.layout.drives
    both = ({} if values is None else values for values in (position, velocity))
    given = [given_values.held(group, values, sim.batch) for values in both]
    for i, value in given[0]:
        position_checked(repr(group.names[i]), np.asarray(value))
    kinematic = [drive.kinematic for drive in sim.options.drives.values()]
    with sim.batch_state.exclusive():
        for i in {i for i, _ in given[0] if kinematic[i]} - {i for i, _ in given[1]}:
            sim.batch_state.fill(StepSlot.TARGET, 2 * i + 1, UNGIVEN_RATE)
        for part, values in enumerate(given):
            for i, value in values:
                sim.batch_state.fill(StepSlot.TARGET, 2 * i + part, value)
