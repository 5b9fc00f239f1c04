"""Metrics of a sweep: one number per design.

`"motor.torque:max"` reduces a signal while the run goes on, so that no trajectory is kept. A function gets a
`Recording` of a whole chunk of designs, (T, B), and returns (B,).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import numpy as np

from gearwright.errors import ModelError, suggestion
from gearwright.sim.recordings.columns import Chunk
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.recordings.signal_names import find, label
from gearwright.sim.signals import Signal
from gearwright.study.reductions import REDUCTIONS, SignalReduction
from gearwright.user_code import user_line

Array = np.ndarray[Any, Any]
SPEC = re.compile(r"(?P<signal>.+):(?P<reduction>[A-Za-z_]\w*)(?P<numbers>(?::[-+.\deE]+)*)")


def split(spec: str) -> tuple[str, SignalReduction]:
    """`signal:reduction`, with the numbers that some reductions take: `knee.position:settling:0.5:0.02`."""
    found = SPEC.fullmatch(spec)
    made = REDUCTIONS.get(found["reduction"]) if found else None
    if found is None or made is None:
        hint = suggestion(found["reduction"] if found else spec, REDUCTIONS) or f"; reductions: {', '.join(REDUCTIONS)}"
        raise ModelError(f"{spec!r} is not of the form signal:reduction{hint}")
    try:
        return found["signal"], made(*(float(x) for x in found["numbers"].split(":")[1:]))
    except (TypeError, ValueError):
        wanted = "".join(f":{name.upper()}" for name in signature(made).parameters)
        raise ModelError(f"{spec!r} must be of the form signal:{found['reduction']}{wanted}") from None


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
        self._reductions = {metric: split(spec) for metric, spec in specs.items()}
        self._signals: dict[str, Signal] = {}

    def open(self, schema: Schema) -> None:
        self._signals = {metric: find_signal(schema, name) for metric, (name, _) in self._reductions.items()}

    def write(self, chunk: Chunk) -> None:
        for metric, (_, reduction) in self._reductions.items():
            reduction.add(chunk.time, chunk.column(self._signals[metric]).astype(float))

    def close(self) -> None:
        """Nothing is open."""

    def results(self) -> dict[str, Array]:
        """(B,) by metric."""
        return {metric: reduction.result() for metric, (_, reduction) in self._reductions.items()}


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
                f"the metric {name!r} returned numbers of shape {value.shape}, not ({batch},): one per design; "
                f"reduce over time with axis=0"
            )
        found[name] = value
    return found
