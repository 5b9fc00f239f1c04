"""Commands and efforts that are held: the input slots of a batch, and the part of them that a controller gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gearwright.compiler import Buffer
from gearwright.errors import GearwrightError, ModelError
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.state import given_values
from gearwright.sim.state.batch_state import BatchState
from gearwright.sim.state.layout import INPUTS, Layout
from gearwright.sim.state.values import Array
from gearwright.sim.state.wrenches import as_columns


class Inputs:
    """`command`, `effort` and `wrench` of all robots, by name."""

    def __init__(self, state: BatchState, layout: Layout, integrator: str) -> None:
        self._state, self._layout, self._integrator = state, layout, integrator
        held: dict[str, bool] = {
            StepSlot.EFFORT: True,
            StepSlot.COMMAND: layout.commanded,
            StepSlot.WRENCH: bool(layout.wrenches.names),
        }
        self.slots: dict[str, Buffer] = {name: state.slot(name) for name, there in held.items() if there}
        self._groups = {name: layout.group(name) for name in held}
        self._taken = {name: layout.controlled(name) for name in held}
        self._flat = {name: _numbers_of_one(slot, state.size) for name, slot in self.slots.items()}

    def hold(self, slot: str, values: Mapping[str, Any]) -> None:
        """Numbers or arrays (B,) by name, until they are changed."""
        flat, group = self._flat.get(slot), self._groups[slot]
        if (
            flat is not None
            and slot != StepSlot.WRENCH
            and not self._taken[slot]
            and given_values.stored(group.index, values, flat)
        ):
            self._state.touch()
            return
        if slot == StepSlot.WRENCH:
            values = as_columns(self._layout.robot, tuple(group.joints), self._state.size, values)
        self.check_free(slot, values)
        if slot not in self.slots and slot == StepSlot.WRENCH:
            return  # of no link
        if slot not in self.slots:
            given_values.check_names(group, values)
            refuse_commands(self._integrator)
        for i, value in given_values.held(group, values, self._state.size):
            self.slots[slot].fill(i, value)
        self._state.touch()

    def clear(self) -> None:
        for slot in self.slots.values():
            slot.assign(0.0)
        self._state.touch()

    def copy(self, slot: str) -> Any:
        """The numbers of an input, for `restore`."""
        flat = self._flat[slot]
        return self.slots[slot].copy() if flat is None else flat.copy()

    def restore(self, slot: str, old: Any) -> None:
        self.slots[slot].copy_from(old) if isinstance(old, Buffer) else self.slots[slot].assign(old)
        self._state.touch()

    # --- compiled controllers --------------------------------------------------------------------------------------

    def check_free(self, slot: str, values: Mapping[str, Any]) -> None:
        """Raises for inputs that a compiled controller gives."""
        group, taken = self._groups[slot], self._taken[slot]
        if not taken:
            return
        for i, _ in group.columns(values):
            if i in taken:
                name = group.names[i]
                raise ModelError(f"the {slot} of {name!r} is the compiled controller's: it cannot be given as well")

    def acting(self, slot: str) -> Array:
        """A slot's numbers, (B, n), with a controller's commands in the place of inputs."""
        numbers = self._state.get(slot)
        if taken := self._layout.controlled(slot):
            control = self._state.get(StepSlot.CONTROL)
            for i, place in taken.items():
                numbers[:, i] = control[:, place]
        return numbers

    def controlled_copiers(self, slot: str, own: Buffer) -> list[Callable[[], None]]:
        """Copies of a controller's commands into the same slot of another kernel."""
        taken = self._layout.controlled(slot)
        control = self._state.slot(StepSlot.CONTROL) if taken else own
        return [own.element(i).copier(control.element(place)) for i, place in taken.items()]

    def start_control(self) -> None:
        """A controller's first commands are the values that are held without it."""
        for slot in INPUTS:
            for i, place in self._layout.controlled(slot).items():
                self._state.slot(StepSlot.CONTROL).element(place).copy_from(self.slots[slot].element(i))
        self._state.touch()


def _numbers_of_one(held: Buffer, batch: int) -> Array | None:
    """The memory of one robot, (n,), to be written directly; None for several."""
    return held.shared[0, 0] if batch == 1 and held.shared is not None else None


def refuse_commands(integrator: str) -> None:
    """Raises for commands to a robot none of whose actuators act: with such an integrator, or not connected."""
    if integrator == "rk4":
        raise GearwrightError(f"actuators do not act with the integrator {integrator!r}: take the default")
    raise GearwrightError("no actuator of this robot is connected to a joint, so commands do nothing")
