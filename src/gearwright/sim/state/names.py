"""Names of a mechanism's coordinates, and their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_numbers import numbers
from gearwright.model import Joint, Mechanism


@dataclass(frozen=True)
class Group:
    """Numbers in a fixed order, by name; a joint's name stands for all the numbers of that joint."""

    kind: str  # what an unknown name is called
    names: tuple[str, ...]
    joints: Mapping[str, tuple[int, ...]]  # joints of several numbers, or of none
    elsewhere: Mapping[str, str] = field(default_factory=dict)  # names that belong somewhere else → what to write
    hint: str = ""  # what to do about any unknown name

    @cached_property
    def index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def unknown(self, name: object) -> UnknownNameError:
        found = UnknownNameError(self.kind, name, [*self.names, *self.joints], self.hint)
        if isinstance(name, str) and name in self.elsewhere:
            found.args = (f"{name!r} {self.elsewhere[name]}",)
        elif self.hint and not self.names:
            found.args = (f"there is no {self.kind} named {name!r}: {self.hint}",)
        return found

    def single(self, name: str) -> int:
        """The index of a single number."""
        if name in self.index:
            return self.index[name]
        if name in self.joints:
            each = ", ".join(repr(self.names[i]) for i in self.joints[name])
            raise ModelError(f"{name!r} is not a single number; it has {each or 'none'}")
        raise self.unknown(name)

    def columns(self, values: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
        """Each number that is given: a joint of several takes them along the last axis of its value."""
        if not isinstance(values, Mapping):
            raise self._unnamed(values)
        for name, value in values.items():
            if name in self.index:
                yield self.index[name], value
            elif name in self.joints:
                yield from self._columns(name, self.joints[name], numbers(repr(name), value))
            else:
                raise self.unknown(name)

    def _unnamed(self, values: Any) -> ModelError:
        """The error for values without names, and how to name them."""
        first = repr(next(iter(self.names), self.kind))
        message = f"values must be given by {self.kind}, as {{{first}: 0.1}}, not {values!r:.60}"
        if self.kind == "joint" and np.shape(values) == (len(self.names),):
            message += "; for all of them in order write dict(zip(sim.coordinates, values))"
        return ModelError(message)

    def _columns(self, name: str, indices: tuple[int, ...], value: Any) -> Iterator[tuple[int, Any]]:
        if not indices:
            raise ModelError(f"joint {name!r} is fixed: it has no coordinate")
        if value.ndim == 0 or value.shape[-1] != len(indices):
            each = ", ".join(repr(self.names[i]) for i in indices)
            raise ModelError(f"{name!r} takes {len(indices)} numbers, {each}, not {value.tolist()!r:.80}")
        for n, i in enumerate(indices):
            yield i, value[..., n]


@dataclass(frozen=True)
class Names:
    """The names of a mechanism's coordinates, and which of them are independent."""

    positions: Group  # of the tree
    coordinates: Group  # velocities, accelerations and efforts of the tree
    free_positions: tuple[int, ...]  # of the tree's positions, those that follow nothing
    free_velocities: tuple[int, ...]
    quaternions: tuple[slice, ...]  # of the tree's positions
    joints: tuple[Joint, ...]

    @staticmethod
    def of(robot: Mechanism) -> Names:
        joints = robot.tree.joints
        positions = _group("joint", joints, [j.positions for j in joints])
        coordinates = _group("joint", joints, [j.coordinates for j in joints])
        first = accumulate((len(j.positions) for j in joints), initial=0)
        starts = [i + j.type.quaternion for i, j in zip(first, joints, strict=False) if j.type.quaternion is not None]
        return Names(
            positions=positions,
            coordinates=coordinates,
            free_positions=robot.layout.independent_positions,
            free_velocities=robot.layout.independent_velocities,
            quaternions=tuple(slice(i, i + 4) for i in starts),
            joints=joints,
        )


def _group(kind: str, joints: tuple[Joint, ...], each: list[tuple[str, ...]]) -> Group:
    names = tuple(name for own in each for name in own)
    several: dict[str, tuple[int, ...]] = {}
    start = 0
    for j, own in zip(joints, each, strict=True):
        if own != (j.name,):
            several[j.name] = tuple(range(start, start + len(own)))
        start += len(own)
    return Group(kind, names, several)
