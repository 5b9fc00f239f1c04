"""The columns of a recording, in chunks of rows: slots as they were recorded, and quantities that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gearwright.sim.recordings.schema import Schema
from gearwright.sim.signals import Derived, Signal, SlotElement

Array = NDArray[Any]
PIECE = 65_536  # states that are evaluated in one call


class SlotRows(Protocol):
    """A slot over some rows, (rows, B, size)."""

    @property
    def shape(self) -> tuple[int, int, int]: ...
    def numbers(self) -> Array: ...
    def column(self, element: int) -> Array: ...
    def rows(self, rows: slice) -> SlotRows: ...


class Evaluator(Protocol):
    """Computes quantities that follow from recorded slots: followers, energies, coupling errors."""

    def inputs(self, kernel: str) -> Sequence[str]:
        """The slots that a kernel's evaluation needs."""

    def evaluate(self, kernel: str, slots: Mapping[str, Array]) -> Mapping[str, Array]:
        """Outputs, (n, size) each, for n states, (n, size) each."""


class Chunk(Protocol):
    """Some consecutive rows of all signals."""

    @property
    def rows(self) -> int: ...
    @property
    def time(self) -> Array:
        """(T,) [s]."""

    def column(self, signal: Signal) -> Array:
        """(T, B, *shape)."""

    def thinned(self, rows: slice) -> Chunk:
        """Some of the rows."""


class ArrayChunk:
    """Rows whose numbers are at hand, by the key of their signal: as a reader finds them in a file."""

    def __init__(self, time: Array, columns: Mapping[tuple[str, str], Array]) -> None:
        self.rows, self.time, self._columns = len(time), time, columns

    def column(self, signal: Signal) -> Array:
        return self._columns[signal.key]

    def thinned(self, rows: slice) -> ArrayChunk:
        return ArrayChunk(self.time[rows], {key: x[rows] for key, x in self._columns.items()})


class SlotChunk:
    """Rows as a run leaves them: slots, and an evaluator for the rest."""

    def __init__(self, schema: Schema, first_row: int, slots: Mapping[str, SlotRows], evaluator: Evaluator) -> None:
        self._schema, self._slots, self._evaluator = schema, slots, evaluator
        self.rows = next(iter(slots.values())).shape[0]
        self._first_row = first_row
        self._derived: dict[str, dict[str, Array]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Without derived quantities, which are computed again."""
        return {name: x for name, x in self.__dict__.items() if name != "time"} | {"_derived": {}}

    @cached_property
    def time(self) -> Array:
        """(T,) [s]."""
        own = self._schema
        steps = own.first_step + own.every * np.arange(self._first_row, self._first_row + self.rows)
        times: Array = own.start + steps * own.dt
        return times

    def thinned(self, rows: slice) -> SlotChunk:
        """Some of the rows; what follows from them is computed for these alone."""
        chunk = SlotChunk(
            self._schema, self._first_row, {n: x.rows(rows) for n, x in self._slots.items()}, self._evaluator
        )
        chunk.__dict__["time"] = self.time[rows]
        return chunk

    def column(self, signal: Signal) -> Array:
        source = signal.source
        if source is None:
            return np.repeat(self.time[:, None], self._schema.batch, axis=1)
        size = prod(signal.shape)
        if isinstance(source, SlotElement):
            found = self._recorded(source, size)
        else:
            nothing = np.zeros((self.rows, self._schema.batch, size))  # a sum may have no terms
            found = sum((self._evaluated(term, size) for term in source.terms), nothing)
        return found.reshape(*found.shape[:2], *signal.shape)

    def _recorded(self, source: SlotElement, size: int) -> Array:
        found = np.empty((self.rows, self._schema.batch, size))
        for i in range(size):
            found[:, :, i] = self._slots[source.slot].column(source.element + i)
        return found

    def _evaluated(self, source: Derived, size: int = 1) -> Array:
        kernel, output, element = source
        if kernel not in self._derived:
            self._derived[kernel] = self._evaluate(kernel)
        at = self._schema.derived[kernel][output].index(element)
        return self._derived[kernel][output][:, :, at : at + size].astype(np.float64)

    def _evaluate(self, kernel: str) -> dict[str, Array]:
        """The outputs that signals need, (rows, B, elements) each."""
        wanted, batch = self._schema.derived[kernel], self._schema.batch
        inputs = self._evaluator.inputs(kernel)
        parts: dict[str, list[Array]] = {output: [] for output in wanted}
        size = max(1, PIECE // batch)
        for first in range(0, self.rows, size):
            rows = slice(first, first + size)
            found = self._evaluator.evaluate(kernel, {n: _states(self._slots[n].rows(rows)) for n in inputs})
            for output, elements in wanted.items():
                columns = found[output][:, elements]
                parts[output].append(columns.reshape(-1, batch, len(elements)))
        return {output: np.concatenate(pieces) for output, pieces in parts.items()}


def _states(part: SlotRows) -> Array:
    """Rows of all robots under each other, (rows·B, size)."""
    rows, batch, size = part.shape
    return part.numbers().reshape(rows * batch, size)
