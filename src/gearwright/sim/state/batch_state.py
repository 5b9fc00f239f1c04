"""The robots of a batch in memory: every slot of the step, and a version by which others notice changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import RLock
from typing import Any

from gearwright.compiler import Buffer, Executable, Instance, SlotKind
from gearwright.errors import CompileError
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.recorder.free_memory import require_memory
from gearwright.sim.state.values import Array


class BatchState:
    """The numbers of all robots by slot. Writes go through here, or are followed by `touch`."""

    def __init__(self, executable: Executable, size: int, threads: int) -> None:
        self.size, self.threads = size, threads
        self.program = executable.program
        self.parts = {slot.name: slot.size for slot in self.program.of_kind(SlotKind.STATE)}  # of the state, in order
        self._check_memory(executable)
        self.instance: Instance = executable.instance(size, threads=threads)
        self.states: Buffer = self.instance.states
        self._counter = self.instance.clock  # steps are counted where they are made
        self._edits = 0
        self._turn, self._inside = RLock(), 0  # of `exclusive`
        self._deciding = {slot.name for slot in self.program.of_kind(SlotKind.STATE, SlotKind.PARAMETER)}
        self._keeps_derived = self.has(StepSlot.FRESH)

    def _check_memory(self, executable: Executable) -> None:
        """A reset has a copy of all slots, and one of the state, beside the numbers themselves."""
        held = sum(slot.size for slot in self.program.slots if slot.kind is not SlotKind.SCRATCH)
        needed = (2 * held + sum(self.parts.values())) * executable.dtype.itemsize * self.size
        require_memory(needed, f"a batch of {self.size:,} robots", "take a smaller batch", CompileError)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Steps of other threads wait while the block runs: they see everything that it writes, or nothing."""
        with self._turn, nullcontext() if self._inside else self.instance.exclusive():
            self._inside += 1
            try:
                yield
            finally:
                self._inside -= 1

    @property
    def version(self) -> int:
        """Grows with every step and every change, so that equal versions mean equal numbers."""
        return self._edits + self._counter.value

    def touch(self) -> None:
        """Something was written."""
        self._edits += 1

    @property
    def steps(self) -> int:
        """Steps made since the clock was set."""
        return self._counter.value

    @steps.setter
    def steps(self, value: int) -> None:
        self._edits += self._counter.value - value + 1  # the version still grows
        self._counter.value = value

    def has(self, slot: str) -> bool:
        return any(s.name == slot for s in self.program.slots)

    def slot(self, name: str) -> Buffer:
        """The numbers themselves, one row; `touch` after writing."""
        return self.instance.slot(name)

    def get(self, slot: str) -> Array:
        """A copy, (B, n)."""
        return self.instance.get(slot)

    def set(self, slot: str, values: Any) -> None:
        """All numbers of a slot; `values` broadcast to (B, n)."""
        self.instance.set(slot, values)
        self.changed(slot)

    def fill(self, slot: str, element: int, values: Any) -> None:
        """One number of every robot: a float, or an array (B,)."""
        self.instance.slot(slot).fill(element, values)
        self.changed(slot)

    def take(self, slot: str, values: Any) -> None:
        """All numbers of a slot from an array (n, B) of any library with DLPack."""
        self.instance.slot(slot).take(values)
        self.changed(slot)

    def state(self) -> Array:
        """A copy of all states, (B, nx)."""
        with self.exclusive():
            numbers: Array = self.states.numbers()[0]
        return numbers

    def set_state(self, values: Array) -> None:
        """(B, nx), or (1, nx) for all robots."""
        self.states.assign(values)
        self.changed(StepSlot.POSITION)

    def changed(self, slot: str) -> None:
        """Slots that are derived from states and parameters are computed again in the next step."""
        if self._keeps_derived and slot in self._deciding:
            self.instance.set(StepSlot.FRESH, 0.0)
        self._edits += 1
