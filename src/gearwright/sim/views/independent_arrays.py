"""A simulation's numbers as plain arrays: `q` and `v` over the independent coordinates, `u` over the actuators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.given_numbers import numbers
from gearwright.model.layout.slots import SlotName, StepSlot
from gearwright.sim.state.values import Array

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


class IndependentArrays:
    """What a `Simulation` has of arrays. They are copies, (n,) of one robot, (n, B) of several."""

    @property
    def independent(self: Simulation) -> tuple[str, ...]:  # type: ignore[misc]
        """Names of the independent velocities, the order of `v`: `coordinates` without followers of exact couplings.

        They are the names of `q` as well, where no ball joint and no free base has a quaternion among its positions;
        `sim.arrays.names("position")` are those of `q` in any case.
        """
        return names_of(self, StepSlot.VELOCITY)

    @property
    def q(self: Simulation) -> Array:  # type: ignore[misc]
        """Independent positions [rad, m]; `reset(q=…)` takes them."""
        return _columns(self, self.batch_state.get(StepSlot.POSITION))

    @property
    def v(self: Simulation) -> Array:  # type: ignore[misc]
        """Independent velocities [rad/s, m/s]; `reset(v=…)` takes them."""
        return _columns(self, self.batch_state.get(StepSlot.VELOCITY))

    @property
    def u(self: Simulation) -> Array:  # type: ignore[misc]
        """Commands in the order of `robot.actuators`, each in the unit of its actuator. Assign it to command all of
        them; they keep their values until changed.
        """
        if not self.layout.commanded:
            return _columns(self, np.zeros((self.batch, 0)))
        return _columns(self, self.inputs.acting(StepSlot.COMMAND))

    @u.setter
    def u(self: Simulation, values: Any) -> None:  # type: ignore[misc]
        self.step(command=by_name(self, "u", tuple(self.robot.actuators), values), n=0)


def names_of(sim: Simulation, slot: SlotName) -> tuple[str, ...]:
    return tuple(e.owner for e in sim.layout.elements(slot))


def _columns(sim: Simulation, rows: Array) -> Array:
    """(n,) or (n, B) of (B, n)."""
    return np.array(rows[0] if sim.batch == 1 else rows.T)


def by_name(sim: Simulation, what: str, names: tuple[str, ...], values: Any) -> dict[str, Any]:
    """Numbers in order, (n,) or (n, B), by their names."""
    given = numbers(what, values)
    shapes = ((len(names),),) if sim.batch == 1 else ((len(names),), (len(names), sim.batch))
    if given.shape not in shapes:
        raise ModelError(f"{what} has the shape {' or '.join(map(str, shapes))}, not {given.shape}")
    return dict(zip(names, given, strict=True))


def given_start(sim: Simulation, slot: SlotName, named: Mapping[str, Any] | None, array: Any) -> Mapping[str, Any]:
    """The start of positions or velocities by name: as it is given, or from an array over the independent ones."""
    if array is None:
        return {} if named is None else named
    letter = "q" if slot == StepSlot.POSITION else "v"
    if named is not None:
        raise ModelError(f"reset takes {slot}={{…}} by name, or {letter}=… as an array, not both")
    return by_name(sim, letter, names_of(sim, slot), array)
