"""Recordings as tables of polars or pandas: one column per signal, named as plots name it (`knee.position`).

Of a batch, a row for each instant and robot, with the column `robot`.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.optional import require
from gearwright.sim.recordings.columns import Array, Chunk
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.recordings.signal_names import label
from gearwright.sim.signals import TIME, Signal

if TYPE_CHECKING:
    from gearwright.sim.recordings.recording import Recording

ROBOT = "robot"


def titles(schema: Schema) -> dict[str, tuple[Signal, int]]:
    """Columns: of each the signal and which of its numbers."""
    found: dict[str, tuple[Signal, int]] = {}
    for signal in schema.stored:
        for i, place in enumerate(np.ndindex(signal.shape)):
            found[".".join([label(signal), *map(str, place)])] = (signal, i)
    return found


def frame_columns(schema: Schema, chunk: Chunk) -> dict[str, Array]:
    """Every column of a chunk, (rows·B,)."""
    found, read = {}, dict[Signal, Array]()
    for title, (signal, i) in titles(schema).items():
        if signal == TIME:
            found[title] = np.repeat(chunk.time, schema.batch)
            if schema.batch > 1:
                found[ROBOT] = np.tile(robots(schema), chunk.rows)
            continue
        if signal not in read:
            read[signal] = np.asarray(chunk.column(signal), np.float64).reshape(
                chunk.rows * schema.batch, prod(signal.shape)
            )
        found[title] = np.ascontiguousarray(read[signal][:, i])
    return found


def robots(schema: Schema) -> Array:
    """The column `robot`: numbers, or the quantiles of a banded recording."""
    return np.array(schema.bands) if schema.bands else np.arange(schema.batch)


def chunk_of(schema: Schema, columns: Mapping[str, Array]) -> tuple[Array, dict[tuple[str, str], Array]]:
    """Times and columns by signal of a table that `frame_columns` made."""
    time = np.asarray(columns[TIME.name], np.float64)[:: schema.batch]
    parts: dict[Signal, list[Array]] = {}
    for title, (signal, _) in titles(schema).items():
        if signal != TIME:
            parts.setdefault(signal, []).append(np.asarray(columns[title], np.float64))
    shaped = {s.key: np.stack(p, axis=-1).reshape(len(time), schema.batch, *s.shape) for s, p in parts.items()}
    return time, shaped


def to_polars(recording: Recording) -> Any:
    """See `Recording.to_polars`."""
    polars = require("polars", "a polars table")
    return polars.DataFrame(_joined(recording))


def to_pandas(recording: Recording) -> Any:
    """See `Recording.to_pandas`."""
    pandas = require("pandas", "a pandas table")
    return pandas.DataFrame(_joined(recording))


def _joined(recording: Recording) -> dict[str, Array]:
    parts = [frame_columns(recording.schema, chunk) for chunk in recording.chunks]
    names = parts[0] if parts else titles(recording.schema)
    return {name: np.concatenate([np.zeros(0), *(p[name] for p in parts)]) if parts else np.zeros(0) for name in names}
