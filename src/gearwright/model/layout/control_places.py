"""Places of a compiled controller's numbers among the states of a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gearwright.model.layout.slots import SlotName, StepSlot


@dataclass(frozen=True)
class ControlPlaces:
    """Where the numbers of the slot `control` stand."""

    command: Mapping[int, int]  # index of an actuator → place
    effort: Mapping[int, int]  # index of a coordinate → place
    memory: Mapping[str, int]
    size: int

    def of(self, slot: str, i: int) -> tuple[str, int]:
        """Where the number stands that acts as entry i of `command` or `effort`."""
        controlled = {StepSlot.COMMAND: self.command, StepSlot.EFFORT: self.effort}.get(SlotName(slot), {})
        return (StepSlot.CONTROL, controlled[i]) if i in controlled else (slot, i)
