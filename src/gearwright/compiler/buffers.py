"""Numbers of a batch of robots in the memory of a back end, seen as (rows, batch, size)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gearwright.errors import ModelError

Array = NDArray[Any]


class Buffer(ABC):
    """Numbers of every robot of a batch, (rows, batch, size), in the memory of a back end."""

    __slots__ = ()

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int, int]:
        """(rows, batch, size)."""

    @abstractmethod
    def numbers(self) -> Array:
        """A copy, (rows, batch, size)."""

    @abstractmethod
    def assign(self, values: Any) -> None:
        """Sets all numbers; `values` broadcast to (rows, batch, size)."""

    @abstractmethod
    def column(self, element: int) -> Array:
        """One element of every robot, a copy (rows, batch)."""

    @abstractmethod
    def fill(self, element: int, values: Any) -> None:
        """Sets one element of every robot: a float, or an array that broadcasts to (rows, batch)."""

    @abstractmethod
    def reader(self, element: int) -> Callable[[], Any]:
        """Reads one element of the first row: a float of one robot, an array (batch,) of several."""

    @abstractmethod
    def rows(self, rows: slice) -> Buffer:
        """Some of the rows, in the same memory."""

    @abstractmethod
    def element(self, element: int) -> Buffer:
        """One element of every robot, in the same memory."""

    @abstractmethod
    def copy(self) -> Buffer:
        """The same numbers in memory of their own."""

    def exchanged(self) -> Any:
        """The first row as an array (size, batch) of the device's own library, for DLPack: its memory on a GPU, a copy
        elsewhere."""
        return np.ascontiguousarray(self.numbers()[0].T)

    def take(self, values: Any) -> None:
        """Sets the first row to an array (size, batch) of any library with DLPack, on the same device."""
        given = np.from_dlpack(values) if hasattr(values, "__dlpack__") else np.asarray(values)
        self.assign(exchangeable(given, self.shape).T[None])

    @abstractmethod
    def repeated(self, rows: int) -> Buffer:
        """A copy of the one row, seen as if it stood there so many times; not to be written."""

    @abstractmethod
    def copier(self, source: Buffer) -> Callable[[], None]:
        """A call that copies what `source`, a buffer of the same back end, holds then; its rows broadcast."""

    @abstractmethod
    def keeper(self, source: Buffer) -> Callable[[int], None]:
        """A call that copies into the row of that number what `source`, one row of the same back end, holds then."""

    @property
    @abstractmethod
    def shared(self) -> Array | None:
        """The memory itself as a writable (rows, batch, size), where the back end keeps it in that order."""

    def robot_reader(self, element: int, robot: int) -> Callable[[], float]:
        """Reads one element of one robot, in the first row. Back ends override it with something cheaper."""
        own = self.element(element)
        return lambda: float(own.numbers()[0, robot, 0])

    def robot_writer(self, element: int, robot: int) -> Callable[[float], None]:
        """Sets one element of one robot, in the first row. Back ends override it with something cheaper."""
        own = self.element(element)

        def write(value: float) -> None:
            numbers = own.numbers()
            numbers[0, robot, 0] = value
            own.assign(numbers)

        return write

    def row(self, k: int) -> Buffer:
        """One row, in the same memory."""
        return self.rows(slice(k, k + 1) if k >= 0 else slice(k, None if k == -1 else k + 1))

    def copy_from(self, source: Buffer) -> None:
        """Copies another buffer of the same back end; its rows broadcast."""
        self.copier(source)()


def exchangeable(values: Any, shape: tuple[int, int, int]) -> Any:
    """An array (size, batch) of any library, checked."""
    _, batch, size = shape
    if values.shape != (size, batch):
        raise ModelError(f"an array of shape {(size, batch)}, numbers by robots, is needed, not {values.shape}")
    return values
