"""The course of an input between the samples of a log, later by a delay that need not be a whole number of steps."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gearwright.sim.state.values import Array


class Course:
    """c(t): the last sample until the next one comes, or straight lines between them. Constant before and after."""

    def __init__(self, time: Array, values: Array, *, linear: bool = False) -> None:
        self._time, self._values, self._linear = time, values, linear
        self._made: dict[tuple[float, int], Array] = {}  # means without a delay, by step and number of steps

    def at(self, time: Array) -> Array:
        """c at these times."""
        if self._linear:
            return np.asarray(np.interp(time, self._time, self._values))
        last = np.searchsorted(self._time, time, side="right") - 1
        return self._values[np.clip(last, 0, len(self._time) - 1)]

    def means(self, dt: float, steps: int, delay: float) -> Array:
        """c over each step on average, (steps,): `u = (C(t + dt − d) − C(t − d))/dt` with C = ∫c."""
        if delay == 0.0 and (dt, steps) in self._made:
            return self._made[dt, steps]
        edges = self._integral(dt * np.arange(steps + 1) - delay)
        means = np.diff(edges) / dt
        if delay == 0.0:
            self._made[dt, steps] = means
        return means

    def slopes(self, dt: float, steps: int, delay: float) -> Array:
        """∂u/∂d, (steps,): `−(c(t + dt − d) − c(t − d))/dt`."""
        edges = self.at(dt * np.arange(steps + 1) - delay)
        return -np.diff(edges) / dt

    def scaled(self, times: float) -> Course:
        """The same, larger."""
        return Course(self._time, times * self._values, linear=self._linear)

    def hurried(self, times: float) -> Course:
        """The same in less time, over and over."""
        period, count = float(self._time[-1]) / times, max(1, round(times))
        time = np.concatenate([self._time / times + k * period for k in range(count)])
        rising = np.concatenate([[True], np.diff(time) > 0])
        return Course(time[rising], np.tile(self._values, count)[rising], linear=self._linear)

    def later(self, time: float) -> Course:
        """The same, seen from a later start."""
        return Course(self._time - time, self._values, linear=self._linear)

    @cached_property
    def _areas(self) -> Array:
        """C at each sample."""
        own = self._values
        heights = 0.5 * (own[1:] + own[:-1]) if self._linear else own[:-1]
        return np.concatenate([[0.0], np.cumsum(heights * np.diff(self._time))])

    def _integral(self, time: Array) -> Array:
        last = np.clip(np.searchsorted(self._time, time, side="right") - 1, 0, len(self._time) - 1)
        within = time - self._time[last]
        heights = 0.5 * (self._values[last] + self.at(time)) if self._linear else self._values[last]
        heights = np.where((within < 0) | (last == len(self._time) - 1), self._values[last], heights)
        return np.asarray(self._areas[last] + heights * within)
