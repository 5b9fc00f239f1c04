"""Plots of chosen signals: live while a simulation runs, whole for a recording, with a mark at its time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gearwright.page.controls import Controls
from gearwright.page.motion import ShownMotion
from gearwright.page.replay import Replay
from gearwright.page.scales import Scale

NOTHING = "(nothing)"
PLOTS, LINES = 4, 3  # plots, and signals of one
COLOURS, NOW = ("#2f7fc1", "#3a9d5d", "#9b5fc0"), "#e2583e"
PADDING = (10.0, 24.0, 0.0, 0.0)  # [px] above, to the right, below, to the left: the highest number is not cut


class SignalPlots:
    """Some plots below each other; a further one appears when the last is used."""

    def __init__(self, controls: Controls, motion: ShownMotion) -> None:
        names = tuple(motion.units)
        first = next((n for n in names if n.endswith(".position")), names[0])
        self._plots: list[SignalPlot] = []
        for k in range(PLOTS):
            self._plots.append(SignalPlot(controls, motion, NOTHING if k else first, self._chosen))
        self._chosen()

    def _chosen(self) -> None:
        used = max((k for k, plot in enumerate(self._plots) if plot.names), default=-1)
        for k, plot in enumerate(self._plots):
            plot.offer(k <= used + 1)

    def refresh(self) -> None:
        for plot in self._plots:
            plot.refresh()


class SignalPlot:
    """Up to three signals of one unit. Numbers at the pointer are below; dragging zooms, a double click ends that."""

    def __init__(self, controls: Controls, motion: ShownMotion, initial: str, chosen: Callable[[], None]) -> None:
        self._controls, self._motion, self._told = controls, motion, chosen
        self._replay = motion if isinstance(motion, Replay) else None
        self._all = tuple(motion.units)
        self._choices = [
            controls.menu("signal", (NOTHING, *self._all), initial, lambda _: self._changed()),
            *(controls.menu("and", (NOTHING, *self._all), NOTHING, lambda _: self._changed(), visible=False)
              for _ in range(LINES - 1)),
        ]  # fmt: skip
        lines = self._series([initial])
        self._plot = controls.gui.add_uplot(
            (np.zeros(2),) * len(lines), lines, scales={"x": {"time": False}}, axes=axes("s"),
            legend={"show": True}, aspect=1.6, padding=PADDING, visible=initial != NOTHING,
        )  # fmt: skip
        self._drawn: Any = None
        self._changed()

    @property
    def names(self) -> list[str]:
        """The signals that are drawn: of the first one's unit."""
        chosen = [c.value for c in self._choices if c.value != NOTHING]
        unit = self._motion.units.get(chosen[0], "") if chosen else ""
        return [n for n in dict.fromkeys(chosen) if self._motion.units.get(n, "") == unit]

    def offer(self, offered: bool) -> None:
        """Whether it can be used, which its first menu shows."""
        self._choices[0].visible = offered

    def _changed(self) -> None:
        """Further menus have the signals of the same unit."""
        names = self.names
        unit = self._motion.units.get(names[0], "") if names else ""
        same = [n for n in self._all if self._motion.units.get(n, "") == unit]
        for k, choice in enumerate(self._choices[1:], 1):
            choice.visible = len(names) >= k and len(same) > k
            self._controls.offer(choice, (NOTHING, *same))
        self._plot.visible = bool(names)
        self._drawn = None
        self._told()
        self.refresh()

    def _series(self, names: Sequence[str]) -> tuple[dict[str, Any], ...]:
        lines = [{"label": n, "stroke": c, "width": 2} for n, c in zip(names, COLOURS, strict=False)]
        mark = {"label": "now", "stroke": NOW, "width": 0, "points": {"show": True, "size": 9, "fill": NOW}}
        return ({"label": "time"}, *lines, *([mark] if self._replay is not None else []))

    def refresh(self) -> None:
        names = self.names
        series = [self._motion.series(name) for name in names]
        if not names or min(len(times) for times, _ in series) < 2:
            return
        times, now = series[0][0], self._motion.time
        key = (*names, now, len(times), float(times[0]))
        if key == self._drawn:
            return
        self._drawn = key
        values = [x if np.array_equal(t, times) else np.interp(times, t, x) for t, x in series]
        x, y = Scale.of(times, "s"), Scale.of(np.concatenate(values), self._motion.units.get(names[0], ""))
        data = [x.scaled(times), *map(y.scaled, values)]
        scales: dict[str, Any] = {"x": {"time": False}}
        if y.flat or self._replay is not None:
            scales["y"] = {"range": y_range(np.concatenate(data[1:]))}
        if self._replay is not None:
            mark = np.full(len(times), np.nan)  # which leaves no scale to be found: it is given
            at = int(np.clip(np.searchsorted(times, now), 0, len(times) - 1))
            mark[at] = data[1][at]
            data.append(mark)
        self._set(self._plot, "series", self._series(names))
        self._set(self._plot, "scales", scales)
        self._set(self._plot, "axes", axes(x.unit))
        self._set(self._plot, "title", y.title(names[0] if len(names) == 1 else ""))
        self._plot.data = tuple(data)

    @staticmethod
    def _set(plot: Any, name: str, value: Any) -> None:
        """Only where it changes: the browser makes the plot anew, and forgets how far it was drawn."""
        if getattr(plot, name) != value:
            setattr(plot, name, value)


def axes(time_unit: str) -> tuple[dict[str, Any], ...]:
    label = {"label": f"time [{time_unit}]", "labelSize": 16, "labelGap": 0, "labelFont": "11px sans-serif"}
    return ({"size": 30, **label}, {"size": 58})


def y_range(values: Any) -> tuple[float, float]:
    """With a little room; a signal that does not move is in the middle."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    room = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
    unit = 10.0 ** np.floor(np.log10(high - low + 2 * room)) / 5
    return float(np.floor((low - room) / unit) * unit), float(np.ceil((high + room) / unit) * unit)
