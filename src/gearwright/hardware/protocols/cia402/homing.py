"""Homing: at limit switches, at mechanical stops, at the encoder's index pulse, and where the shaft stands."""

from __future__ import annotations

from math import ceil, floor

from gearwright.hardware.protocols.cia402.axis import NEGATIVE, POSITIVE, Cia402Axis
from gearwright.hardware.protocols.cia402.modes import ACKNOWLEDGED, HALT, REACHED, START, Mode

STALLED = 0.05  # [s] below a tenth of the speed: the joint is at its stop
TO_STOP = {-4: 1, -3: -1, -2: 1, -1: -1}  # methods that run into a stop, and their direction
TO_SWITCH = {1: -1, 17: -1, 2: 1, 18: 1}  # methods that run to a limit switch and back to its edge
TO_INDEX = {34: 1, 33: -1, -2: -1, -1: 1, 1: 1, 2: -1}  # methods that look for the index pulse, at last
HERE = frozenset({35, 37})
METHODS = frozenset({0, *HERE, *TO_STOP, *TO_SWITCH, *TO_INDEX})


class Homing(Mode):
    """Methods by where the home is.

    1, 2      the index pulse next to the negative, the positive limit switch; 17, 18 the edge of that switch
    33, 34    the next index pulse; 35, 37 here
    −3, −4    a mechanical stop; −1, −2 the index pulse next to it
    """

    code, name, positions = 6, "homing", False

    def __init__(self, axis: Cia402Axis) -> None:
        super().__init__(axis)
        self.attained = False
        self.phase = ""  # "stop", "switch", "edge", "index" or none

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
        elif method in TO_SWITCH:
            self.phase = "switch"
        elif method in TO_INDEX:
            self._seek_index(TO_INDEX[method])

    def tick(self, dt: float) -> None:
        axis, o = self.axis, self.objects
        speed = self._speed(o[0x6098, 0], dt) if self.phase else 0.0
        axis.profile.accelerate(speed if self.phase else 0.0, o[0x609A, 0], o[0x609A, 0], dt)
        axis.follow_velocity()

    def _speed(self, method: int, dt: float) -> float:
        """The speed of the phase [counts/s]; its end begins the next one."""
        axis, fast, slow = self.axis, self.objects[0x6099, 1], self.objects[0x6099, 2]
        if self.phase == "stop":
            self.stalled = self.stalled + dt if abs(axis.velocity) < fast / 10 else 0.0
            if self.stalled > STALLED + fast / max(self.objects[0x609A, 0], 1):
                self._arrived(method)
            return TO_STOP[method] * fast
        if self.phase == "index":
            if (axis.encoder - self._index) * self._direction * axis.sign >= 0.0:
                self._home(self._index)
            return self._direction * slow
        direction = TO_SWITCH[method]
        tripped = axis.inputs & (NEGATIVE if direction < 0 else POSITIVE)
        if self.phase == "switch":
            self.phase = "edge" if tripped else "switch"
            return direction * fast
        if not tripped:
            self._arrived(method)
        return -direction * slow

    def _arrived(self, method: int) -> None:
        if method in TO_INDEX:
            self._seek_index(TO_INDEX[method])
        else:
            self._home(self.axis.encoder)

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
