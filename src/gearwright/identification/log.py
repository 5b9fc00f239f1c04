"""A log: columns of numbers over time, as some file has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from gearwright.errors import ModelError, UnknownNameError, counted
from gearwright.given_numbers import numbers
from gearwright.sim.recordings.recording import Recording
from gearwright.sim.recordings.signal_names import label
from gearwright.sim.state.values import Array

FEWEST = 5  # rows of a log
SLOWEST = 1.0  # [s] between rows: of what moves, nothing is known so late


@dataclass(frozen=True, kw_only=True)
class Log:
    """Columns over time, checked on creation: times increase, and every column has a number for each time."""

    name: str  # of the file, for messages
    time: Array  # (T,) [s]
    columns: Mapping[str, Array]  # by name, (T,) each
    units: Mapping[str, str] = field(default_factory=dict)  # of the columns, where the file says
    notes: Mapping[str, Any] = field(default_factory=dict)  # what else the file says
    leads: Mapping[str, float] = field(default_factory=dict)  # [s] by which columns hold before the times of their rows

    def __post_init__(self) -> None:
        time = numbers(f"{self.name}: the times", self.time, infinite=True)
        if time.ndim != 1 or len(time) < FEWEST:
            raise ModelError(
                f"{self.name}: {counted(time.size, 'row')} of a recording are too few: {FEWEST} or more are needed"
            )
        _check_times(self.name, time)
        columns = {}
        for name, values in self.columns.items():
            array = numbers(f"{self.name}: {name!r}", values, infinite=True)
            if array.shape != time.shape:
                shape = "×".join(map(str, array.shape)) or "one number"
                raise ModelError(
                    f"{self.name}: {name!r} has the shape {shape}, but there are {counted(len(time), 'time')}"
                )
            columns[name] = array
        if not columns:
            raise ModelError(f"{self.name}: the recording has no column but time")
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "columns", MappingProxyType(columns))

    def column(self, name: str) -> Array:
        """The numbers of a column; raises ModelError if it is missing or has numbers that are not finite."""
        if name not in self.columns:
            raise UnknownNameError(f"column of {self.name}", name, list(self.columns))
        values = self.columns[name]
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise ModelError(
                f"{self.name}: {name!r} is {values[bad[0]]:g} in row {bad[0]}, at {self.time[bad[0]]:g} s"
                + (f", and in {counted(len(bad) - 1, 'other')}" if len(bad) > 1 else "")
                + "; cut these rows out, or leave the column out"
            )
        return values

    def __repr__(self) -> str:
        duration = self.time[-1] - self.time[0]
        return f"<Log {self.name}: {counted(len(self.time), 'row')} over {duration:g} s of {', '.join(self.columns)}>"


def _check_times(name: str, time: Array) -> None:
    wrong = np.flatnonzero(~np.isfinite(time))
    if len(wrong):
        raise ModelError(f"{name}: the time of row {wrong[0]} is missing ({time[wrong[0]]:g})")
    steps = np.diff(time)
    back = np.flatnonzero(steps <= 0)
    if len(back):
        k = int(back[0])
        what = "the same as" if steps[k] == 0 else "before"
        raise ModelError(
            f"{name}: times must increase, but that of row {k + 1} ({time[k + 1]:.9g} s) is {what} that of row {k}"
            + (f" ({counted(len(back), 'such row')})" if len(back) > 1 else "")
        )
    typical = float(np.median(steps))
    if typical >= SLOWEST:
        raise ModelError(
            f"{name}: rows are {typical:.6g} s apart, too far to follow a motion: are its times in milliseconds? Give "
            "them in seconds, or name the column 'time [ms]'"
        )
    if steps.max() > max(1.0, 100.0 * typical):
        k = int(np.argmax(steps))
        raise ModelError(
            f"{name}: nothing is recorded for {steps[k]:.3g} s after {time[k]:.6g} s, where rows are {typical:.3g} s "
            "apart: are these milliseconds? Otherwise cut the recording there, into two"
        )


def log_of(recording: Recording, name: str = "recording") -> Log:
    """The columns of a recording of ours, by the names of its signals.

    There a command stands in the row that its step ends with; in a log it acts from its row on.
    """
    if recording.batch != 1:
        raise ModelError(
            f"{name}: a recording of {recording.batch} robots; identification needs recordings of one robot"
        )
    columns, units = {}, {}
    for signal in recording.schema.stored:
        if signal.family or signal.name == "energy":
            values = recording.read(signal)
            acts = signal.family in ("command", "effort")
            columns[label(signal)] = np.append(values[1:], values[-1:]) if acts else values
            units[label(signal)] = signal.unit
    return Log(name=name, time=recording.time, columns=columns, units=units)


def as_logs(given: Any) -> tuple[Log, ...]:
    """One recording or several: files, `Log`s, or recordings of ours."""
    from gearwright.identification.reading import read_log

    several = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    found: list[Log] = []
    for k, each in enumerate(given if several else [given]):
        if isinstance(each, Log):
            found.append(each)
        elif isinstance(each, Recording):
            found.append(log_of(each, f"recording {k + 1}" if several else "recording"))
        else:
            found.append(read_log(each))
    if not found:
        raise ModelError("no recording was given: give at least one file or recording")
    return tuple(found)
