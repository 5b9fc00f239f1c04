"""Which designs a sweep tries: one row of numbers each, found by its index, so that chunks can be made anywhere.

grid     every combination; a parameter has as many values as its third number says
random   uniform in the ranges
lhs      Latin hypercube: each parameter's range is cut into n slices, and every slice is used once
sobol    Sobol's sequence, scrambled: fills the ranges evenly at any number
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from gearwright.errors import ModelError, suggestion
from gearwright.given_numbers import number, whole
from gearwright.optional import require

SAMPLINGS = ("grid", "random", "lhs", "sobol")
MOST = 10**9  # designs


@dataclass(frozen=True)
class Range:
    """The values of one parameter: `count` of them between two ends, or a list."""

    name: str
    low: float
    high: float
    count: int | None = None
    values: tuple[float, ...] | None = None

    @property
    def size(self) -> int:
        """The number of values of a grid."""
        if self.values is None and self.count is None:
            raise ModelError(f"a grid needs the number of values of {self.name!r}: (low, high, n)")
        return self.count if self.values is None and self.count is not None else len(self.values or ())

    @property
    def ticks(self) -> np.ndarray[Any, Any]:
        """The values of a grid."""
        if self.values is not None:
            return np.array(self.values)
        return np.linspace(self.low, self.high, self.size)


@dataclass(frozen=True)
class Chunking:
    """Designs in chunks of one size; the last one may be shorter."""

    total: int  # designs
    size: int

    def __len__(self) -> int:
        return (self.total + self.size - 1) // self.size

    def rows(self, number: int) -> int:
        return min(self.size, self.total - number * self.size)


@dataclass(frozen=True)
class Designs:
    """All designs of a sweep."""

    ranges: tuple[Range, ...]
    sampling: str
    count: int
    seed: int

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(r.name for r in self.ranges)

    def rows(self, first: int, last: int) -> np.ndarray[Any, Any]:
        """(last − first, parameters)."""
        if self.sampling == "grid":
            ticks = [r.ticks for r in self.ranges]
            at = np.unravel_index(np.arange(first, last), [len(t) for t in ticks])
            return np.stack([t[i] for t, i in zip(ticks, at, strict=True)], axis=1)
        low = np.array([r.low for r in self.ranges])
        high = np.array([r.high for r in self.ranges])
        rows: np.ndarray[Any, Any] = low + (high - low) * self._unit[first:last]
        return rows

    @cached_property
    def _unit(self) -> np.ndarray[Any, Any]:
        """All points in the unit cube."""
        rng, shape = np.random.default_rng(self.seed), (self.count, len(self.ranges))
        if self.sampling == "random":
            return rng.random(shape)
        if self.sampling == "lhs":
            slices = np.stack([rng.permutation(self.count) for _ in self.ranges], axis=1)
            points: np.ndarray[Any, Any] = (slices + rng.random(shape)) / self.count
            return points
        qmc = require("scipy.stats.qmc", "sampling='sobol'")
        power = max(0, int(np.ceil(np.log2(self.count))))
        found: np.ndarray[Any, Any] = qmc.Sobol(len(self.ranges), seed=self.seed).random_base2(power)[: self.count]
        return found


def designs(vary: Mapping[str, Any], sampling: str, count: int | None, seed: int) -> Designs:
    """As a caller writes them: a pair of ends, (low, high, n), or a list of values, by parameter."""
    if sampling not in SAMPLINGS:
        raise ModelError(f"there is no sampling {sampling!r}{suggestion(str(sampling), SAMPLINGS)}")
    if not isinstance(vary, Mapping) or not vary:
        raise ModelError("vary is a mapping from parameters to (low, high, n) or lists of values, with at least one")
    ranges = tuple(_range(name, given) for name, given in vary.items())
    if sampling == "grid":
        if count is not None:
            raise ModelError("a grid's number of designs follows from vary; n= is for the other samplings")
        total = prod(r.size for r in ranges)
    else:
        if count is None:
            raise ModelError(f"sampling={sampling!r} needs the number of designs, n=…")
        count = whole("n, of designs,", count, high=MOST)
        if listed := [r.name for r in ranges if r.values is not None]:
            raise ModelError(f"lists of values are for a grid; {listed[0]!r} needs two ends here")
        total = count
    if total > MOST:
        raise ModelError(f"there are {total} designs; the limit is {MOST:,}")
    return Designs(ranges, sampling, total, whole("seed", seed, low=0))


def _range(name: str, given: Any) -> Range:
    listed: Sequence[Any] | None = list(given) if isinstance(given, Sequence | np.ndarray) else None
    if listed is None or isinstance(given, str) or not listed:
        raise ModelError(f"{name!r} varies by (low, high, n), (low, high) or a list of values, not {given!r:.60}")
    floats = [number(repr(name), x, what="varied by finite numbers") for x in listed]
    if isinstance(given, tuple) and len(floats) in (2, 3):
        low, high = floats[:2]
        if low >= high:
            raise ModelError(f"{name!r} varies from {low:g} to {high:g}: the first end must be the lower one")
        if len(floats) == 2:
            return Range(name, low, high)
        if floats[2] != int(floats[2]) or floats[2] < 2:
            raise ModelError(f"{name!r} takes a whole number of values, 2 or more, not {floats[2]:g}")
        return Range(name, low, high, int(floats[2]))
    return Range(name, min(floats), max(floats), values=tuple(floats))
