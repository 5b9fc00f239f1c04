"""Modes of operation: each moves the axis' demand, and says bits 10, 12 and 13 of the statusword."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from gearwright.hardware.profiles import ramp
from gearwright.hardware.protocols.cia402.axis import Cia402Axis
from gearwright.hardware.protocols.loop_gains import BANDWIDTH

REACHED, ACKNOWLEDGED, DEVIATION = 1 << 10, 1 << 12, 1 << 13
START, IMMEDIATE, RELATIVE, HALT = 1 << 4, 1 << 5, 1 << 6, 1 << 8


class Mode(ABC):
    """One mode, while it is chosen."""

    code: ClassVar[int]
    name: ClassVar[str]
    positions = True  # whether the following error counts

    def __init__(self, axis: Cia402Axis) -> None:
        self.axis, self.objects = axis, axis.dictionary
        self.within = 0.0  # [s] that the actual value has been in its window

    def enter(self) -> None:
        """At the change to this mode, and whenever operation is enabled."""
        self.axis.start()
        self.within = 0.0

    def on_controlword(self, word: int, rising: int) -> None:
        """Bits 4 to 9."""
        del word, rising

    @abstractmethod
    def tick(self, dt: float) -> None:
        """The next demand."""

    def status(self) -> int:
        return 0

    def reached(self, error: float, window: int, time: int, dt: float) -> None:
        """Counts the time in the window."""
        self.within = self.within + dt if abs(error) <= self.objects[window, 0] else 0.0
        self._reached = self.within >= self.objects[time, 0] * 1e-3

    _reached = False

    def decelerate(self, deceleration: float, dt: float) -> bool:
        """Towards standstill, for halt, quick stop and fault reaction; True once the demand stands still."""
        self.axis.profile.accelerate(0.0, deceleration, deceleration, dt)
        if self.positions:
            self.axis.follow()
        else:
            self.axis.follow_velocity()
        return self.axis.profile.resting


class NoMode(Mode):
    """Holds the shaft where it was enabled."""

    code, name = 0, "none"

    def enter(self) -> None:
        super().enter()
        self.axis.profile.velocity = 0.0

    def tick(self, dt: float) -> None:
        self.axis.follow()


class ProfilePosition(Mode):
    code, name = 1, "profile position"

    def enter(self) -> None:
        super().enter()
        self.target, self.next = self.axis.profile.position, None
        self.acknowledged = False
        self.moving = False

    target: float
    next: float | None

    def on_controlword(self, word: int, rising: int) -> None:
        if rising & START and self.next is None:
            self._take(word)
        elif not word & START:
            self.acknowledged = False

    def _take(self, word: int) -> None:
        base = self.target if word & RELATIVE else 0.0
        target = self.axis.limited_position(base + self.objects[0x607A, 0])
        self.acknowledged, self._reached, self.within = True, False, 0.0
        if self.moving and not word & IMMEDIATE:
            self.next = target
        else:
            self.target, self.next, self.moving = target, None, True

    def tick(self, dt: float) -> None:
        o, axis = self.objects, self.axis
        axis.profile.towards(self.target, min(o[0x6081, 0], axis.fastest), o[0x6083, 0], o[0x6084, 0], dt)
        if self.moving and axis.profile.resting and axis.profile.position == self.target:
            self.moving = False
            if self.next is not None:
                self.target, self.next, self.moving = self.next, None, True
        axis.follow()
        self.reached(self.target - axis.position, 0x6067, 0x6068, dt)

    def status(self) -> int:
        done = self._reached and not self.moving
        return REACHED * done | ACKNOWLEDGED * (self.acknowledged or self.next is not None)


class ProfileVelocity(Mode):
    code, name, positions = 3, "profile velocity", False

    def tick(self, dt: float) -> None:
        o, axis = self.objects, self.axis
        target = axis.limited_velocity(o[0x60FF, 0])
        axis.profile.accelerate(target, o[0x6083, 0], o[0x6084, 0], dt)
        axis.follow_velocity()
        self.reached(target - axis.velocity, 0x606D, 0x606E, dt)

    def status(self) -> int:
        standing = abs(self.axis.velocity) <= self.objects[0x606F, 0]
        return REACHED * self._reached | ACKNOWLEDGED * standing


class ProfileTorque(Mode):
    code, name, positions = 4, "profile torque", False

    def enter(self) -> None:
        super().enter()
        self.demand = 0.0  # [‰]

    def tick(self, dt: float) -> None:
        self.demand = ramp(self.demand, self.objects[0x6071, 0], self.objects[0x6087, 0] * dt)
        self.axis.push(self.demand)
        self.axis.start()

    def status(self) -> int:
        return REACHED * (self.demand == self.objects[0x6071, 0])


class CyclicPosition(Mode):
    """Linear between the last two targets, over the interpolation period.

    Targets are whole counts, whose rate jumps: the speed that goes to the velocity loop is smoothed over its time.
    """

    code, name = 8, "cyclic synchronous position"

    def enter(self) -> None:
        super().enter()
        self.axis.profile.velocity = 0.0
        self.objects[0x607A, 0] = round(self.axis.profile.position)
        self._target, self._left = self.axis.profile.position, 0.0

    def tick(self, dt: float) -> None:
        o, profile = self.objects, self.axis.profile
        target = self.axis.limited_position(float(o[0x607A, 0] + o[0x60B0, 0]))
        if target != self._target:
            self._target, self._left = target, o[0x60C2, 1] * 10.0 ** o[0x60C2, 2]
        before = profile.position
        share = min(dt / self._left, 1.0) if self._left > 0.0 else 1.0
        profile.position += (target - profile.position) * share
        self._left = max(self._left - dt, 0.0)
        rate = (profile.position - before) / dt if dt > 0.0 else 0.0
        profile.velocity += (rate - profile.velocity) * min(BANDWIDTH * dt, 1.0)
        ahead = profile.velocity
        profile.velocity = ahead + o[0x60B1, 0]
        self.axis.follow(torque=o[0x60B2, 0])
        profile.velocity = ahead

    def status(self) -> int:
        return ACKNOWLEDGED


class CyclicVelocity(Mode):
    code, name, positions = 9, "cyclic synchronous velocity", False

    def enter(self) -> None:
        super().enter()
        self.objects[0x60FF, 0] = 0

    def tick(self, dt: float) -> None:
        o, axis = self.objects, self.axis
        axis.profile.velocity = axis.limited_velocity(float(o[0x60FF, 0] + o[0x60B1, 0]))
        axis.profile.position = axis.position
        axis.follow_velocity(torque=o[0x60B2, 0])

    def status(self) -> int:
        return ACKNOWLEDGED


class CyclicTorque(Mode):
    code, name, positions = 10, "cyclic synchronous torque", False

    def enter(self) -> None:
        super().enter()
        self.objects[0x6071, 0] = 0

    def tick(self, dt: float) -> None:
        self.axis.push(self.objects[0x6071, 0] + self.objects[0x60B2, 0])
        self.axis.start()

    def status(self) -> int:
        return ACKNOWLEDGED
