"""Velocity limits of joints, which nothing enforces: the user hears of it where one is exceeded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gearwright.errors import VelocityLimitWarning, counted, warn
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.recorder.recorded_scene import signal_limits
from gearwright.sim.state.values import Array

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

ROUNDING = 1e-6  # relative: a joint that is driven at its limit keeps it
EVERY = 64  # steps between two looks at the state: a look takes as long as ten steps of an arm


class SpeedLimits:
    """Sees velocities as they come, and warns once of those of a simulation that are beyond their limits."""

    def __init__(self, sim: Simulation) -> None:
        names, limits = sim.layout.names, signal_limits(sim.robot)["velocity"]
        self._names = [names.coordinates.names[i] for i in names.free_velocities]
        self._limits = np.array([limits[n][1] * (1.0 + ROUNDING) if n in limits else np.inf for n in self._names])
        self.watched = bool(np.isfinite(self._limits).any()) and sim.options.device == "cpu"
        self._sim, self._beyond, self._unseen = sim, np.zeros(len(self._names), bool), 0

    def see(self, velocities: Array) -> None:
        """(…, nv), in the order of `Simulation.v`."""
        if self.watched:
            beyond = np.abs(velocities) > self._limits
            if beyond.any():
                self._beyond |= beyond.any(axis=tuple(range(beyond.ndim - 1)))

    def after(self, steps: int) -> None:
        """Looks at the state now and then, and warns."""
        self._unseen += steps
        if self._unseen >= EVERY:
            self._unseen = 0
            self.see(self._sim.batch_state.slot(StepSlot.VELOCITY).numbers())
            self.warn()

    def warn(self) -> None:
        """Names the first joint that was seen beyond its limit."""
        if not self.watched or not self._beyond.any():
            return
        self.watched = False
        first, *more = np.flatnonzero(self._beyond)
        limit, unit = self._limits[first] / (1.0 + ROUNDING), self._sim.layout.units[self._names[first]].velocity
        others = f", and {counted(len(more), 'other joint')} faster than theirs" if more else ""
        warn(
            f"joint {self._names[first]!r} moves faster than its limit of {limit:g} {unit}{others}: "
            "velocity limits of joints do not act, those of actuators do",
            VelocityLimitWarning,
        )
