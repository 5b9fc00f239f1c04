"""Whole slots of a batch as arrays (numbers, robots), exchanged with other libraries by DLPack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gearwright.errors import UnknownNameError
from gearwright.model.by_name import NamesView
from gearwright.model.layout.slots import StepSlot

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


SHARED = (
    StepSlot.POSITION, StepSlot.VELOCITY, StepSlot.EFFORT, StepSlot.COMMAND, StepSlot.SENSOR, StepSlot.PARAMETER,
)  # fmt: skip


class DeviceArrays(Mapping[str, Any]):
    """`sim.arrays["velocity"]`: (n, B). On a GPU it is the simulation's own memory, as a CuPy array, which PyTorch and
    JAX take without a copy (`torch.from_dlpack`); on a CPU a NumPy array with a copy.

    `sim.arrays["command"] = tensor` sets inputs, states and parameters from any library with DLPack. Arrays of a GPU
    are to be read, and written by assignment only: what is derived from them has to be made again.
    """

    def __init__(self, sim: Simulation) -> None:
        self._state = sim.batch_state
        found = {slot: sim.layout.elements(slot) for slot in SHARED if slot in sim.layout.slots}
        rows = {slot: tuple(e.owner for e in own if e.quantity != "state") for slot, own in found.items()}
        self._names: dict[str, tuple[str, ...]] = {slot: own for slot, own in rows.items() if own}

    def names(self, slot: str) -> tuple[str, ...]:
        """Names of an array's rows."""
        if slot not in self._names:
            raise UnknownNameError("array", slot, self._names)
        return self._names[slot]

    def __getitem__(self, slot: str) -> Any:
        rows = len(self.names(slot))  # an unknown name raises here
        return self._state.slot(slot).exchanged()[:rows]

    def __setitem__(self, slot: str, values: Any) -> None:
        if slot == StepSlot.SENSOR or slot not in self._names:
            raise UnknownNameError("array to be set", slot, [n for n in self._names if n != StepSlot.SENSOR])
        self._state.take(slot, values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def keys(self) -> NamesView:
        return NamesView(self)
