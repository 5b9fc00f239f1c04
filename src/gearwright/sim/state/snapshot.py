"""A simulation as it stands, to be made again elsewhere: pickled, or copied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gearwright.compiler import SlotKind as Kind
from gearwright.model import Mechanism
from gearwright.model.pickling import check_function
from gearwright.sim.options import Options
from gearwright.sim.programs.kernels import Kernels
from gearwright.sim.state.values import Array

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

HELD = (Kind.STATE, Kind.INPUT, Kind.PARAMETER)


@dataclass(frozen=True)
class Snapshot:
    """State, inputs and parameters by slot, (B, size) each, the clock, and a called controller with its memory."""

    slots: Mapping[str, Array]
    start: float  # [s]
    steps: int
    called: tuple[Any, dict[str, Any]] | None  # controller and memory

    @staticmethod
    def of(sim: Simulation) -> Snapshot:
        state, own = sim.batch_state, sim.controller_state
        with state.exclusive():
            slots = {slot.name: state.get(slot.name) for slot in state.program.of_kind(*HELD)}
            called = (own.function, dict(own.memory)) if own.memory else None
            return Snapshot(slots, sim.clock.start, sim.clock.steps, called)

    def restore(self, sim: Simulation) -> None:
        with sim.batch_state.exclusive():
            for name, values in self.slots.items():
                sim.batch_state.set(name, values)
            sim.clock.set(self.start, self.steps)
            sim.controller_state.assign(*(self.called or (None, None)))

    def check(self) -> None:
        """Raises where a controller with memory cannot be pickled."""
        if self.called is not None:
            check_function(self.called[0], "the simulation")


def copied(robot: Mechanism, options: Options, kernels: Kernels, snapshot: Snapshot) -> Simulation:
    """With code that is already here, or in another process with kernels that have been pickled."""
    from gearwright.sim.simulation import Simulation

    sim = Simulation(robot, options, kernels)
    snapshot.restore(sim)
    return sim
