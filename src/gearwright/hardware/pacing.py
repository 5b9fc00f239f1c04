"""Pacing: how many steps of the simulation are due by the wall clock, and how late they were."""

from __future__ import annotations

from bisect import bisect_left
from math import inf
from typing import Literal

from gearwright.errors import ModelError

ClockMode = Literal["realtime", "lockstep", "freerun"]
MODES: tuple[ClockMode, ...] = ("realtime", "lockstep", "freerun")
CATCH_UP = 0.02  # [s] of lost wall time that is made up for; what is more is an overrun
LONGEST_TURN = 0.02  # [s] of the wall clock for steps, before other clients and threads have their turn
# [s]: upper edges of the classes in which lateness is counted, a fifth apart: percentiles without memory that grows
EDGES = tuple(1e-5 * 1.2**k for k in range(70))


class Lateness:
    """Percentiles of how late steps began, in classes of 20 %."""

    def __init__(self) -> None:
        self.counts = [0] * (len(EDGES) + 1)
        self.total, self.worst = 0, 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(EDGES, seconds)] += 1
        self.total += 1
        self.worst = max(self.worst, seconds)

    def percentile(self, share: float) -> float:
        """[s]: the upper edge of the class that a share (0 … 1) of all is in or below."""
        left = share * self.total
        for count, edge in zip(self.counts, EDGES, strict=False):
            left -= count
            if left <= 0:
                return min(edge, self.worst) if self.total else 0.0
        return self.worst


class Pacer:
    """One clock, three modes.

    realtime   `factor` seconds of the simulation in a second; it falls behind by `catch_up` at most
    lockstep   as realtime until it is armed, then only when a client asks
    freerun    as fast as it goes
    """

    def __init__(self, mode: ClockMode, dt: float, factor: float = 1.0, catch_up: float = CATCH_UP) -> None:
        if not 0.0 < factor < inf:
            raise ModelError(f"the clock's factor must be positive and finite, not {factor}; freerun has no limit")
        self.dt, self.factor, self.catch_up = dt, factor, catch_up
        self.armed = False
        self.overruns = 0  # times that wall time was given up
        self.given_up = 0.0  # [s] in all
        self.lateness = Lateness()
        self._next = 0.0  # [s] of the wall clock: when the next step begins
        self.set_mode(mode)

    def set_mode(self, mode: str) -> None:
        if mode not in MODES:
            from gearwright.errors import UnknownNameError

            raise UnknownNameError("clock", mode, MODES)
        self.mode, self._next, self.armed = mode, 0.0, False

    @property
    def period(self) -> float:
        """[s] of the wall clock for a step."""
        return self.dt / self.factor

    @property
    def waits(self) -> bool:
        """Whether only clients advance the time."""
        return self.mode == "lockstep" and self.armed

    def arm(self) -> None:
        """From now on only clients advance the time, if this is lockstep."""
        self.armed = self.mode == "lockstep"

    def timeout(self, now: float) -> float | None:
        """[s] until the next step; None: wait for clients."""
        if self.waits:
            return None
        if self.mode == "freerun":
            return 0.0
        return max(0.0, self._next - now)

    def due(self, now: float) -> bool:
        """Whether a step is to be made; each call that says so counts for one."""
        if self.waits:
            return False
        if self.mode == "freerun":
            return True
        if not self._next:
            self._next = now
        late = now - self._next
        if late < 0.0:
            return False
        self.lateness.add(late)
        if late > self.catch_up:
            self.overruns += 1
            self.given_up += late
            self._next = now
        self._next += self.period
        return True
