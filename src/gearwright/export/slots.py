"""The slots of a step for people: one sentence each, and the name and unit of every element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.compiler import Slot, SlotKind
from gearwright.model.layout.slots import SLOTS, SlotName, StepSlot

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
    layout = sim.layout
    if slot.name in (StepSlot.POSITION, StepSlot.VELOCITY, StepSlot.MEAN_VELOCITY):
        turns = slot.name == StepSlot.POSITION
        group, free = layout.independent(StepSlot.POSITION if turns else StepSlot.VELOCITY)
        return [group.names[i] for i in free]
    if slot.name in (StepSlot.EFFORT, StepSlot.COMMAND, StepSlot.WRENCH):
        return list(layout.group(slot.name).names)
    if slot.name == StepSlot.PARAMETER:
        return list(layout.parameters.names)
    if slot.name == StepSlot.TARGET:
        return [f"{name} {what}" for name in layout.drives.names for what in ("position", "velocity")]
    found = [""] * slot.size
    if slot.name == StepSlot.ACTUATOR:
        for actuator, places in layout.devices.memory.items():
            for quantity, i in places.items():
                found[i] = f"{actuator} {quantity}"
    if slot.name == StepSlot.SENSOR:
        for reading, i in layout.devices.readings[0].items():
            found[i] = reading
    return found
