"""One actuator as its firmware sees it: what it measures, what it is asked for, and what reaches the winding."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

from gearwright.hardware.motors import Motor, Supply
from gearwright.hardware.setpoints import COAST, Setpoint

HEAT_PERIOD = 0.01  # [s] between two steps of the thermal model: its time constants are minutes


class Sample(NamedTuple):
    """Measurements of a drive at one instant, the same for all drives."""

    time: float = 0.0  # [s]
    position: float = 0.0  # of the actuator's shaft [rad, m]
    velocity: float = 0.0  # [rad/s, m/s]
    torque: float = 0.0  # in the last step [N·m, N]
    current: float = 0.0  # [A]
    voltage: float = 0.0  # of the supply [V]
    temperature: float = 25.0  # [°C]


@dataclass
class DriveFaults:
    """Faults of one drive, as `faults.py` injects them."""

    encoder_freeze: bool = False
    open_winding: bool = False
    over_temperature: float | None = None  # [°C] that the sensor shows
    stall: bool = False  # the output is jammed; the plant holds it
    unplugged: bool = False  # no bus and no power


@dataclass
class Drive:
    """Reads `sample`, takes `write(setpoint)`; `control` turns the setpoint into torque at the rate of its loops.

    The torque is within the current limit and what the supply's voltage leaves at this speed; an open winding and a
    power stage without supply give none.
    """

    name: str  # the actuator's
    motor: Motor
    supply: Supply
    inertia: float = 1.0  # at the shaft, from the mechanism at its start [kg·m², kg]: for default gains
    length: bool = False  # whether the shaft moves along a line
    travel: tuple[float, float] = (-inf, inf)  # of the shaft between its joint's stops [rad, m]
    switches: tuple[float, float] = (-inf, inf)  # where limit switches of the joint close, below and above [rad, m]
    sample: Sample = field(default_factory=Sample)
    setpoint: Setpoint = COAST
    current_limit: float = inf  # [A]: set by the protocol's registers, beside the motor's own
    duty_limit: float = 1.0  # set by the protocol's registers, beside the motor's own
    integral: float = 0.0  # of the velocity loop [N·m]
    saturated: bool = False
    powered: bool = True  # whether the supply is on
    torque: float = 0.0  # wanted of the mechanism, held until the next period [N·m]
    faults: DriveFaults = field(default_factory=DriveFaults)
    temperature: float = field(init=False)  # of the winding [°C]
    _due: float = 0.0
    _heat: float = 0.0  # [J] since the thermal model's last step
    _warmed: float = 0.0  # [s]

    def __post_init__(self) -> None:
        self.temperature = self.motor.ambient_temperature

    def restart(self) -> None:
        """At a time that may lie before this one: cold, off, with all loops due."""
        self.temperature = self.motor.ambient_temperature
        self.torque = self.integral = self._due = self._heat = self._warmed = 0.0
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

    def torque_of_voltage(self, voltage: float) -> float:
        """`k·(V − k·ω)/R` at the speed that was sampled."""
        k, R = self.motor.torque_constant, self.motor.resistance
        return k * (voltage - k * self.sample.velocity) / R if R else k * voltage

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

    def latch(self, time: float, position: float, velocity: float, torque: float) -> None:
        """The instant's numbers, for every drive before any of them is asked."""
        if self.faults.encoder_freeze:
            position, velocity = self.sample.position, 0.0
        shown = self.faults.over_temperature
        self.sample = Sample(
            time, position, velocity, torque, torque / self.motor.torque_constant, self.supply.voltage,
            self.temperature if shown is None else shown,
        )  # fmt: skip

    def control(self, dt: float) -> float:
        """The torque for the next step of dt [s]."""
        now = self.sample.time
        if now + 0.5 * dt >= self._due:
            period = max(dt, 1.0 / self.motor.loop_rate)
            self._due = max(self._due + period, now) if self._due else now + period
            self.torque = self._limited(self.setpoint.torque(self, period))
        if not self.powered or self.faults.open_winding:
            return 0.0
        return self.torque

    def _limited(self, wanted: float) -> float:
        motor = self.motor
        most = motor.torque_constant * min(motor.current_limit, self.current_limit)
        torque = max(-most, min(most, wanted))
        if motor.resistance and self.setpoint is not COAST:
            voltage = min(motor.duty_limit, self.duty_limit) * self.supply.voltage
            torque = max(self.torque_of_voltage(-voltage), min(self.torque_of_voltage(voltage), torque))
        self.saturated = torque != wanted
        return torque

    def power(self) -> float:
        """Electrical power of the last step [W]: `R·i² + τ·ω`."""
        now = self.sample
        return self.motor.resistance * now.current**2 + now.torque * now.velocity

    def warm(self, dt: float) -> None:
        """`C·dT/dt = R·i² − (T − T_ambient)/R_th`."""
        motor = self.motor
        self._heat += motor.resistance * self.sample.current**2 * dt
        self._warmed += dt
        if self._warmed >= HEAT_PERIOD:
            lost = (self.temperature - motor.ambient_temperature) / motor.thermal_resistance * self._warmed
            self.temperature += (self._heat - lost) / motor.thermal_capacitance
            self._heat = self._warmed = 0.0
