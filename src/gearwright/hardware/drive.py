"""One actuator as its firmware sees it: what it measures, what it is asked for, and what reaches the winding."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import copysign, inf
from typing import NamedTuple

from gearwright.hardware.motors import UNLIMITED, Motor, SharedSupply
from gearwright.hardware.setpoints import COAST, NONE, Feedback, Setpoint
from gearwright.hardware.shafts import ShaftLoad

OPEN = 1e9  # [V]: a bridge that is off does not hold back what the shaft induces
BEYOND = 100.0  # stall torques: more than any voltage of the supply drives through the winding
NEAR = 1e-3  # of a limit: closer than this, the drive is at it


class DriveSample(NamedTuple):
    """Measurements of a drive at one instant, the same for all drives."""

    time: float = 0.0  # [s]
    position: float = 0.0  # of the actuator's shaft [rad, m]
    velocity: float = 0.0  # [rad/s, m/s]
    torque: float = 0.0  # in the last step [N·m, N]
    current: float = 0.0  # [A]
    voltage: float = 0.0  # of the supply [V]
    temperature: float = 25.0  # of the winding [°C]
    power: float = 0.0  # electrical, of all servos on its shaft, in the last step [W]
    winding: float = 0.0  # mean voltage on the winding in the last step [V]


class Bridge(NamedTuple):
    """What the power stage does in the next step, as far as its current and voltage go.

    It drives the current of `τ = command − stiffness·x − damping·ẋ`, at the position and speed that the step finds.
    """

    command: float  # [N·m, N]
    voltage: float  # the most that it puts on the winding [V]
    limit: float = UNLIMITED  # of the torque, by its current [N·m, N]
    feedback: Feedback = NONE

    def torque_at(self, position: float, velocity: float) -> float:
        """Before its voltage limits it [N·m, N]."""
        wanted = self.command - self.feedback.stiffness * position - self.feedback.damping * velocity
        return max(-self.limit, min(self.limit, wanted))


@dataclass
class DriveFaults:
    """Faults of one drive, as `faults.py` injects them."""

    encoder_freeze: bool = False
    open_winding: bool = False
    over_temperature: float | None = None  # [°C] that the sensor shows
    stall: bool = False  # the output is jammed; the plant holds it
    unplugged: bool = False  # no bus and no power


@dataclass
class MotorDrive:
    """Reads `sample`, takes `write(setpoint)`; `control` turns the setpoint into torque at the rate of its loops.

    The loops of a drive run many times in a step: `control` gives the step their feedback as well, and the step finds
    the torque with the motion. Only loops with a rate of their own are sampled. What voltage and current leave of the
    torque is found by the step, which has the winding. An open winding and a power stage without supply give none.
    """

    name: str  # the actuator's
    motor: Motor
    supply: SharedSupply
    load: ShaftLoad = ShaftLoad()  # noqa: RUF009  # frozen
    length: bool = False  # whether the shaft moves along a line
    travel: tuple[float, float] = (-inf, inf)  # of the shaft between its joint's stops [rad, m]
    switches: tuple[float, float] = (-inf, inf)  # where limit switches of the joint close, below and above [rad, m]
    sample: DriveSample = field(default_factory=DriveSample)
    setpoint: Setpoint = COAST
    current_limit: float = inf  # [A]: set by the protocol's registers, beside the motor's own
    duty_limit: float = 1.0  # set by the protocol's registers, beside the motor's own
    integral: float = 0.0  # of the loops [N·m]
    saturated: bool = False  # by its current or its voltage, in the last step
    powered: bool = True  # whether the supply is on
    torque: float = 0.0  # wanted of the mechanism, held until the next period; with a given voltage, what came [N·m]
    faults: DriveFaults = field(default_factory=DriveFaults)
    _voltage: float | None = None  # that the setpoint puts on the winding [V]; None: what its torque takes
    _command: float = 0.0  # of the bridge, held until the next period [N·m]
    _feedback: Feedback = NONE
    _due: float = 0.0

    def restart(self) -> None:
        """At a time that may lie before this one: off, with all loops due."""
        self.torque = self.integral = self._due = 0.0
        self.write(COAST)

    # --- the protocol's side ------------------------------------------------------------------------------------

    def write(self, setpoint: Setpoint) -> None:
        """Held until it is changed. Switching off clears the integral."""
        if setpoint is COAST:
            self.integral = 0.0
        self.setpoint = setpoint

    @property
    def counts_per_unit(self) -> float:
        """Encoder counts in a radian, or in a metre."""
        return self.motor.counts / (1.0 if self.length else 6.283185307179586)

    def apply_voltage(self, voltage: float) -> float:
        """A setpoint's voltage for the winding, instead of a torque: it is the torque beyond all that it can drive.

        Where the winding would draw more than the current limit at this speed, the drive goes on with that current.
        """
        k, R = self.motor.torque_constant, self.motor.resistance
        if not R:
            return k * voltage
        expected = k * (voltage - k * self.sample.velocity) / R
        if abs(expected) > self._most:
            return expected
        self._voltage = voltage
        return copysign(min(self._most, BEYOND * k * max(self.supply.nominal, abs(voltage)) / R), voltage)

    def integrate(self, change: float, limit: float = inf) -> None:
        """Of the loops' integral [N·m]: not away from zero while current or voltage are at their limits."""
        if not self.saturated or change * self.integral < 0.0:
            self.integral = max(-limit, min(limit, self.integral + change))

    @property
    def _most(self) -> float:
        """[N·m]: at the limit of the current."""
        return self.motor.torque_constant * min(self.motor.current_limit, self.current_limit)

    @property
    def stall_torque(self) -> float:
        """At rest: what its current limit, and its supply across the winding, allow [N·m, N]."""
        R = self.motor.resistance
        return min(self._most, self.motor.torque_constant * self._most_voltage / R) if R else self._most

    @property
    def _most_voltage(self) -> float:
        return min(self.motor.duty_limit, self.duty_limit) * self.supply.voltage

    @property
    def hot(self) -> bool:
        return self.sample.temperature > self.motor.over_temperature

    @property
    def starved(self) -> bool:
        """Supply below the level at which the drive reports it."""
        return self.supply.share < self.motor.under_voltage

    @property
    def supplied(self) -> bool:
        """Whether there is power enough to run at all."""
        return not self.faults.unplugged and self.supply.share >= self.motor.brown_out

    # --- the mechanism's side -----------------------------------------------------------------------------------

    def latch(self, sample: DriveSample) -> None:
        """The instant's numbers, for every drive before any of them is asked."""
        if self._voltage is not None:
            self.torque = sample.torque
        if self._conducts:
            loops = self._voltage is None and self.motor.resistance > 0.0  # of a torque: they take what volts there are
            volts = loops and abs(sample.winding) >= (1.0 - NEAR) * self._most_voltage
            self.saturated = volts or abs(sample.torque) >= (1.0 - NEAR) * self._most
        if self.faults.encoder_freeze:
            sample = sample._replace(position=self.sample.position, velocity=0.0)
        if self.faults.over_temperature is not None:
            sample = sample._replace(temperature=self.faults.over_temperature)
        self.sample = sample

    @property
    def _conducts(self) -> bool:
        return self.powered and not self.faults.open_winding

    def control(self, dt: float) -> Bridge:
        """What the power stage does in the next step of dt [s]."""
        sample, most = self.sample, self._most
        now = sample.time
        if now + 0.5 * dt >= self._due:
            period = max(dt, 1.0 / self.motor.loop_rate)
            self._due = max(self._due + period, now) if self._due else now + period
            self._voltage = None
            wanted = self.setpoint.torque(self, period)
            self.torque = max(-most, min(most, wanted))
            stiffness, damping = self._feedback = self._loops()
            self._command = wanted + stiffness * sample.position + damping * sample.velocity
        if not self._conducts or self.setpoint is COAST:
            return Bridge(0.0, OPEN)
        volts = self._most_voltage if self._voltage is None else min(self._most_voltage, abs(self._voltage))
        return Bridge(self._command, volts, min(most, UNLIMITED), self._feedback)

    def _loops(self) -> Feedback:
        """The setpoint's; none where it is sampled at a rate of its own, or the encoder does not see the motion."""
        sampled = self.motor.loop_rate < inf or self.faults.encoder_freeze
        return NONE if sampled else self.setpoint.feedback(self)
