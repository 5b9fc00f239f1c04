"""Kernels that look at a simulation's state: each evaluated once for a state, however often it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gearwright.compiler import Instance
from gearwright.compiler import SlotKind as Kind
from gearwright.sim.controlled import commanded
from gearwright.sim.values import Array

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


class Probe:
    """One kernel with memory for the same batch. `refresh` brings its outputs up to the simulation's state."""

    def __init__(self, sim: Simulation, name: str) -> None:
        kernel = sim._kernels[name]
        self._sim, self._version = sim, -1
        self.instance: Instance = kernel.instance(sim.batch, threads=sim.threads)
        self._after: list[Probe] = []
        self._copies: list[Callable[[], None]] = []
        for slot in kernel.program.of_kind(Kind.INPUT):
            source = sim._instance
            if slot.name.startswith("tree_"):
                source = sim._probe("tree").instance
                self._after = [sim._probe("tree")]
            own = self.instance.slot(slot.name)
            self._copies.append(own.copier(source.slot(slot.name)))
            self._copies += commanded(sim, slot.name, own)

    def refresh(self) -> None:
        if self._version == self._sim._version:
            return
        for probe in self._after:
            probe.refresh()
        for copy in self._copies:
            copy()
        self.instance.step()
        self._version = self._sim._version

    def output(self, name: str) -> Array:
        """A copy, (*shape) of one robot or (B, *shape) of several."""
        self.refresh()
        robots = self.instance.get(name)
        return robots[0] if self._sim.batch == 1 else robots
