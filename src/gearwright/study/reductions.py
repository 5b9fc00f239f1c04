"""How a signal over time becomes one number per design, row by row: no trajectory is kept.

A reduction gets the rows of a run in pieces: times (T,) and values (T, B). `result` is (B,); NaN stands for an event
that never happens.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class SignalReduction(ABC):
    """One number per design. Its arguments are the numbers behind its name: `settling:0.5:0.02`."""

    @abstractmethod
    def add(self, time: Array, x: Array) -> None: ...

    @abstractmethod
    def result(self) -> Array: ...

    def unit(self, of_signal: str) -> str:
        """Of the result, for a signal of this unit."""
        return of_signal


class Last(SignalReduction):
    """Its value at the end."""

    _x: Array

    def add(self, time: Array, x: Array) -> None:
        self._x = x[-1]

    def result(self) -> Array:
        return self._x


class Maximum(SignalReduction):
    """Its largest value."""

    _x: Array | float = -np.inf

    def add(self, time: Array, x: Array) -> None:
        self._x = np.maximum(self._x, x.max(axis=0))

    def result(self) -> Array:
        return np.asarray(self._x)


class Minimum(SignalReduction):
    """Its smallest value."""

    _x: Array | float = np.inf

    def add(self, time: Array, x: Array) -> None:
        self._x = np.minimum(self._x, x.min(axis=0))

    def result(self) -> Array:
        return np.asarray(self._x)


class Spread(SignalReduction):
    """Largest less smallest value."""

    def __init__(self) -> None:
        self._ends = Maximum(), Minimum()

    def add(self, time: Array, x: Array) -> None:
        for end in self._ends:
            end.add(time, x)

    def result(self) -> Array:
        high, low = self._ends
        return np.asarray(high.result() - low.result())


class Mean(SignalReduction):
    """Its mean over all samples."""

    _sum: Array | float = 0.0
    _rows = 0

    def add(self, time: Array, x: Array) -> None:
        self._sum, self._rows = self._sum + x.sum(axis=0), self._rows + len(x)

    def result(self) -> Array:
        return np.asarray(self._sum / self._rows)


class RootMeanSquare(Mean):
    """Root of the mean of its square."""

    def add(self, time: Array, x: Array) -> None:
        super().add(time, np.square(x))

    def result(self) -> Array:
        return np.sqrt(super().result())


class Step(SignalReduction):
    """A signal on its way from its first value to a target; `s` is the share of the way: 0 at first, 1 there."""

    _first: Array | None = None

    def __init__(self, target: float) -> None:
        self._target = target

    def add(self, time: Array, x: Array) -> None:
        if self._first is None:
            self._first = x[0].copy()
        with np.errstate(divide="ignore", invalid="ignore"):
            self._add(time, (x - self._first) / (self._target - self._first))

    @abstractmethod
    def _add(self, time: Array, s: Array) -> None: ...


class TimeTo(Step):
    """Time at which it first gets to a value [s]; NaN if it never does."""

    _found: Array | None = None

    def _add(self, time: Array, s: Array) -> None:
        there = ~(s < 1.0)  # at once, where it begins there: 0/0
        now = np.where(there.any(axis=0), time[there.argmax(axis=0)], np.nan)
        self._found = now if self._found is None else np.where(np.isnan(self._found), now, self._found)

    def result(self) -> Array:
        return np.asarray(self._found)

    def unit(self, of_signal: str) -> str:
        return "s"


class Overshoot(Step):
    """How far it passes a target, as a share of the way to it; NaN if it never gets there."""

    _most: Array | float = -np.inf

    def _add(self, time: Array, s: Array) -> None:
        self._most = np.fmax(self._most, np.fmax.reduce(s, axis=0))

    def result(self) -> Array:
        return np.where((self._most >= 1.0) & np.isfinite(self._most), self._most - 1.0, np.nan)

    def unit(self, of_signal: str) -> str:
        return ""


class Settling(Step):
    """Time from which it stays near a target [s]: within 2 % of the way to it, or another share; NaN if never."""

    _since: Array | float = np.nan

    def __init__(self, target: float, share: float = 0.02) -> None:
        super().__init__(target)
        self._share = share

    def _add(self, time: Array, s: Array) -> None:
        outside = abs(s - 1.0) > self._share
        last = len(s) - 1 - outside[::-1].argmax(axis=0)
        inside = np.where(np.isnan(self._since), time[0], self._since)  # of those that stay within it here
        self._since = np.where(outside.any(axis=0), np.append(time[1:], np.nan)[last], inside)

    def result(self) -> Array:
        return np.asarray(self._since)

    def unit(self, of_signal: str) -> str:
        return "s"


REDUCTIONS: dict[str, type[SignalReduction]] = {
    "last": Last,
    "max": Maximum,
    "min": Minimum,
    "mean": Mean,
    "rms": RootMeanSquare,
    "range": Spread,
    "time_to": TimeTo,
    "overshoot": Overshoot,
    "settling": Settling,
}
