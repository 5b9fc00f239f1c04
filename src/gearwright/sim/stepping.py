"""`Simulation.step` with commands, efforts or many steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gearwright.errors import ModelError
from gearwright.model.slots import StepSlot

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


def step(sim: Simulation, given: Mapping[str, Any], n: Any) -> None:
    """See `Simulation.step`; inputs by slot."""
    command = given[StepSlot.COMMAND]
    if command is not None and not isinstance(command, Mapping):
        raise ModelError(f"command maps actuators to values; for {command!r} steps write step(n={command!r})")
    clock, inputs = sim.clock, sim.inputs
    begun = clock.steps
    before: list[tuple[str, Any]] = []
    try:
        for slot, values in given.items():
            there = slot in inputs.slots
            if values is None or (not there and values == {}):  # no commands to a robot without actuators
                continue
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
