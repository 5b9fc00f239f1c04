"""The slots of a step for people: one sentence each, and the name and unit of every element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.compiler import Slot, SlotKind
from gearwright.model.layout.slots import SLOTS, SlotName

if TYPE_CHECKING:
    from gearwright.sim import Simulation

KINDS = {
    SlotKind.INPUT: "input",
    SlotKind.PARAMETER: "parameter",
    SlotKind.STATE: "state",
    SlotKind.OUTPUT: "output",
    SlotKind.DERIVED: "derived from the state",
}


def meaning(slot: Slot) -> str:
    """One sentence."""
    return f"{KINDS[slot.kind]}: {SLOTS[SlotName(slot.name)].described}"


def element_names(sim: Simulation, slot: Slot) -> list[str]:
    """The name of each element, as far as it has one."""
    found = sim.layout.elements(slot.name)
    if len({e.quantity for e in found}) == 1:
        return [e.owner for e in found]
    return [f"{e.owner} {e.quantity}" for e in found]
