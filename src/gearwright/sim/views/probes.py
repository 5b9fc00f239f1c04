"""Kernels that look at a batch's state: each evaluated once for a state, however often it is read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gearwright.compiler import Instance, SlotKind
from gearwright.sim.programs.kernels import Kernels
from gearwright.sim.state.batch_state import BatchState
from gearwright.sim.state.inputs import Inputs
from gearwright.sim.state.values import Array, Read, Value, reader


class Probe:
    """One kernel with memory for the same batch. `refresh` brings its outputs up to the state."""

    def __init__(self, probes: Probes, name: str) -> None:
        self._state, self._version = probes.state, -1
        kernel = probes.kernels[name]
        self.instance: Instance = kernel.instance(self._state.size, threads=self._state.threads)
        self._after: list[Probe] = []
        self._copies: list[Callable[[], None]] = []
        for slot in kernel.program.of_kind(SlotKind.INPUT):
            source = self._state.instance
            if slot.name.startswith("tree_"):
                self._after = [probes["tree"]]
                source = probes["tree"].instance
            own = self.instance.slot(slot.name)
            self._copies.append(own.copier(source.slot(slot.name)))
            self._copies += probes.inputs.controlled_copiers(slot.name, own)

    def refresh(self) -> None:
        version = self._state.version
        if self._version == version:
            return
        for probe in self._after:
            probe.refresh()
        for copy in self._copies:
            copy()
        self.instance.step()
        self._version = version

    def output(self, name: str) -> Array:
        """A copy, (*shape) of one robot or (B, *shape) of several."""
        self.refresh()
        robots = self.instance.get(name)
        return robots[0] if self._state.size == 1 else robots


class Probes:
    """The probes of a simulation by the kernel's name, each made when it is first asked for."""

    def __init__(self, kernels: Kernels, state: BatchState, inputs: Inputs) -> None:
        self.kernels, self.state, self.inputs = kernels, state, inputs
        self._made: dict[str, Probe] = {}

    def __getitem__(self, kernel: str) -> Probe:
        if kernel not in self._made:
            self._made[kernel] = Probe(self, kernel)
        return self._made[kernel]

    def reader(self, kernel: str, output: str, element: int) -> Read:
        """Reads one number of all robots; the kernel is compiled when it is first read."""
        return _Late(lambda: self._reader(kernel, output, element))

    def robot_reader(self, kernel: str, output: str, element: int, robot: int) -> Callable[[], float]:
        """Reads one number of one robot."""
        probe = self[kernel]
        read = probe.instance.slot(output).robot_reader(element, robot)
        return partial(_after, probe.refresh, read)

    def _reader(self, kernel: str, output: str, element: int) -> Read:
        probe = self[kernel]
        return reader(probe.instance, output, element, probe.refresh)


class _Late:
    """A reader that is made when it is first called."""

    def __init__(self, make: Callable[[], Read]) -> None:
        self._make, self._read = make, self._first

    def __call__(self) -> Value:
        return self._read()

    def _first(self) -> Value:
        self._read = self._make()
        return self._read()


def _after(refresh: Callable[[], None], read: Callable[[], float]) -> float:
    refresh()
    return read()
