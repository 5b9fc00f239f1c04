"""The slots of a step for people: one sentence each, and the name and unit of every element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.compiler import Slot, SlotKind
from gearwright.model.layout import StepSlot

if TYPE_CHECKING:
    from gearwright.sim import Simulation

MEANINGS: dict[str, str] = {
    StepSlot.POSITION: "independent positions [rad, m]",
    StepSlot.VELOCITY: "independent velocities [rad/s, m/s]",
    StepSlot.MEAN_VELOCITY: "velocities of the last step, from which the next one's are guessed [rad/s, m/s]",
    StepSlot.EARLIER_VELOCITY: "the same of the three steps before",
    StepSlot.SMOOTH: "steps without a kink, up to four: then velocities are guessed from those of four steps",
    StepSlot.PARTS: "parts beside the first that a step is made in, and steps since there are so many",
    StepSlot.IMPULSE: "where the solver starts from in the next step",
    StepSlot.PIECE: "of each force law, the piece that it was on in the last step",
    StepSlot.PIECE_END: "the same at the end of the step",
    StepSlot.UNSETTLED: "number of steps whose laws or passes did not settle",
    StepSlot.ACTUATOR: "efforts of the last step [N m, N], then the actuators' own states",
    StepSlot.SENSOR: "readings, then the sensors' own states",
    StepSlot.PHASE: "0 in a step that asks the controller",
    StepSlot.CLOCK: "steps made, and the time that they are counted from [s]",
    StepSlot.CONTROL: "the controller's commands, then its memory",
    StepSlot.MASS: "mass matrix at the position, kept for the next step",
    StepSlot.FACTORS: "its factors, kept for the next step",
    StepSlot.FRESH: "set it to 0 after writing states or parameters: what follows from them is then made again",
    StepSlot.EFFORT: "efforts from outside along the coordinates [N m, N]; held until changed",
    StepSlot.WRENCH: "forces [N] and torques [N m] on links; held until changed",
    StepSlot.COMMAND: "commands to the actuators, in the unit of each; held until changed",
    StepSlot.TARGET: "position and velocity that each drive is to reach; held until changed",
    StepSlot.PARAMETER: "numbers of the robot that were made inputs",
    StepSlot.DT: "length of a step [s]",
}
KINDS = {
    SlotKind.INPUT: "input",
    SlotKind.PARAMETER: "parameter",
    SlotKind.STATE: "state",
    SlotKind.OUTPUT: "output",
    SlotKind.DERIVED: "derived from the state",
}


def meaning(slot: Slot) -> str:
    """One sentence."""
    return f"{KINDS[slot.kind]}: {MEANINGS[slot.name]}"


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
