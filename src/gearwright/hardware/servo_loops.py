"""Loops of hobby and smart servos: a position error becomes a share of the supply's voltage."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

from gearwright.hardware.profiles import Profile
from gearwright.hardware.setpoints import Setpoint

if TYPE_CHECKING:
    from gearwright.hardware.drive import MotorDrive


@dataclass
class ServoSetpoint(Setpoint):
    """`duty = kp·e + ki·∫e − kd·ω`, e the profile's distance from the shaft, 0 inside the dead zone.

    Its device changes the numbers while it runs. The integral stops where the duty or the current is at its limit.
    """

    goal: float  # [rad]
    kp: float  # [1/rad]
    ki: float = 0.0  # [1/(rad·s)]
    kd: float = 0.0  # [s/rad]
    feedforward: float = 0.0  # added to the duty
    duty_limit: float = 1.0
    dead_zone: float = 0.0  # [rad]
    velocity: float = inf  # of the profile [rad/s]
    acceleration: float = inf  # of the profile [rad/s²]
    profile: Profile = field(default_factory=Profile)
    duty: float = 0.0  # in the last period
    sum: float = 0.0  # ki·∫e

    def torque(self, drive: MotorDrive, dt: float) -> float:
        now = drive.sample
        error = self.profile.follow(self.goal, dt, self.velocity, self.acceleration) - now.position
        if abs(error) <= self.dead_zone:
            error = 0.0
        if (abs(self.duty) < self.duty_limit and not drive.saturated) or self.sum * error < 0.0:
            self.sum += self.ki * error * dt
        wanted = self.kp * error + self.sum - self.kd * now.velocity + self.feedforward
        self.duty = max(-self.duty_limit, min(self.duty_limit, wanted))
        return drive.apply_voltage(self.duty * drive.supply.voltage)


@dataclass
class VelocityServo(Setpoint):
    """`duty = k·ω/V + kp·(ω* − ω) + ki·∫(ω* − ω)`: wheel mode; the back-EMF is fed forward."""

    goal: float  # ω* [rad/s]
    kp: float  # [s/rad]
    ki: float = 0.0  # [1/rad]
    duty_limit: float = 1.0
    acceleration: float = inf  # [rad/s²]
    profile: Profile = field(default_factory=Profile)  # of the velocity
    duty: float = 0.0
    sum: float = 0.0

    def torque(self, drive: MotorDrive, dt: float) -> float:
        wanted = self.profile.follow(self.goal, dt, velocity=self.acceleration)
        error = wanted - drive.sample.velocity
        volts = drive.supply.voltage
        if (abs(self.duty) < self.duty_limit and not drive.saturated) or self.sum * error < 0.0:
            self.sum += self.ki * error * dt
        forward = drive.motor.torque_constant * wanted / volts if volts else 0.0
        self.duty = max(-self.duty_limit, min(self.duty_limit, forward + self.kp * error + self.sum))
        return drive.apply_voltage(self.duty * volts)
