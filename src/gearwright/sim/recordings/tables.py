"""Chunks as plain tables, a column for each number of each robot: what files hold."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from gearwright.sim.recordings.columns import Array, ArrayChunk, Chunk
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.signals import TIME, Signal


def width(signal: Signal, batch: int) -> int:
    """Numbers of a signal at one instant."""
    return 1 if signal == TIME else batch * prod(signal.shape)


def widths(schema: Schema) -> list[int]:
    return [width(s, schema.batch) for s in schema.stored]


def columns(schema: Schema, chunk: Chunk) -> Iterator[Array]:
    """Numbers of every stored signal, (rows, width)."""
    for signal in schema.stored:
        values = chunk.time if signal == TIME else chunk.column(signal)
        yield np.asarray(values, dtype="<f8").reshape(chunk.rows, width(signal, schema.batch))


def table(schema: Schema, chunk: Chunk) -> Array:
    """(rows, numbers)."""
    return np.concatenate(list(columns(schema, chunk)), axis=1)


def from_columns(schema: Schema, each: Iterator[Array], rows: int) -> ArrayChunk:
    """The chunk of these numbers, (rows, width) for every stored signal."""
    time, found = np.zeros(rows), {}
    for signal, values in zip(schema.stored, each, strict=True):
        if signal == TIME:
            time = values.reshape(rows)
        else:
            found[signal.key] = values.reshape(rows, schema.batch, *signal.shape)
    return ArrayChunk(time, found)


def from_table(schema: Schema, numbers: Array) -> ArrayChunk:
    """The chunk of a table (rows, numbers)."""
    ends = np.cumsum(widths(schema))[:-1]
    return from_columns(schema, iter(np.split(numbers, ends, axis=1)), len(numbers))
