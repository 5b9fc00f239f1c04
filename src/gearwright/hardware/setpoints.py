"""Setpoints of a drive: each is one control law, from what the drive measures to the torque that it wants.

Positions, velocities and torques are those of the actuator's own shaft [rad, rad/s, N·m; m, m/s, N].
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gearwright.hardware.drive import MotorDrive


class Feedback(NamedTuple):
    """By how much less torque a drive demands when its shaft is further, or faster."""

    stiffness: float = 0.0  # [N·m/rad, N/m]
    damping: float = 0.0  # [N·m·s/rad, N·s/m]


NONE = Feedback()


class Setpoint:
    """Torque off: the winding is open, and the shaft coasts."""

    def torque(self, drive: MotorDrive, dt: float) -> float:
        """The torque that the drive demands, before its limits. Called once per period of its loops."""
        return 0.0

    def feedback(self, drive: MotorDrive) -> Feedback:
        """How that torque changes with the shaft. A drive's loops are faster than a step, so the step solves them."""
        return NONE


COAST = Setpoint()


@dataclass(frozen=True)
class Brake(Setpoint):
    """The winding is shorted: the shaft is braked by its own back-EMF."""

    def torque(self, drive: MotorDrive, dt: float) -> float:
        return drive.apply_voltage(0.0)


@dataclass(frozen=True)
class Torque(Setpoint):
    """A torque of the shaft."""

    value: float  # as commanded [N·m]

    def torque(self, drive: MotorDrive, dt: float) -> float:
        return self.value


@dataclass(frozen=True)
class Current(Setpoint):
    """A current of the winding."""

    value: float  # as commanded [A]

    def torque(self, drive: MotorDrive, dt: float) -> float:
        return drive.motor.torque_constant * self.value


@dataclass(frozen=True)
class Duty(Setpoint):
    """A share of the supply's voltage, −1 … 1: what a PWM bridge puts on the winding."""

    value: float  # −1 … 1

    def torque(self, drive: MotorDrive, dt: float) -> float:
        return drive.apply_voltage(self.value * drive.supply.voltage)


@dataclass(frozen=True)
class Impedance(Setpoint):
    """`τ = kp·(p − x) + kd·(v − ẋ) + τ_ff`: MIT-style drives. ki adds the drive's integral, `∫ki·(p − x)`."""

    position: float = 0.0  # p [rad]
    velocity: float = 0.0  # v [rad/s]
    kp: float = 0.0  # of the position error [N·m/rad]
    kd: float = 0.0  # of the velocity error [N·m·s/rad]
    feedforward: float = 0.0  # τ_ff [N·m]
    ki: float = 0.0  # of the position error [N·m/(rad·s)]
    integral_limit: float = inf  # [N·m]

    def torque(self, drive: MotorDrive, dt: float) -> float:
        now, error = drive.sample, self.position - drive.sample.position
        if self.ki:
            drive.integrate(self.ki * error * dt, self.integral_limit)
        return self.kp * error + self.kd * (self.velocity - now.velocity) + self.feedforward + drive.integral

    def feedback(self, drive: MotorDrive) -> Feedback:
        return Feedback(self.kp, self.kd)


@dataclass(frozen=True)
class Cascade(Setpoint):
    """Position loop, velocity loop, torque: `v* = kp·(p − x) + v`, `τ = kv·(v* − ẋ) + ki·∫(v* − ẋ) + τ_ff`.

    Without a position it is a velocity loop. The integral is the drive's (`Drive.integral`), held while the torque is
    at its limit, and cleared when the power stage is switched off.
    """

    position: float | None = None  # p [rad]
    velocity: float = 0.0  # v [rad/s]
    feedforward: float = 0.0  # τ_ff [N·m]
    position_gain: float = 0.0  # kp [1/s]
    velocity_gain: float = 0.0  # kv [N·m·s/rad]
    integral_gain: float = 0.0  # ki [N·m/rad]
    velocity_limit: float = inf  # of v* [rad/s]

    def torque(self, drive: MotorDrive, dt: float) -> float:
        error = max(-self.velocity_limit, min(self.velocity_limit, self._wanted(drive))) - drive.sample.velocity
        drive.integrate(self.integral_gain * error * dt)
        return self.velocity_gain * error + drive.integral + self.feedforward

    def _wanted(self, drive: MotorDrive) -> float:
        """v* before its limit [rad/s]."""
        if self.position is None:
            return self.velocity
        return self.velocity + self.position_gain * (self.position - drive.sample.position)

    def feedback(self, drive: MotorDrive) -> Feedback:
        follows = self.position is not None and abs(self._wanted(drive)) < self.velocity_limit
        return Feedback(self.velocity_gain * self.position_gain if follows else 0.0, self.velocity_gain)
