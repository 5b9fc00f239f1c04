"""A compiled controller's part of a simulation: what it commands stands in the place of inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.sim.values import Array

if TYPE_CHECKING:
    from gearwright.compiler import Buffer
    from gearwright.sim.simulation import Simulation

INPUTS = ("command", "effort")


def check_free(sim: Simulation, slot: str, values: Mapping[str, Any]) -> None:
    """A controller that is compiled in has the only say about what it commands."""
    if sim._control is None:
        return
    group, commanded = sim._group(slot), getattr(sim._control.places, slot, {})
    for i, _ in group.columns(values):
        if i in commanded:
            raise ModelError(f"the {slot} of {group.names[i]!r} is the compiled controller's: it cannot be given, too")


def acting(sim: Simulation, slot: str) -> Array:
    """A slot's numbers, (B, n), with what a controller commands in the place of inputs."""
    numbers: Array = sim._instance.get(slot)
    if sim._control is not None and slot in INPUTS:
        control = sim._instance.get("control")
        for i, place in getattr(sim._control.places, slot).items():
            numbers[:, i] = control[:, place]
    return numbers


def commanded(sim: Simulation, slot: str, own: Buffer) -> list[Callable[[], None]]:
    """Copies to be made into a slot of another kernel: what a controller commands."""
    if sim._control is None or slot not in INPUTS:
        return []
    control, places = sim._instance.slot("control"), getattr(sim._control.places, slot)
    return [own.element(i).copier(control.element(place)) for i, place in places.items()]


def hold_inputs(sim: Simulation) -> None:
    """A controller finds held, when it is first asked, what is held without it."""
    if sim._control is None:
        return
    control = sim._instance.slot("control")
    for slot in sim._inputs:
        if slot not in INPUTS:
            continue
        for i, place in getattr(sim._control.places, slot).items():
            control.element(place).copy_from(sim._inputs[slot].element(i))


def not_finite(sim: Simulation, robot: int) -> str | None:
    """What of the controller is not finite in the step after a robot's last good state, if it is the controller's."""
    if sim._control is None:
        return None
    function = sim._control.stage
    after = function.call([acting(sim, slot)[robot] for slot in function.name_in()])[0]
    bad = np.flatnonzero(~np.isfinite(np.array(after.full()).ravel()))
    return described(sim, int(bad[0])) if len(bad) else None


def described(sim: Simulation, element: int) -> str:
    """What an entry of `control` is."""
    assert sim._control is not None
    places = sim._control.places
    for slot in INPUTS:
        for i, place in getattr(places, slot).items():
            if place == element:
                return f"{slot} that the controller gives {sim._group(slot).names[i]!r}"
    return "controller's memory " + next(repr(n) for n, place in places.memory.items() if place == element)
