"""A motion that the page shows: a running simulation, or a recording. One thread of its own moves it in real time."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from gearwright.errors import GearwrightError
from gearwright.model import Mechanism

FRAME = 1 / 30  # [s] from one picture to the next
FASTEST = 1000.0  # seconds in a second
DRAWN = 1500  # points of a plot
TRACE = 1.0  # [s] of a motor's recent history


class ShownMotion(ABC):
    """Everything that touches its state happens in its thread, or under `lock`."""

    robot: Mechanism
    units: Mapping[str, str]  # of the signals that plots can show, by their names

    def __init__(self, shown: Callable[[], None]) -> None:
        self.show = shown
        self.lock = threading.RLock()
        self.playing, self._speed, self.error = False, 1.0, ""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="gearwright page", daemon=True)

    @property
    def speed(self) -> float:
        """Seconds of it in a second."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        if not 0.0 < value <= FASTEST:
            raise GearwrightError(f"the speed must be a number above 0, {FASTEST:g} at most, not {value!r:.40}")
        self._speed = float(value)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.playing = False
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)

    def _loop(self) -> None:
        before, moved = time.perf_counter(), False
        while not self._ended.is_set():
            now = time.perf_counter()
            elapsed, before = now - before, now
            moves = self.playing
            if moves:
                self.advance(elapsed * self.speed)
            if moves or moved:  # once more after the program has paused it
                self.show()
            moved = moves
            self._ended.wait(max(0.0, FRAME - (time.perf_counter() - now)))

    @property
    @abstractmethod
    def time(self) -> float:
        """[s]."""

    @abstractmethod
    def advance(self, elapsed: float) -> None:
        """By so many seconds of its own time."""

    @abstractmethod
    def step(self, n: int = 1) -> None:
        """By so many steps or rows."""

    @abstractmethod
    def reset(self, position: dict[str, float] | None = None) -> None:
        """Back to the start, or to these positions at rest."""

    @abstractmethod
    def poses(self) -> dict[str, Any]:
        """4×4 of each link in the world."""

    @abstractmethod
    def position(self, joint: str) -> float:
        """The position of a joint with one axis [rad, m]."""

    @abstractmethod
    def operating_point(self, actuator: str) -> tuple[float, float]:
        """Speed and torque of a motor's shaft [rad/s, N·m]."""

    @abstractmethod
    def trace(self, actuator: str) -> tuple[Any, Any]:
        """Speeds and torques of a motor's shaft over the last `TRACE` seconds [rad/s, N·m]."""

    @abstractmethod
    def series(self, signal: str) -> tuple[Any, Any]:
        """Times and values of a signal, for a plot."""
