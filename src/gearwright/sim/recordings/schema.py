"""The schema of a recording: its signals, with units, shapes and sources, and the instants of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from gearwright.errors import UnknownNameError
from gearwright.sim.recordings.scene import SceneShape


class SlotElement(NamedTuple):
    """Recorded as it was: elements of a slot, from this one on."""

    slot: str
    element: int

    @property
    def terms(self) -> tuple[Derived, ...]:
        """Derived quantities that it needs."""
        return ()


class Derived(NamedTuple):
    """Computed from recorded slots by an evaluator: elements of a kernel's output, from this one on."""

    kernel: str
    output: str
    element: int

    @property
    def terms(self) -> tuple[Derived, ...]:
        return (self,)


class Total(NamedTuple):
    """A sum of derived quantities."""

    terms: tuple[Derived, ...]


Source = SlotElement | Derived | Total | None  # None: the time of a row, or numbers that a file holds


@dataclass(frozen=True, kw_only=True)
class Signal:
    """One quantity over time."""

    family: str  # position, velocity, …; "" for a quantity that there is one of
    name: str
    unit: str
    source: Source = None
    shape: tuple[int, ...] = ()  # of one instant of one robot
    stored: bool = True  # whether files hold it

    @property
    def key(self) -> tuple[str, str]:
        return self.family, self.name


TIME = Signal(family="", name="time", unit="s")


@dataclass(frozen=True, kw_only=True)
class Schema:
    """All signals of a recording, in the order of files. Row k comes after step `first_step + k·every`."""

    robot: str
    batch: int
    dt: float  # [s]
    every: int = 1  # steps from one row to the next
    start: float = 0.0  # [s]
    first_step: int = 0
    signals: tuple[Signal, ...] = (TIME,)
    members: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)  # family → further names
    kinds: Mapping[str, str] = field(default_factory=dict)  # family → what its names are names of
    followers: tuple[str, ...] = ()  # coordinates that couplings move
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of family "table": names of their rows
    scene: tuple[SceneShape, ...] = ()  # shapes of the links
    bands: tuple[float, ...] = ()  # quantiles that stand in the place of robots
    limits: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)  # family → name → range
    file: str = ""  # that the robot was read from
    base: str = ""  # how its base was held: fixed, floating

    @cached_property
    def stored(self) -> tuple[Signal, ...]:
        """The signals that files hold."""
        return tuple(s for s in self.signals if s.stored)

    @cached_property
    def by_family(self) -> dict[str, dict[str, Signal]]:
        """Family → name → signal."""
        found: dict[str, dict[str, Signal]] = {}
        for signal in self.signals:
            found.setdefault(signal.family, {})[signal.name] = signal
        return found

    def signal(self, family: str, name: str) -> Signal:
        known = self.by_family.get(family, {})
        if name not in known:
            raise UnknownNameError(self.kinds.get(family, family or "signal"), name, known)
        return known[name]

    @cached_property
    def derived(self) -> dict[str, dict[str, list[int]]]:
        """Kernel → output → the elements that signals need, ascending."""
        found: dict[str, dict[str, set[int]]] = {}
        for signal in self.signals:
            for kernel, output, element in signal.source.terms if signal.source else ():
                count = _size(signal.shape)
                found.setdefault(kernel, {}).setdefault(output, set()).update(range(element, element + count))
        return {kernel: {o: sorted(e) for o, e in outputs.items()} for kernel, outputs in found.items()}


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size
