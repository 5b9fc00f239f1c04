"""The panels of a plot: signals by quantity and unit, with limits and saturation, of some robots or as bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.sim.recordings.bands import USUAL, quantiles
from gearwright.sim.recordings.signal_names import find
from gearwright.sim.signals import TIME, Signal, family_of, word
from gearwright.sim.state.values import Array

if TYPE_CHECKING:
    from gearwright.sim.recordings.recording import Recording

TOTAL = "total"
ENERGIES = {"energy": TOTAL, "kinetic_energy": "kinetic", "potential_energy": "potential"}
LEFT_OUT = ("shaft_position", "unsettled", "actuator.mode")  # of a plot of everything
MOST_LINES = 8  # robots that are drawn one by one
LISTED = 12  # lines of a panel that have a colour and a name: the eye tells no more apart
POINTS = 4000  # of a line: more than a page has pixels
TOUCHING = 1e-6  # of a range: so near to a limit a signal is on it
BEYOND = 1e-3  # of a range or limit: so far past it a signal is beyond; stops give way by less
CONSTANT = 1e-9  # of a value: a smaller range is rounding


@dataclass
class PlotLine:
    """One signal: of some robots, or as quantiles."""

    name: str
    values: Array  # (T, robots), or (T, quantiles)
    limits: tuple[float, float] = (-inf, inf)
    saturated: Array | None = None  # (T, robots)
    bands: tuple[float, ...] = ()

    @property
    def marked(self) -> bool:
        """Whether it is anywhere at its limit."""
        return self.saturated is not None and bool(self.saturated.any())

    @property
    def spread(self) -> float:
        """Its largest change; of a line that ends in NaN more than of any other."""
        found = float(np.ptp(self.values))
        return found if isfinite(found) else inf

    @property
    def beyond(self) -> bool:
        """Whether it is anywhere past its limits."""
        lower, upper = self.limits
        ends = [abs(x) for x in self.limits if isfinite(x)]
        far = BEYOND * (upper - lower if len(ends) == 2 else max(ends, default=0.0))
        return bool(((self.values > upper + far) | (self.values < lower - far)).any())


@dataclass
class PlotPanel:
    """A set of axes, and what is drawn in it."""

    title: str
    unit: str
    time: Array
    lines: dict[str, PlotLine] = field(default_factory=dict)

    @property
    def named(self) -> list[str]:
        """Lines with a colour and a name in the legend: all, or of too many those that vary most, in their order."""
        if len(self.lines) <= LISTED:
            return list(self.lines)
        moved = sorted(self.lines, key=lambda name: -self.lines[name].spread)
        return [name for name in self.lines if name in moved[:LISTED]]

    @property
    def own_limits(self) -> list[tuple[str, float]]:
        """Limits of single lines that are worth drawing: all, or of many lines those that a named one comes to."""
        crowded = len(self.lines) > LISTED
        shown = [self.lines[name] for name in self.named if self.lines[name].marked or not crowded]
        return [(line.name, x) for line in shown for x in line.limits if isfinite(x) and x not in self.limits]

    @property
    def limits(self) -> tuple[float, float]:
        """The range outside of which no line may be: infinite where one of them has no limit."""
        lower = min((line.limits[0] for line in self.lines.values()), default=-inf)
        upper = max((line.limits[1] for line in self.lines.values()), default=inf)
        return lower, upper

    @property
    def stroke(self) -> str:
        """The meaning of the broad strokes."""
        past = {line.beyond for line in self.lines.values() if line.marked}
        return {(True,): "beyond its limit", (False, True): "at or beyond its limit"}.get(
            tuple(sorted(past)), "at its limit"
        )

    def range(self) -> tuple[float, float]:
        """Range of the axis: all values, and limits that are not far away."""
        lower = min(float(np.nanmin(line.values)) for line in self.lines.values())
        upper = max(float(np.nanmax(line.values)) for line in self.lines.values())
        size = max(abs(lower), abs(upper))
        if upper - lower <= CONSTANT * size and size > CONSTANT:
            lower, upper = lower - 0.2 * size, upper + 0.2 * size
        if "effort" in self.title:
            lower, upper = min(lower, 0.0), max(upper, 0.0)
        span = max(upper - lower, 1e-9)
        for limit in {x for line in self.lines.values() for x in line.limits if isfinite(x)}:
            if lower - 0.6 * span <= limit <= upper + 0.6 * span:
                lower, upper = min(lower, limit), max(upper, limit)
        margin = 0.06 * max(upper - lower, 1e-9)
        return lower - margin, upper + margin


def panels(
    recording: Recording, signals: Sequence[str] | None = None, robots: int | Sequence[int] | None = None,
    time: tuple[float, float] | None = None,
) -> list[PlotPanel]:  # fmt: skip
    """One for each quantity and unit, in the order of the signals; of a plot of everything those that are all zero are
    left out."""
    rows = window(recording.time, time)
    found: dict[tuple[str, str], PlotPanel] = {}
    chosen = find(recording.schema, signals)
    for signal in chosen:
        if signal == TIME or (signals is None and {signal.family, signal.name} & {*LEFT_OUT}):
            continue
        title, unit = _title(signal)
        panel = found.setdefault((title, unit), PlotPanel(title, unit, recording.time[rows]))
        line = _line(recording, signal, rows, robots)
        panel.lines[line.name] = line
    drawn = [p for p in found.values() if signals is not None or any(line.values.any() for line in p.lines.values())]
    drawn = drawn or list(found.values())[:1]
    for panel in drawn:
        if panel.title == "energy" and TOTAL in panel.lines:  # over the others, which it may lie on
            panel.lines[TOTAL] = panel.lines.pop(TOTAL)
    return [*(p for p in drawn if p.title != "energy"), *(p for p in drawn if p.title == "energy")]


def window(times: Array, time: tuple[float, float] | None) -> slice:
    """Rows from one time to another."""
    if time is None:
        return slice(None)
    try:
        first, last = (float(t) for t in time)
    except (TypeError, ValueError):
        raise ModelError(f"time must be a pair of seconds, such as (0.1, 0.5), not {time!r:.60}") from None
    rows = slice(int(np.searchsorted(times, first - 1e-12)), int(np.searchsorted(times, last + 1e-12, side="right")))
    if not len(times[rows]):
        raise ModelError(f"no row from {first:g} to {last:g} s: the recording is from {times[0]:g} to {times[-1]:g} s")
    return rows


def _title(signal: Signal) -> tuple[str, str]:
    if not signal.family:
        return ("energy" if signal.name in ENERGIES else signal.name), signal.unit
    row = family_of(signal.family)
    if signal.unit == "1" and row is not None and row.of == "joint":
        return "orientation", "quaternion"
    return row.title if row is not None and row.title else word(signal.family).replace("_", " "), signal.unit


def _line(recording: Recording, signal: Signal, rows: slice, robots: int | Sequence[int] | None) -> PlotLine:
    schema = recording.schema
    values = np.reshape(recording.read(signal), (len(recording), recording.batch, -1))[rows, :, 0]
    name = ENERGIES.get(signal.name, signal.name) if not signal.family else signal.name
    limits = schema.limits.get(signal.family, {}).get(signal.name, (-inf, inf))
    if schema.bands:
        return PlotLine(name, values, limits, bands=schema.bands)
    if robots is None and recording.batch > MOST_LINES:
        return PlotLine(name, quantiles(values, USUAL), limits, bands=USUAL)
    chosen = which(recording.batch, MOST_LINES if robots is None else robots)
    own = values[:, chosen]
    return PlotLine(name, own, limits, saturated(recording, signal, own, limits, rows, chosen))


def which(batch: int, robots: int | Sequence[int]) -> Array:
    """Indices of robots: those that are given, or some evenly spaced, with the first and the last, since batches often
    sweep a range."""
    if isinstance(robots, int) and not isinstance(robots, bool):
        return np.unique(np.linspace(0, batch - 1, max(1, min(robots, batch))).round().astype(int))
    chosen = np.asarray(robots)
    if chosen.ndim != 1 or not np.issubdtype(chosen.dtype, np.integer) or not ((chosen >= 0) & (chosen < batch)).all():
        raise ModelError(
            f"robots must be a number of them, or a list of indices from 0 to {batch - 1}, not {robots!r:.60}"
        )
    return chosen


def saturated(
    recording: Recording, signal: Signal, values: Array, limits: tuple[float, float], rows: slice, chosen: Array
) -> Array:
    """Where a signal is on its limit, or an actuator gives less than its command asks for."""
    lower, upper = limits
    near = TOUCHING * (upper - lower if isfinite(upper - lower) else 1.0)
    found: Array = (values >= upper - near) | (values <= lower + near)
    asked = recording.schema.by_family.get("command", {}).get(signal.name) if signal.family == "torque" else None
    if asked is not None and asked.unit == signal.unit:
        command = np.reshape(recording.read(asked), (len(recording), recording.batch))[rows][:, chosen]
        short = np.abs(command) - np.abs(values) > TOUCHING * np.abs(command).max(initial=1e-300)
        short[0] = False  # no step has ended there
        found |= short
    return found


def thinned(time: Array, values: Array) -> tuple[Array, Array]:
    """A line of at most `POINTS` points with the same lowest and highest values."""
    if len(time) <= POINTS:
        return time, values
    edges = np.linspace(0, len(time), POINTS // 2 + 1).astype(int)[:-1]
    low, high = np.minimum.reduceat(values, edges), np.maximum.reduceat(values, edges)
    stops = np.append(edges[1:], len(time)) - 1
    rising = values[stops] >= values[edges]
    pairs = np.where(rising[:, None], np.stack([low, high], 1), np.stack([high, low], 1))
    times = np.stack([time[edges], time[stops]], 1)
    return times.ravel(), pairs.ravel()


def stretches(marked: Array) -> list[tuple[int, int]]:
    """First and last row of each run of marked rows."""
    padded = np.concatenate([[False], marked, [False]]).astype(int)
    starts, stops = np.flatnonzero(np.diff(padded) == 1), np.flatnonzero(np.diff(padded) == -1)
    return [(int(a), int(b) - 1) for a, b in zip(starts, stops, strict=True)]


def band_pairs(bands: tuple[float, ...]) -> list[tuple[int, int]]:
    """Columns of the lower and upper edge of each band, the widest first."""
    return [(i, len(bands) - 1 - i) for i in range(len(bands) // 2)]


def middle(bands: tuple[float, ...]) -> int:
    return int(np.argmin(np.abs(np.array(bands) - 0.5)))


def heading(recording: Recording, robots: Any) -> str:
    """Title of a plot."""
    schema = recording.schema
    name = schema.robot[:60]
    if schema.bands or (recording.batch > MOST_LINES and robots is None):
        quantities = schema.bands or USUAL
        of = "" if schema.bands else f" of {recording.batch:,} robots"
        return f"{name}  ·  median and {100 * quantities[0]:g}–{100 * quantities[-1]:g} %{of}"
    if recording.batch == 1:
        return name
    drawn = len(which(recording.batch, MOST_LINES if robots is None else robots))
    return f"{name}  ·  {drawn} of {recording.batch} robots"
