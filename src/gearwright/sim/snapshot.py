"""A simulation as it stands, to be made again elsewhere: pickled, or copied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gearwright.compiler import SlotKind as Kind
from gearwright.model import Mechanism
from gearwright.model.pickling import check_function
from gearwright.sim.kernels import Kernels
from gearwright.sim.options import Options
from gearwright.sim.values import Array

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

HELD = (Kind.STATE, Kind.INPUT, Kind.PARAMETER)


@dataclass(frozen=True)
class Snapshot:
    """State, inputs and parameters by slot, (B, size) each, the clock, and what a controller remembers."""

    slots: Mapping[str, Array]
    start: float  # [s]
    steps: int
    remembered: tuple[Any, dict[str, Any]] | None

    @staticmethod
    def of(sim: Simulation) -> Snapshot:
        instance = sim._instance
        slots = {slot.name: instance.get(slot.name) for slot in instance.executable.program.of_kind(*HELD)}
        remembered = sim._remembered if sim._remembered and sim._remembered[1] else None
        return Snapshot(slots, sim._start, sim._steps, remembered)

    def restore(self, sim: Simulation) -> None:
        for name, values in self.slots.items():
            sim._instance.set(name, values)
        sim._start, sim._steps, sim._remembered = self.start, self.steps, self.remembered
        sim._version += 1

    def check(self) -> None:
        """Raises where a controller that remembers cannot be pickled."""
        if self.remembered is not None:
            check_function(self.remembered[0], "the simulation")


def made_again(robot: Mechanism, options: Options, snapshot: Snapshot) -> Simulation:
    """In another process; the code comes from the cache."""
    return copied(robot, options, Kernels(robot, options), snapshot)


def copied(robot: Mechanism, options: Options, kernels: Kernels, snapshot: Snapshot) -> Simulation:
    """With code that is already here."""
    from gearwright.sim.simulation import Simulation

    sim = Simulation(robot, options, kernels)
    snapshot.restore(sim)
    return sim
