"""Feetech's HLS servos, which limit their current, and SCS servos, whose sensor is a potentiometer."""

from __future__ import annotations

from typing import ClassVar, Literal

from gearwright.hardware.protocols.feetech_servo import (
    COARSE,
    CURRENT_MODE,
    POSITION,
    PWM,
    STILL,
    VELOCITY,
    FeetechServo,
)
from gearwright.hardware.protocols.feetech_table import (
    CURRENT,
    CURRENT_UNIT,
    HLS_TABLE,
    MOST_DUTY,
    OVERLOAD,
    POTENTIOMETER,
    SCS_TABLE,
    TEMPERATURE,
    ZERO_IS_FULL,
)
from gearwright.hardware.protocols.registers import Register, from_sign_magnitude, sign_magnitude
from gearwright.hardware.setpoints import Current, Setpoint

TURN = 6.283185307179586  # [rad]


class HlsServo(FeetechServo):
    """The goal of the current (address 44) limits it in all modes but PWM."""

    rows: ClassVar[tuple[Register, ...]] = HLS_TABLE
    modes: ClassVar[tuple[str, ...]] = (POSITION, VELOCITY, CURRENT_MODE, PWM)
    guards: ClassVar[int] = CURRENT | TEMPERATURE
    offset_bit: ClassVar[int] = 15

    def power_on(self, t: float) -> None:
        super().power_on(t)
        table = self.table
        table["goal_time"] = table["protection_current"]
        table["live_p"], table["live_d"], table["live_i"] = table["p"], table["d"], table["velocity_i"]
        self._switch()

    @property
    def speed_unit(self) -> float:
        return self.count * COARSE

    @property
    def _goal_speed(self) -> float:
        return abs(from_sign_magnitude(self.table["goal_velocity"], 15)) * self.speed_unit or STILL

    @property
    def _most_duty(self) -> float:
        return MOST_DUTY * min(self.table["max_torque"], self.table["torque_limit"]) / 1000

    def _current(self, amps: float) -> int:
        return sign_magnitude(round(self._sign * amps / CURRENT_UNIT), 15)

    def _of_mode(self, here: float) -> Setpoint:
        return Current(0.0) if self.mode == CURRENT_MODE else super()._of_mode(here)

    def _set(self) -> None:
        amps = from_sign_magnitude(self.table["goal_time"], 15) * CURRENT_UNIT
        self.drive.current_limit = float("inf") if self.mode == PWM else abs(amps)
        if isinstance(self._loop, Current):
            self._loop = Current(self._sign * amps)
        super()._set()


class ScsServo(FeetechServo):
    """Big-endian words; 1024 counts in 300°, of which both limits at 0 make a motor."""

    rows: ClassVar[tuple[Register, ...]] = SCS_TABLE
    order: ClassVar[Literal["little", "big"]] = "big"
    guards: ClassVar[int] = OVERLOAD | TEMPERATURE
    count: ClassVar[float] = TURN / POTENTIOMETER
    centre: ClassVar[int] = 512

    _offset = 0
    _sign = 1
    _integral_gain = 0.0
    _acceleration = 0.0

    @property
    def position(self) -> int:
        return max(0, min(1023, self.actual))

    @property
    def speed_unit(self) -> float:
        return self.count

    @property
    def mode(self) -> str:
        return POSITION if self.table["min_position"] or self.table["max_position"] else PWM

    def calibrate(self, position: int) -> None:
        """A potentiometer stays where it is."""
        self.malformed += 1

    def _apply(self, names: set[str]) -> None:
        super()._apply(names | {"mode"} if names & {"min_position", "max_position"} else names)

    @property
    def _most_duty(self) -> float:
        most = MOST_DUTY * self.table["max_torque"] / 1000
        return min(most, MOST_DUTY * self.table["protection_torque"] / 100) if self._latched & OVERLOAD else most

    @property
    def _goal_speed(self) -> float:
        """[rad/s]; where it is 0, the time of the way counts."""
        table = self.table
        speed = from_sign_magnitude(table["goal_velocity"], 15) * self.speed_unit
        if not speed and table["goal_time"]:
            return abs(self._goal() - self.drive.sample.position) * 1000 / table["goal_time"]
        return abs(speed) or (0.0 if table["phase"] & ZERO_IS_FULL else STILL)

    def _goal(self) -> float:
        low, high = self.table["min_position"], self.table["max_position"]
        goal = max(low, min(high, self.table["goal_position"]))
        return (goal - self.centre) * self.count
