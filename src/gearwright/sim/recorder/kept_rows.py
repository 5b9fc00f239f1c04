"""Rows of a simulation's slots, kept one by one as others step it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gearwright.sim.recordings.columns import SlotRows
from gearwright.sim.running.running import recorded_slots

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


class KeptRows:
    """Room for some rows of everything that a recording holds; `keep` copies the present state into the next one."""

    def __init__(self, sim: Simulation, room: int) -> None:
        state = sim.batch_state
        self.room, self.rows = room, 0
        self._buffers = {slot: state.instance.buffer(slot, room) for slot in recorded_slots(sim)}
        self._keepers = [buffer.keeper(state.slot(slot)) for slot, buffer in self._buffers.items()]

    @property
    def full(self) -> bool:
        return self.rows == self.room

    def keep(self) -> None:
        for keep in self._keepers:
            keep(self.rows)
        self.rows += 1

    def slots(self) -> Mapping[str, SlotRows]:
        """The rows so far."""
        return {slot: buffer.rows(slice(0, self.rows)) for slot, buffer in self._buffers.items()}
