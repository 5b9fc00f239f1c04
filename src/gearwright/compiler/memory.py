"""Arrays as machine code wants them: aligned, and in blocks of lanes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
ALIGNMENT = 64  # bytes: a cache line, and the widest register


def aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Zeros that begin on a cache line."""
    size = int(np.prod(shape)) * dtype.itemsize
    raw = np.zeros(size + ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + size].view(dtype).reshape(shape)


def blocked(values: Array, lanes: int) -> Array:
    """(rows, batch, *shape) to (blocks, rows, size, lanes); the last robot is repeated to fill the last block."""
    rows, batch = values.shape[:2]
    blocks = -(-batch // lanes)
    size = math.prod(values.shape[2:])
    flat = values.reshape(rows, batch, size)
    missing = blocks * lanes - batch
    if missing:
        flat = np.concatenate([flat, np.repeat(flat[:, -1:], missing, axis=1)], axis=1)
    out = aligned((blocks, rows, size, lanes), values.dtype)
    out[:] = flat.reshape(rows, blocks, lanes, size).transpose(1, 0, 3, 2)
    return out


def unblocked(blocks: Array, batch: int, shape: tuple[int, ...]) -> Array:
    """(blocks, rows, size, lanes) to (rows, batch, *shape)."""
    count, rows, size, lanes = blocks.shape
    flat = blocks.transpose(1, 0, 3, 2).reshape(rows, count * lanes, size)
    return np.ascontiguousarray(flat[:, :batch]).reshape(rows, batch, *shape)
