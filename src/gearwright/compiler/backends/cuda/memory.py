"""Arrays on the device, `[row][element][robot]`, and as the rest of the package sees them.

The array module is CuPy, or NumPy where the kernel runs on the CPU for tests: both have the same functions.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from gearwright.compiler.buffers import Array, Buffer, exchangeable


def to_host(array: Any) -> Array:
    """A NumPy array with the same numbers."""
    found: Array = array.get() if hasattr(array, "get") else np.asarray(array)
    return found


class DeviceBuffer(Buffer):
    """A buffer over an array (rows, size, batch) of the device."""

    __slots__ = ("arrays", "data")

    def __init__(self, arrays: Any, data: Any) -> None:
        self.arrays, self.data = arrays, data  # the array module, and an array of it

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (self.arrays.__name__, to_host(self.data))

    @property
    def shape(self) -> tuple[int, int, int]:
        rows, size, batch = self.data.shape
        return rows, batch, size

    def numbers(self) -> Array:
        return np.ascontiguousarray(to_host(self.data).transpose(0, 2, 1))

    def assign(self, values: Any) -> None:
        self.data[...] = self._here(values, self.shape).transpose(0, 2, 1)

    def column(self, element: int) -> Array:
        return to_host(self.data[:, element, :]).copy()

    def fill(self, element: int, values: Any) -> None:
        rows, batch, _ = self.shape
        self.data[:, element, :] = self._here(values, (rows, batch))

    def _here(self, values: Any, shape: tuple[int, ...]) -> Any:
        """On the device, in this shape; an array that is there already is not copied to the host and back."""
        return self.arrays.broadcast_to(self.arrays.asarray(values, dtype=self.data.dtype), shape)

    def reader(self, element: int) -> Callable[[], Any]:
        own = self.data[0, element]
        if self.shape[1] == 1:
            return lambda: float(own[0])
        return lambda: to_host(own).copy()

    def robot_reader(self, element: int, robot: int) -> Callable[[], float]:
        return lambda: float(self.data[0, element, robot])

    def robot_writer(self, element: int, robot: int) -> Callable[[float], None]:
        return lambda value: self.data.__setitem__((0, element, robot), value)

    def rows(self, rows: slice) -> DeviceBuffer:
        return DeviceBuffer(self.arrays, self.data[rows])

    def element(self, element: int) -> DeviceBuffer:
        return DeviceBuffer(self.arrays, self.data[:, element : element + 1])

    def exchanged(self) -> Any:
        return self.data[0]

    def take(self, values: Any) -> None:
        given = self.arrays.from_dlpack(values) if hasattr(values, "__dlpack__") else self.arrays.asarray(values)
        self.data[0] = exchangeable(given, self.shape)

    def copy(self) -> DeviceBuffer:
        return DeviceBuffer(self.arrays, self.data.copy())

    def repeated(self, rows: int) -> DeviceBuffer:
        return DeviceBuffer(self.arrays, self.arrays.broadcast_to(self.data.copy(), (rows, *self.data.shape[1:])))

    def copier(self, source: Buffer) -> Callable[[], None]:
        assert isinstance(source, DeviceBuffer)
        return lambda: self.data.__setitem__(..., source.data)

    def keeper(self, source: Buffer) -> Callable[[int], None]:
        assert isinstance(source, DeviceBuffer)
        return lambda k: self.data.__setitem__(k, source.data[0])

    @property
    def shared(self) -> Array | None:
        return None


def _unpacked(module: str, data: Array) -> DeviceBuffer:
    arrays = import_module(module)
    return DeviceBuffer(arrays, arrays.asarray(data))
