"""Kernels that look at a batch's state: each evaluated once for a state, however often it is read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from gearwright.compiler import Instance, SlotKind
from gearwright.sim.programs.kernels import Kernels
from gearwright.sim.signals import Derived, Signal, SlotElement
from gearwright.sim.state.batch_state import BatchState
from gearwright.sim.state.inputs import Inputs
from gearwright.sim.state.values import Array, Read, Value


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

    def reader(self, signal: Signal) -> Read:
        """Reads a signal of all robots: a float, or (B,). Kernels are compiled when they are first read."""
        if isinstance(signal.source, SlotElement):
            return self.state.slot(signal.source.slot).reader(signal.source.element)
        terms = () if signal.source is None else signal.source.terms
        each = [_Late(partial(self._term, signal.shape, term)) for term in terms]
        nothing = 0.0 if self.state.size == 1 else np.zeros(self.state.size)
        return each[0] if len(each) == 1 else lambda: sum((read() for read in each), nothing)

    def _term(self, shape: tuple[int, ...], term: Derived) -> Read:
        probe = self[term.kernel]
        if shape:
            return partial(probe.output, term.output)
        return partial(_after, probe.refresh, probe.instance.slot(term.output).reader(term.element))

    def robot_reader(self, signal: Signal, robot: int) -> Callable[[], float]:
        """Reads a signal of one robot."""
        source = signal.source
        if isinstance(source, SlotElement):
            return self.state.slot(source.slot).robot_reader(source.element, robot)
        assert isinstance(source, Derived)
        probe = self[source.kernel]
        return partial(_after, probe.refresh, probe.instance.slot(source.output).robot_reader(source.element, robot))


class _Late:
    """A reader that is made when it is first called."""

    def __init__(self, make: Callable[[], Read]) -> None:
        self._make, self._read = make, self._first

    def __call__(self) -> Value:
        return self._read()

    def _first(self) -> Value:
        self._read = self._make()
        return self._read()


def _after(refresh: Callable[[], None], read: Read) -> Value:
    refresh()
    return read()
