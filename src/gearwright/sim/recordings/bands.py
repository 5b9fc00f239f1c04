"""Quantile bands: of a batch some quantiles at each instant, in the place of its robots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.given_numbers import as_float
from gearwright.sim.recordings.columns import Array, ArrayChunk, Chunk
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.signals import TIME

USUAL = (0.05, 0.25, 0.5, 0.75, 0.95)


def checked(bands: Any) -> tuple[float, ...]:
    """Quantiles as callers give them, ascending; True for the usual ones."""
    if bands is True:
        return USUAL
    several = isinstance(bands, Sequence | np.ndarray) and not isinstance(bands, str | bytes)
    each = [as_float(b) for b in bands] if several else []
    found = tuple(sorted({b for b in each if b is not None and 0 <= b <= 1}))
    if not found or len(found) < len(set(each)):
        raise ModelError(f"bands must be quantiles from 0 to 1, such as (0.05, 0.5, 0.95), not {bands!r:.60}")
    return found


def banded_schema(schema: Schema, bands: tuple[float, ...]) -> Schema:
    """The schema with quantiles in the place of robots; what is not in files is left out."""
    return replace(schema, batch=len(bands), bands=bands, signals=schema.stored, tables={})


def banded(chunk: Chunk, schema: Schema) -> ArrayChunk:
    """The quantiles of a chunk's robots; `schema` is the banded one."""
    columns = {s.key: quantiles(chunk.column(s), schema.bands) for s in schema.signals if s != TIME}
    return ArrayChunk(np.array(chunk.time), columns)


def quantiles(values: Array, bands: tuple[float, ...]) -> Array:
    """(T, Q, *shape) of (T, B, *shape), by linear interpolation."""
    return np.moveaxis(np.quantile(values, bands, axis=1), 0, 1)
