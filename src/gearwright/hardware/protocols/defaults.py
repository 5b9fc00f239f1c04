"""Default gains and times that the drives of several CAN protocols share."""

from __future__ import annotations

from typing import NamedTuple

from gearwright.hardware.drive import MotorDrive

ROUNDING = 1e-9  # [s] by which times that are sums of steps may be too low
BANDWIDTH = 150.0  # [rad/s] of a velocity loop as delivered: a tenth of what a loop of 1 kHz can hold


class LoopGains(NamedTuple):
    """Gains of the position and velocity loops: kp [1/s], kv [N·m·s/rad], ki [N·m/rad]."""

    position: float
    velocity: float
    integral: float


def default_gains(drive: MotorDrive, bandwidth: float = BANDWIDTH) -> LoopGains:
    """A velocity loop of the given bandwidth for the inertia at the shaft, the loops around it four times slower."""
    kv = drive.inertia * bandwidth
    return LoopGains(position=bandwidth / 4.0, velocity=kv, integral=kv * bandwidth / 4.0)


def elapsed(before: float, now: float) -> float:
    """[s], to the nanosecond: the same for the same steps, however long the clock has run."""
    return round(now - before, 9)
