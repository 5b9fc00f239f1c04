"""Plots of chosen signals: live while a simulation runs, whole for a recording, with a mark at its time."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.page.controls import Controls
from gearwright.page.motion import ShownMotion
from gearwright.page.replay import Replay
from gearwright.page.scales import Scale

NOTHING = "(nothing)"
PLOTS = 4
LINE, NOW = "#2f7fc1", "#e2583e"
PADDING = (10.0, 24.0, 0.0, 0.0)  # [px] above, to the right, below, to the left: the highest number is not cut


class SignalPlots:
    """Some plots below each other; a further one appears when the last is used."""

    def __init__(self, controls: Controls, motion: ShownMotion) -> None:
        self._controls, self._motion = controls, motion
        self._replay = motion if isinstance(motion, Replay) else None
        self._names = tuple(motion.units)
        self._choices: list[Any] = []
        self._plots: list[Any] = []
        self._drawn: list[Any] = []
        first = next((n for n in self._names if n.endswith(".position")), self._names[0])
        for k in range(PLOTS):
            self._add(k, first if k == 0 else NOTHING)
        self.refresh()

    def _add(self, k: int, initial: str) -> None:
        options = NOTHING, *self._names
        choice = self._controls.menu("signal", options, initial, lambda _: self._chosen(k), visible=k < 2)
        zero, line = np.zeros(2), {"label": "value", "stroke": LINE, "width": 2}
        mark = {"label": "now", "stroke": NOW, "width": 0, "points": {"show": True, "size": 9, "fill": NOW}}
        marked = self._replay is not None
        plot = self._controls.gui.add_uplot(
            (zero,) * (2 + marked), ({"label": "time"}, line, *([mark] if marked else [])),
            scales={"x": {"time": False}}, axes=axes("s"), legend={"show": False}, aspect=1.8, padding=PADDING,
            visible=initial != NOTHING,
        )  # fmt: skip
        self._choices.append(choice)
        self._plots.append(plot)
        self._drawn.append(None)

    def _chosen(self, k: int) -> None:
        self._plots[k].visible = self._choices[k].value != NOTHING
        used = max((i for i, c in enumerate(self._choices) if c.value != NOTHING), default=-1)
        for i, choice in enumerate(self._choices):
            choice.visible = i <= used + 1
        self._drawn[k] = None
        self.refresh()

    def refresh(self) -> None:
        for k, (choice, plot) in enumerate(zip(self._choices, self._plots, strict=True)):
            if choice.value != NOTHING:
                self._draw(k, choice.value, plot)

    def _draw(self, k: int, name: str, plot: Any) -> None:
        times, values = self._motion.series(name)
        if len(times) < 2:
            return
        now = self._motion.time
        key = (name, now, len(times), float(times[0]))
        if key == self._drawn[k]:
            return
        self._drawn[k] = key
        x, y = Scale.of(times, "s"), Scale.of(values, self._motion.units.get(name, ""))
        data = [x.scaled(times), y.scaled(values)]
        scales: dict[str, Any] = {"x": {"time": False}}
        if y.flat or self._replay is not None:
            scales["y"] = {"range": y_range(data[1])}
        if self._replay is not None:
            mark = np.full(len(times), np.nan)  # which leaves no scale to be found: it is given
            at = int(np.clip(np.searchsorted(times, now), 0, len(times) - 1))
            mark[at] = data[1][at]
            data.append(mark)
        self._set(plot, "scales", scales)
        self._set(plot, "axes", axes(x.unit))
        self._set(plot, "title", y.title(name))
        plot.data = tuple(data)

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
