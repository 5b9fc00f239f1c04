"""Numbers by name, read from the memory of a batch: a float of one robot, an array (B,) of several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gearwright.errors import UnknownNameError
from gearwright.model.by_name import NamesView

Array = NDArray[Any]
Value = Any  # a float, or an array over the batch
Read = Callable[[], Value]


class Values(Mapping[str, Value]):
    """A read-only mapping; what it shows is read when it is asked for. Unknown names raise with the nearest valid one.

    groups     further names, each of several numbers: joints with several coordinates (along the last axis)
    also       values that are read by their names, and are not listed or counted: they cannot be set
    elsewhere  names that have no value here, and the reason
    """

    __slots__ = ("_also", "_elsewhere", "_groups", "_kind", "_reads")

    def __init__(
        self, kind: str, reads: Mapping[str, Read], groups: Mapping[str, tuple[str, ...]], also: Values | None = None,
        elsewhere: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self._kind, self._reads, self._groups = kind, dict(reads), groups
        self._also, self._elsewhere = also, elsewhere or {}

    def __getitem__(self, name: str) -> Value:
        try:
            read = self._reads[name]
        except (KeyError, TypeError):
            return self._several(name)
        return read()

    def _several(self, name: str) -> Value:
        if name in self._groups:
            own = [self._reads[n]() for n in self._groups[name]]
            return np.stack(own, axis=-1) if own else np.zeros(0)
        if self._also is not None and name in self._also:
            return self._also[name]
        found = UnknownNameError(self._kind, name, self._ipython_key_completions_())
        if name in self._elsewhere:
            found.args = (self._elsewhere[name],)
        raise found from None

    def members(self, name: str) -> tuple[str, ...]:
        """The single names that a name stands for."""
        return self._groups.get(name, (name,))

    def _ipython_key_completions_(self) -> list[str]:
        """Names that a notebook offers after `["`."""
        return [*self._reads, *self._groups, *(() if self._also is None else self._also._ipython_key_completions_())]

    def __contains__(self, name: object) -> bool:
        return name in self._reads or name in self._groups or (self._also is not None and name in self._also)

    def __iter__(self) -> Iterator[str]:
        return iter(self._reads)

    def __len__(self) -> int:
        return len(self._reads)

    def keys(self) -> NamesView:
        return NamesView(self)

    def __repr__(self) -> str:
        return repr({name: read() for name, read in self._reads.items()})
