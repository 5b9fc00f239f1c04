"""Metrics of a sweep: one number per design.

`"motor.torque:max"` reduces a signal while the run goes on, so that no trajectory is kept. A function gets a
`Recording` of a whole chunk of designs, (T, B), and returns (B,).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gearwright.errors import ModelError, suggestion
from gearwright.sim.recordings import Chunk, Schema, Signal
from gearwright.sim.recordings.signal_names import find, label
from gearwright.user_code import user_line

Array = np.ndarray[Any, Any]
REDUCTIONS = ("last", "max", "min", "mean", "rms", "range")


class ReducedSignal(NamedTuple):
    """A signal and how its rows become one number."""

    signal: Signal
    reduction: str


def split(spec: str) -> tuple[str, str]:
    """`signal:reduction`."""
    name, colon, reduction = spec.rpartition(":")
    if not colon or reduction not in REDUCTIONS:
        hint = suggestion(reduction, REDUCTIONS) or f"; reductions: {', '.join(REDUCTIONS)}"
        raise ModelError(f"{spec!r} is not of the form signal:reduction{hint}")
    return name, reduction


def find_signal(schema: Schema, name: str) -> Signal:
    """`motor.torque`, `knee.position`, `energy`: the names of `Recording.plot`, of one number."""
    found = [s for s in find(schema, name) if not s.shape]
    if len(found) != 1:
        names = ", ".join(repr(label(s)) for s in found[:4]) or "none"
        raise ModelError(f"a metric is of one number over time, and {name!r} has {len(found)} of them: {names}, …")
    return found[0]


class Accumulator:
    """A sink that keeps one number per design of each signal, whatever the length of the run."""

    def __init__(self, specs: Mapping[str, str]) -> None:
        self._specs, self._reduced = specs, dict[str, ReducedSignal]()
        self._values: dict[str, list[Array]] = {}
        self._rows = 0

    def open(self, schema: Schema) -> None:
        for metric, spec in self._specs.items():
            name, reduction = split(spec)
            self._reduced[metric] = ReducedSignal(find_signal(schema, name), reduction)

    def write(self, chunk: Chunk) -> None:
        for metric, (signal, reduction) in self._reduced.items():
            now = _partial(chunk.column(signal), reduction)
            before = self._values.get(metric)
            self._values[metric] = now if before is None else _joined(before, now, reduction)
        self._rows += chunk.rows

    def close(self) -> None:
        """Nothing is open."""

    def results(self) -> dict[str, Array]:
        """(B,) by metric."""
        found = {}
        for metric, parts in self._values.items():
            reduction = self._reduced[metric].reduction
            first = parts[0]
            if reduction == "mean":
                first = first / self._rows
            elif reduction == "rms":
                first = np.sqrt(first / self._rows)
            elif reduction == "range":
                first = parts[1] - first
            found[metric] = first
        return found


def _partial(rows: Array, reduction: str) -> list[Array]:
    rows = rows.astype(float)
    if reduction == "last":
        return [rows[-1]]
    if reduction == "mean":
        return [rows.sum(axis=0)]
    if reduction == "rms":
        return [np.square(rows).sum(axis=0)]
    if reduction == "range":
        return [rows.min(axis=0), rows.max(axis=0)]
    return [rows.max(axis=0) if reduction == "max" else rows.min(axis=0)]


def _joined(before: list[Array], now: list[Array], reduction: str) -> list[Array]:
    if reduction == "last":
        return now
    if reduction in ("mean", "rms"):
        return [before[0] + now[0]]
    if reduction == "range":
        return [np.minimum(before[0], now[0]), np.maximum(before[1], now[1])]
    return [(np.maximum if reduction == "max" else np.minimum)(before[0], now[0])]


def called(metrics: Mapping[str, Callable[..., Any]], recording: Any, batch: int) -> dict[str, Array]:
    """The functions' numbers, checked."""
    found = {}
    for name, function in metrics.items():
        try:
            value = np.asarray(function(recording), dtype=float)
        except Exception as error:
            where = user_line(error.__traceback__)
            raise ModelError(f"the metric {name!r}{where} raised {type(error).__name__}: {error}") from error
        if value.shape != (batch,):
            raise ModelError(
                f"the metric {name!r} returned numbers of shape {value.shape}, not ({batch},): one a design; "
                f"reduce over time with axis=0"
            )
        found[name] = value
    return found
