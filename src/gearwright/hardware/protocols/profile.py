"""Motion profiles and default gains that the drives of several protocols share."""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, inf, sqrt
from typing import NamedTuple

from gearwright.hardware.drive import Drive

ROUNDING = 1e-9  # [s] by which times that are sums of steps may be too low
BANDWIDTH = 150.0  # [rad/s] of a velocity loop as delivered: a tenth of what a loop of 1 kHz can hold


class Gains(NamedTuple):
    """Of position and velocity loop: kp [1/s], kv [N·m·s/rad], ki [N·m/rad]."""

    position: float
    velocity: float
    integral: float


def default_gains(drive: Drive, bandwidth: float = BANDWIDTH) -> Gains:
    """A velocity loop of the given bandwidth for the inertia at the shaft, the loops around it four times slower."""
    kv = drive.inertia * bandwidth
    return Gains(position=bandwidth / 4.0, velocity=kv, integral=kv * bandwidth / 4.0)


def elapsed(before: float, now: float) -> float:
    """[s], to the nanosecond: the same for the same steps, however long the clock has run."""
    return round(now - before, 9)


def ramp(value: float, wanted: float, most: float) -> float:
    """`value` moved towards `wanted` by at most `most`."""
    return wanted if abs(wanted - value) <= most else value + copysign(most, wanted - value)


@dataclass
class Profile:
    """A trapezoid, made one step at a time, so that its target may change on the way."""

    position: float = 0.0
    velocity: float = 0.0

    def towards(self, target: float, speed: float, acceleration: float, deceleration: float, dt: float) -> None:
        """One step to a position, at which it stops.

        In steps of `a·dt` a speed of `a·dt·(√(¼ + 2·d/(a·dt²)) − ½)` stops within the distance d: without the
        correction for the step, the profile would overshoot by half of one.
        """
        error = target - self.position
        if deceleration == inf or dt <= 0.0:
            wanted = error / dt if dt > 0.0 else 0.0
        else:
            brake = deceleration * dt
            wanted = copysign(brake * (sqrt(0.25 + 2.0 * abs(error) / (brake * dt)) - 0.5), error) if brake else 0.0
        wanted = max(-speed, min(speed, wanted))
        self.accelerate(wanted, acceleration, deceleration, dt)
        if (
            abs(target - self.position) < 0.5 * min(deceleration, 1e6) * dt * dt
            and abs(self.velocity) <= deceleration * dt
        ):
            self.position, self.velocity = target, 0.0

    def accelerate(self, wanted: float, acceleration: float, deceleration: float, dt: float) -> None:
        """One step to a velocity."""
        faster = abs(wanted) > abs(self.velocity) and wanted * self.velocity >= 0.0
        self.velocity = ramp(self.velocity, wanted, (acceleration if faster else deceleration) * dt)
        self.position += self.velocity * dt

    @property
    def resting(self) -> bool:
        return self.velocity == 0.0
