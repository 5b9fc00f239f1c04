"""Where slots live in memory: blocks of lanes, `[block][element][lane]`.

A block holds as many robots as a SIMD register has lanes. Everything that a block's robots own (held inputs,
parameters, states, outputs) is one contiguous piece of the arena; scratch is shared by all blocks of a thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite

from gearwright.compiler.program import Program, SlotKind, slot_offsets

ALIGNED = 8  # elements: a long slot begins at a line of the cache, which vectors then seldom cross
IN_ARENA = (SlotKind.STATE, SlotKind.DERIVED, SlotKind.INPUT, SlotKind.PARAMETER, SlotKind.OUTPUT)


@dataclass(frozen=True)
class BlockLayout:
    """Element offsets of a program's slots. An element is one value of every lane."""

    program: Program
    lanes: int

    @cached_property
    def arena(self) -> dict[str, int]:
        """Element offset in a block's piece of the arena, for each slot but scratch: states, derived, then others."""
        return slot_offsets([s for kind in IN_ARENA for s in self.program.of_kind(kind)], 0)

    @cached_property
    def scratch(self) -> dict[str, int]:
        """Element offset in the scratch memory, after the copy of the states."""
        offsets, end = {}, self.program.state_elements
        for slot in self.program.of_kind(SlotKind.SCRATCH):
            if self.lanes == 1 and slot.size >= ALIGNED:
                end += -end % ALIGNED
            offsets[slot.name], end = end, end + slot.size
        return offsets

    @cached_property
    def derived_elements(self) -> int:
        return sum(slot.size for slot in self.program.of_kind(SlotKind.DERIVED))

    @cached_property
    def arena_elements(self) -> int:
        return sum(slot.size for slot in self.program.slots if slot.kind in IN_ARENA)

    @cached_property
    def scratch_elements(self) -> int:
        slots = self.program.of_kind(SlotKind.SCRATCH)
        return self.scratch[slots[-1].name] + slots[-1].size if slots else self.program.state_elements

    @cached_property
    def committed(self) -> tuple[int, ...]:
        """Arena offsets of the state elements that a step writes."""
        states = {slot.name for slot in self.program.of_kind(SlotKind.STATE)}
        stored = {a for stage in self.program.stages for a in stage.tape.writes() if a.slot in states}
        return tuple(sorted(self.arena[a.slot] + a.element for a in stored))

    @cached_property
    def bounds(self) -> dict[int, float]:
        """Bounds of the state elements that have one, by arena offset."""
        return {
            self.arena[slot.name] + element: slot.bound
            for slot in self.program.of_kind(SlotKind.STATE)
            if isfinite(slot.bound)
            for element in range(slot.size)
        }

    def blocks(self, batch: int) -> int:
        """Blocks that a batch of so many robots needs."""
        return -(-batch // self.lanes)
