"""Roll-outs that carry derivatives: the tangent program of a step, with one direction of one robot in each lane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from gearwright.compiler import Executable, Failure, Instance, SlotKind
from gearwright.compiler.tangents import tangent_of
from gearwright.errors import GearwrightError
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.programs.kernels import Kernels
from gearwright.sim.programs.programs import DRIVEN_BY, TANGENT, TANGENT_STEP
from gearwright.sim.signals import Derived, Signal, SlotElement
from gearwright.sim.state.values import Array

LANES = 1 << 15  # states that are evaluated in one call


@dataclass(frozen=True, kw_only=True)
class Start:
    """B robots, each in K directions: numbers by slot, (B, size), and their derivatives, (B, K, size).

    `series` are inputs that change, (n, B, size) and (n, B, K, size); a direction that is not given is 0.
    """

    steps: int
    directions: int  # K
    slots: Mapping[str, Array]
    tangents: Mapping[str, Array] = field(default_factory=dict)
    series: Mapping[str, Array] = field(default_factory=dict)
    series_tangents: Mapping[str, Array] = field(default_factory=dict)

    @property
    def robots(self) -> int:
        return len(self.slots[StepSlot.POSITION])


@dataclass(frozen=True, kw_only=True)
class TangentRows:
    """Slots over the rows of a roll-out, the start among them: (T, B, size), and their derivatives (T, B, K, size)."""

    slots: Mapping[str, Array]
    tangents: Mapping[str, Array]
    failures: tuple[Failure, ...]  # by lane, b·K + k

    def failed(self, directions: int) -> set[int]:
        """Robots that diverged."""
        return {failure.robot // directions for failure in self.failures}


class TangentRollout:
    """One robot's tangent programs, and memory for batches of them."""

    def __init__(self, kernels: Kernels, threads: int = 1, driven: Sequence[int] = ()) -> None:
        """`driven`: places of actuators' states that are inputs, in the slot `DRIVEN`."""
        self._kernels, self._threads = kernels, threads
        self._step: Executable = kernels[TANGENT_STEP + (DRIVEN_BY + " ".join(map(str, driven)) if driven else "")]
        slots = self._step.program.slots
        self._names = frozenset(slot.name for slot in slots)
        self.states = tuple(s.name for s in slots if s.kind is SlotKind.STATE and tangent_of(s.name) in self._names)
        self._instances: dict[int, Instance] = {}

    def size(self, slot: str) -> int:
        return self._step.program.slot(slot).size

    def has(self, slot: str) -> bool:
        """Whether anything depends on a slot by a derivative."""
        return tangent_of(slot) in self._names

    def run(self, start: Start, record: Sequence[str], every: int = 1) -> TangentRows:
        """Rolls out, and keeps the slots `record` at the start and after every `every`-th step."""
        B, K, n = start.robots, start.directions, start.steps
        instance = self._instance(B * K)
        self._begin(instance, start)
        series = {slot: np.repeat(x, K, axis=1) for slot, x in start.series.items()}
        for slot, x in start.series_tangents.items():
            if self.has(slot):
                series[tangent_of(slot)] = x.reshape(n, B * K, self.size(slot))
        kept = [slot for slot in record if slot in self._names]
        varying = [tangent_of(slot) for slot in kept if self.has(slot)]
        first = {name: instance.get(name)[None] for name in (*kept, *varying)}
        rows = instance.run(n, series=series, record=[*kept, *varying], every=every) if n else {}
        each = {name: np.concatenate([first[name], rows[name]]) if n else first[name] for name in first}
        T = n // every + 1
        return TangentRows(
            slots={name: each[name].reshape(T, B, K, self.size(name))[:, :, 0] for name in kept},
            tangents={name: self._tangents(each, name, (T, B, K)) for name in kept},
            failures=instance.failures if n else (),
        )

    def _tangents(self, each: Mapping[str, Array], slot: str, shape: tuple[int, int, int]) -> Array:
        if not self.has(slot):
            return np.zeros((*shape, self.size(slot)))
        return each[tangent_of(slot)].reshape(*shape, self.size(slot))

    def _instance(self, lanes: int) -> Instance:
        if lanes not in self._instances:
            self._instances = {lanes: self._step.instance(lanes, threads=self._threads)}
        return self._instances[lanes]

    def _begin(self, instance: Instance, start: Start) -> None:
        B, K = start.robots, start.directions
        for slot, x in start.slots.items():
            if slot in self._names:
                instance.set(slot, np.repeat(x, K, axis=0))
        for slot in self._names:
            if slot in start.slots and self.has(slot):
                given = start.tangents.get(slot)
                instance.set(tangent_of(slot), 0.0 if given is None else given.reshape(B * K, self.size(slot)))
        if StepSlot.FRESH in self._names:
            instance.set(StepSlot.FRESH, 0.0)

    # --- signals ---------------------------------------------------------------------------------------------------

    def slots_of(self, signals: Sequence[Signal]) -> tuple[str, ...]:
        """The slots that these signals are read from."""
        found: dict[str, None] = {}
        for signal in signals:
            if isinstance(signal.source, SlotElement):
                found[signal.source.slot] = None
            for term in signal.source.terms if signal.source is not None else ():
                found |= dict.fromkeys(self._inputs(term))
        return tuple(found)

    def _inputs(self, term: Derived) -> list[str]:
        program = self._kernels[term.kernel].program
        inputs = [slot.name for slot in program.of_kind(SlotKind.INPUT)]
        if strange := [name for name in inputs if name not in self._names]:
            raise GearwrightError(f"{term.kernel!r} depends on {strange[0]!r}, for which there is no derivative")
        return inputs

    def read(self, signal: Signal, rows: TangentRows) -> tuple[Array, Array]:
        """A signal, (T, B), and its derivatives, (T, B, K)."""
        source = signal.source
        if isinstance(source, SlotElement):
            return rows.slots[source.slot][..., source.element], rows.tangents[source.slot][..., source.element]
        values: Array | float = 0.0
        tangents: Array | float = 0.0
        for term in source.terms if source is not None else ():
            value, tangent = self._evaluated(term, rows)
            values, tangents = values + value, tangents + tangent
        return np.asarray(values), np.asarray(tangents)

    def _evaluated(self, term: Derived, rows: TangentRows) -> tuple[Array, Array]:
        """By the kernel's own tangent program, at every row."""
        kernel = self._kernels[TANGENT + term.kernel]
        there = {slot.name for slot in kernel.program.slots}
        shape = next(iter(rows.tangents.values())).shape[:3]
        given: dict[str, Array] = {}
        for name in self._inputs(term):
            given[name] = np.repeat(rows.slots[name], shape[2], axis=1).reshape(prod(shape), -1)
            if tangent_of(name) in there:
                given[tangent_of(name)] = rows.tangents[name].reshape(given[name].shape)
        outputs = (term.output, tangent_of(term.output))
        parts: list[list[Array]] = [[], []]
        lanes = prod(shape)
        for first in range(0, lanes, LANES):
            found = kernel.evaluate({name: x[first : first + LANES] for name, x in given.items()})
            for part, name in zip(parts, outputs, strict=True):
                count = min(LANES, lanes - first)
                part.append(found[name].reshape(count, -1)[:, term.element] if name in there else np.zeros(count))
        values, tangents = (np.concatenate(part).reshape(shape) for part in parts)
        return values[:, :, 0], tangents
