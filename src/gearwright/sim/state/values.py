"""Numbers by name, read from the memory of a batch: a float of one robot, an array (B,) of several."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gearwright.errors import UnknownNameError
from gearwright.model.names_view import NamesView

if TYPE_CHECKING:
    from gearwright.compiler import Instance

Array = NDArray[Any]
Value = Any  # a float, or an array over the batch
Read = Callable[[], Value]


class Values(Mapping[str, Value]):
    """A read-only mapping; what it shows is read when it is asked for. Unknown names raise with the nearest valid one.

    `groups` are further names: of joints with several coordinates (an array, the coordinates along its last axis).
    """

    __slots__ = ("_groups", "_kind", "_reads")

    def __init__(self, kind: str, reads: Mapping[str, Read], groups: Mapping[str, tuple[str, ...]]) -> None:
        self._kind, self._reads, self._groups = kind, dict(reads), groups

    def __getitem__(self, name: str) -> Value:
        try:
            read = self._reads[name]
        except (KeyError, TypeError):
            return self._several(name)
        return read()

    def _several(self, name: str) -> Value:
        if name not in self._groups:
            raise UnknownNameError(self._kind, name, [*self._reads, *self._groups]) from None
        own = [self._reads[n]() for n in self._groups[name]]
        return np.stack(own, axis=-1) if own else np.zeros(0)

    def members(self, name: str) -> tuple[str, ...]:
        """The single names that a name stands for."""
        return self._groups.get(name, (name,))

    def _ipython_key_completions_(self) -> list[str]:
        """Names that a notebook offers after `["`."""
        return [*self._reads, *self._groups]

    def __contains__(self, name: object) -> bool:
        return name in self._reads or name in self._groups

    def __iter__(self) -> Iterator[str]:
        return iter(self._reads)

    def __len__(self) -> int:
        return len(self._reads)

    def keys(self) -> NamesView:
        return NamesView(self)

    def __repr__(self) -> str:
        return repr({name: read() for name, read in self._reads.items()})


class AliasedValues(Values):
    """Values of couplings, whose further names are second names of single ones."""

    __slots__ = ("_left_out",)

    def __init__(
        self, kind: str, reads: Mapping[str, Read], groups: Mapping[str, tuple[str, ...]], left_out: Sequence[str] = ()
    ) -> None:
        super().__init__(kind, reads, groups)
        self._left_out = left_out

    def _several(self, name: str) -> Value:
        if name not in self._groups and name in self._left_out:
            found = UnknownNameError(self._kind, name, self._reads)
            found.args = (f"{self._kind} {name!r} is left out of the simulation: a loop contradicts it",)
            raise found
        own = super()._several(name)
        return own[..., 0] if np.ndim(own) > 1 else float(own[0])


class WithLoopJoints(Values):
    """Values by joint, and of joints that close loops, too. Those are not counted or listed: they cannot be set."""

    __slots__ = ("_loops",)

    def __init__(self, values: Values, loops: Values) -> None:
        super().__init__(values._kind, values._reads, values._groups)
        self._loops = loops

    def _several(self, name: str) -> Value:
        if name in self._groups:
            return super()._several(name)
        if name not in self._loops:
            raise UnknownNameError(self._kind, name, [*self._reads, *self._groups, *self._loops]) from None
        return self._loops[name]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self._loops


class WithoutLoopJoints(Values):
    """Values by joint, which joints that close loops do not have: their names raise with the reason."""

    __slots__ = ("_reason", "_without")

    def __init__(self, values: Values, without: Collection[str], reason: str) -> None:
        super().__init__(values._kind, values._reads, values._groups)
        self._without, self._reason = without, reason

    def _several(self, name: str) -> Value:
        if name not in self._groups and name in self._without:
            found = UnknownNameError(self._kind, name, self._reads)
            found.args = (f"{name!r} closes a loop: {self._reason}; load(cut=…) cuts the loop at another joint",)
            raise found
        return super()._several(name)


def reader(instance: Instance, slot: str, element: int, refresh: Callable[[], object] | None = None) -> Read:
    """Reads one element of a slot, after `refresh` where it has to be computed first."""
    item: Read = instance.slot(slot).reader(element)
    return item if refresh is None else partial(_after, refresh, item)


def _after(refresh: Callable[[], object], item: Read) -> Value:
    refresh()
    return item()
