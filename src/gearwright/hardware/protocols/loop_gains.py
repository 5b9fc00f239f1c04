"""Default gains and times that the drives of several CAN protocols share."""

from __future__ import annotations

from typing import NamedTuple

from gearwright.hardware.drive import MotorDrive

ROUNDING = 1e-9  # [s] by which times that are sums of steps may be too low
BANDWIDTH = 150.0  # [rad/s] of a velocity loop as delivered: a tenth of what a loop of 1 kHz can hold
POSITION = INTEGRAL = BANDWIDTH / 4.0  # [1/s]: of the loops around it, far enough below to be damped in every pose
LOSSES = 10.0  # of the damping of the joint: what a velocity loop is slower than asked for is a tenth at first
SAG = 0.005  # [rad, m] of the joint under its weight and friction, before the integral has made up for it


class LoopGains(NamedTuple):
    """Gains of the position and velocity loops: kp [1/s], kv [N·m·s/rad], ki [N·m/rad]."""

    position: float
    velocity: float
    integral: float


def default_gains(drive: MotorDrive) -> LoopGains:
    """A velocity loop of this `BANDWIDTH` for the inertia at the shaft, that overcomes damping and friction as well.

    The loops around it are slow, so that it is well damped with whatever the joint moves.
    """
    load = drive.load
    kv = max(load.inertia * BANDWIDTH, LOSSES * load.damping, load.holding / (POSITION * SAG * load.travel))
    return LoopGains(position=POSITION, velocity=kv, integral=kv * INTEGRAL)


def elapsed(before: float, now: float) -> float:
    """[s], to the nanosecond: the same for the same steps, however long the clock has run."""
    return round(now - before, 9)
