"""The schema of a recording: its signals, with units, shapes and sources, and the instants of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gearwright.errors import UnknownNameError
from gearwright.sim.recordings.scene import SceneShape
from gearwright.sim.signals import TIME, FamilySignals, Signal, kind


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

    def family(self, name: str) -> FamilySignals:
        groups = self.tables if name == "table" else self.members.get(name, {})
        return FamilySignals(self.kinds.get(name) or kind(name), self.by_family.get(name, {}), groups)

    def of_kind(self, of: str) -> Iterator[Signal]:
        """The signals of all families whose names are of this kind."""
        return (s for s in self.signals if self.kinds.get(s.family) == of)

    def signal(self, family: str, name: str) -> Signal:
        known = self.by_family.get(family, {})
        if name not in known:
            raise UnknownNameError(self.family(family).kind, name, known)
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
