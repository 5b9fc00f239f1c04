"""Arrays as machine code wants them: aligned, and in blocks of lanes, `[block][row][element][lane]`.

Lanes that a batch does not fill hold copies of the last robot, so that all lanes do the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gearwright.compiler.buffers import Array, Buffer

ALIGNMENT = 64  # bytes: a cache line, and the widest register


def aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Zeros that begin on a cache line."""
    size = int(np.prod(shape)) * dtype.itemsize
    raw = np.zeros(size + ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + size].view(dtype).reshape(shape)


class BlockedBuffer(Buffer):
    """A buffer over an array (blocks, rows, size, lanes)."""

    __slots__ = ("batch", "data")

    def __init__(self, data: Array, batch: int) -> None:
        self.data, self.batch = data, batch

    def __reduce__(self) -> tuple[Any, ...]:
        """Broadcast data is pickled once."""
        data = self.data
        return _unpacked, (data[:, :1] if data.strides[1] == 0 else data, data.shape, self.batch)

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.data.shape[1], self.batch, self.data.shape[2]

    def numbers(self) -> Array:
        blocks, rows, size, lanes = self.data.shape
        if lanes == 1:
            return self.data[..., 0].transpose(1, 0, 2).copy()
        ordered = np.empty((rows, blocks, lanes, size), self.data.dtype)
        ordered[:] = self.data.transpose(1, 0, 3, 2)
        return ordered.reshape(rows, blocks * lanes, size)[:, : self.batch]

    def assign(self, values: Any) -> None:
        full = np.broadcast_to(values, self.shape)
        if self._spare:
            full = np.concatenate([full, np.repeat(full[:, -1:], self._spare, axis=1)], axis=1)
        blocks, rows, size, lanes = self.data.shape
        self.data[:] = full.reshape(rows, blocks, lanes, size).transpose(1, 0, 3, 2)

    def column(self, element: int) -> Array:
        blocks, rows, _, lanes = self.data.shape
        ordered = np.empty((rows, blocks, lanes), self.data.dtype)
        ordered[:] = self.data[:, :, element, :].transpose(1, 0, 2)
        return ordered.reshape(rows, blocks * lanes)[:, : self.batch]

    def fill(self, element: int, values: Any) -> None:
        if isinstance(values, float):
            self.data[:, :, element, :] = values
            return
        full = np.broadcast_to(values, self.shape[:2])
        if self._spare:
            full = np.concatenate([full, np.repeat(full[:, -1:], self._spare, axis=1)], axis=1)
        blocks, rows, _, lanes = self.data.shape
        self.data[:, :, element, :] = full.reshape(rows, blocks, lanes).transpose(1, 0, 2)

    def reader(self, element: int) -> Callable[[], Any]:
        if self.batch == 1:
            return partial(self.data[0, 0, :, 0].item, element)
        return partial(_first_robots, self.data[:, 0, element, :], self.batch)

    def robot_reader(self, element: int, robot: int) -> Callable[[], float]:
        block, lane = divmod(robot, self.data.shape[3])
        return partial(self.data[block, 0, :, lane].item, element)

    def robot_writer(self, element: int, robot: int) -> Callable[[float], None]:
        block, lane = divmod(robot, self.data.shape[3])
        last = robot == self.batch - 1  # lanes behind it hold copies
        own = self.data[block, 0, element, lane : None if last else lane + 1]
        return own.fill

    def rows(self, rows: slice) -> BlockedBuffer:
        return BlockedBuffer(self.data[:, rows], self.batch)

    def element(self, element: int) -> BlockedBuffer:
        return BlockedBuffer(self.data[:, :, element : element + 1], self.batch)

    def copy(self) -> BlockedBuffer:
        return BlockedBuffer(self.data.copy(), self.batch)

    def repeated(self, rows: int) -> BlockedBuffer:
        blocks, _, size, lanes = self.data.shape
        return BlockedBuffer(np.broadcast_to(self.data.copy(), (blocks, rows, size, lanes)), self.batch)

    def copier(self, source: Buffer) -> Callable[[], None]:
        assert isinstance(source, BlockedBuffer)
        return partial(np.copyto, self.data, source.data)

    def keeper(self, source: Buffer) -> Callable[[int], None]:
        assert isinstance(source, BlockedBuffer)
        rows, now = self.data.transpose(1, 0, 2, 3), source.data[:, 0]
        return lambda k: rows.__setitem__(k, now)

    @property
    def shared(self) -> Array | None:
        return self.data[..., 0].transpose(1, 0, 2) if self.data.shape[3] == 1 else None

    @property
    def _spare(self) -> int:
        """Lanes that hold no robot."""
        return int(self.data.shape[0] * self.data.shape[3]) - self.batch


def _unpacked(data: Array, shape: tuple[int, ...], batch: int) -> BlockedBuffer:
    return BlockedBuffer(np.broadcast_to(data, shape), batch)


def _first_robots(lanes: Array, batch: int) -> Array:
    return lanes.flatten()[:batch]
