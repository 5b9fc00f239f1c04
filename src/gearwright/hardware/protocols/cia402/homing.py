"""Homing: methods that need no switches, because a simulated joint has stops and an encoder."""

from __future__ import annotations

from math import ceil, floor

from gearwright.hardware.protocols.cia402.axis import Axis
from gearwright.hardware.protocols.cia402.modes import ACKNOWLEDGED, HALT, REACHED, START, Mode

STALLED = 0.05  # [s] below a tenth of the speed: the joint is at its stop
TO_STOP = {-4: 1, -3: -1, -2: 1, -1: -1}  # methods that run into a stop, and their direction
TO_INDEX = {34: 1, 33: -1, -2: -1, -1: 1}  # methods that look for the index pulse, after a stop backwards
HERE = frozenset({35, 37})
METHODS = frozenset({0, *HERE, *TO_STOP, *TO_INDEX})


class Homing(Mode):
    """Methods: 35 and 37 here, 33 and 34 at the index pulse, −3 and −4 at a mechanical stop, −1 and −2 both."""

    code, name, positions = 6, "homing", False

    def __init__(self, axis: Axis) -> None:
        super().__init__(axis)
        self.attained = False
        self.phase = ""  # "stop", "index" or none

    def enter(self) -> None:
        super().enter()
        self.phase = ""
        self.stalled = 0.0

    def on_controlword(self, word: int, rising: int) -> None:
        if rising & START:
            self._begin()
        elif not word & START or word & HALT:
            self.phase = ""

    def _begin(self) -> None:
        method = self.objects[0x6098, 0]
        self.attained, self.stalled = False, 0.0
        self.axis.start()
        if method in HERE:
            self._home(self.axis.encoder)
        elif method in TO_STOP:
            self.phase = "stop"
        elif method in TO_INDEX:
            self._seek_index(TO_INDEX[method])

    def tick(self, dt: float) -> None:
        axis, o = self.axis, self.objects
        method, speed = o[0x6098, 0], 0.0
        if self.phase == "stop":
            speed = TO_STOP[method] * o[0x6099, 1]
            self.stalled = self.stalled + dt if abs(axis.velocity) < abs(speed) / 10 else 0.0
            if self.stalled > STALLED + abs(speed) / max(o[0x609A, 0], 1):
                if method in TO_INDEX:
                    self._seek_index(TO_INDEX[method])
                else:
                    self._home(axis.encoder)
        elif self.phase == "index":
            speed = self._direction * o[0x6099, 2]
            if (axis.encoder - self._index) * self._direction * axis.sign >= 0.0:
                self._home(self._index)
        axis.profile.accelerate(speed if self.phase else 0.0, o[0x609A, 0], o[0x609A, 0], dt)
        axis.follow_velocity()

    def _seek_index(self, direction: int) -> None:
        turn, here = self.axis.drive.motor.counts, self.axis.encoder
        forwards = direction * self.axis.sign > 0
        self._index = turn * (floor(here / turn) + 1 if forwards else ceil(here / turn) - 1)
        self._direction, self.phase = direction, "index"

    _index = 0.0
    _direction = 1

    def _home(self, encoder: float) -> None:
        """The position there is the home offset from now on."""
        axis = self.axis
        axis.zero = encoder - axis.sign * self.objects[0x607C, 0]
        self.phase, self.attained = "", True
        axis.start()

    def status(self) -> int:
        if self.phase:
            return 0
        return REACHED | ACKNOWLEDGED * self.attained
