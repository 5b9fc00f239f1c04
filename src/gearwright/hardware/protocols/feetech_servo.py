"""One STS or SMS servo: its control table, its loops, its protections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import pi
from typing import ClassVar, Literal

from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols.feetech_products import IDENTIFIED, FeetechMotor
from gearwright.hardware.protocols.feetech_table import (
    CENTRE,
    COUNTS,
    CURRENT,
    CURRENT_UNIT,
    DUTY_PER_RAD,
    ERRORS,
    FINE_SPEED,
    LENGTH,
    MOST_DUTY,
    MULTI_TURN,
    OVERLOAD,
    REVERSED,
    SENSOR,
    TABLE,
    TEMPERATURE,
    VOLTAGE,
    ZERO_IS_FULL,
)
from gearwright.hardware.protocols.register_servo import RegisterServo
from gearwright.hardware.protocols.registers import (
    Register,
    changed,
    from_sign_magnitude,
    sign_magnitude,
)
from gearwright.hardware.servo_loops import ServoSetpoint, VelocityServo
from gearwright.hardware.setpoints import COAST, Brake, Duty, Setpoint

COUNT = 2 * pi / COUNTS  # [rad]
COARSE = 50  # counts/s: unit of velocities, unless the phase says that it is 1
ACCELERATION_UNIT = 100  # [counts/s²]
STILL = 1e-9  # [rad/s]: a profile that does not move; 0 would be one without limit
GUARD_PERIOD = 0.01  # [s] between two looks at the protections: the unit of their times
POSITION, VELOCITY, PWM, STEP, CURRENT_MODE = "position", "velocity", "PWM", "step", "current"
OFF, ON, DAMPED, CALIBRATE = 0, 1, 2, 128  # of the register `torque_enable`
_SETTING = {
    "goal_position", "goal_velocity", "goal_time", "acceleration", "torque_limit", "max_torque", "p", "i", "phase",
    "operating_mode", "dead_zone_cw", "dead_zone_ccw", "min_position", "max_position", "homing_offset", "velocity_p",
    "velocity_i",
}  # fmt: skip
_GOALS = {POSITION: "goal_position", STEP: "goal_position", VELOCITY: "goal_velocity"}  # of others: goal_time


class FeetechServo(RegisterServo):
    """Registers in front of a drive.

    A goal switches the torque on, unless it was switched off by a write since power-up (option `goal_enables`). The D
    register is kept and has no effect: the identified model of the servo has no derivative term.
    """

    rows: ClassVar[tuple[Register, ...]] = TABLE
    order: ClassVar[Literal["little", "big"]] = "little"
    integral: ClassVar[tuple[str, str, float]] = ("i", "p", 1.0)
    modes: ClassVar[tuple[str, ...]] = (POSITION, VELOCITY, PWM, STEP)
    guards: ClassVar[int] = OVERLOAD | CURRENT | TEMPERATURE  # protections that it has
    count: ClassVar[float] = COUNT
    centre: ClassVar[int] = CENTRE
    offset_bit: ClassVar[int] = 11  # the sign of `homing_offset`

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options, self.rows, LENGTH, self.order)
        motor = drive.motor if isinstance(drive.motor, FeetechMotor) else IDENTIFIED
        self.table["model"] = motor.number
        self.table["max_voltage"] = max(80, min(254, round(10 * drive.motor.supply_voltage * 1.05) + 4))
        self._eeprom = bytes(self.table.image)
        self.goal_enables = self.options.get("goal_enables", "true").lower() not in ("false", "0", "no")
        self._kept: tuple[int, bytes] | None = None  # of a write that waits for ACTION
        self._backup = self._eeprom
        self._released = False  # the torque was switched off by a client
        self._latched = 0  # error bits of protections that have acted
        self._guard, self._overload, self._overcurrent = 0.0, 0.0, 0.0  # [s]
        self._blocked = 0.0  # duty with which the shaft was held up: a goal the other way ends the protection
        self._stepped = 0  # counts that the goal of the step mode stands at
        self._loop: Setpoint = COAST

    def _delivered(self, rows: Sequence[Register]) -> Sequence[Register]:
        """With an I gain, no dead zone keeps the shaft from its goal."""
        made = super()._delivered(rows)
        return made if made is rows else changed(made, {"dead_zone_cw": 0, "dead_zone_ccw": 0})

    # --- power and memory ---------------------------------------------------------------------------------------

    def power_on(self, t: float) -> None:
        super().power_on(t)
        if "torque_limit" in self.table:
            self.table["torque_limit"] = self.table["max_torque"]
        self._kept, self._latched, self._guard, self._released = None, 0, t + GUARD_PERIOD, False
        self._overload = self._overcurrent = 0.0
        self._switch()

    def factory_reset(self, t: float) -> None:
        """All registers but the id: those of the last backup."""
        node = self.node
        self.table.image[:] = self._backup
        self.table["id"] = node
        self._eeprom = bytes(self.table.image)
        self.power_on(t)

    def backup(self) -> None:
        """What a factory reset will go back to."""
        self._backup = self._eeprom

    # --- what clients read --------------------------------------------------------------------------------------

    @property
    def answers(self) -> bool:
        """Whether writes are answered."""
        return self.table["status_level"] == 1

    @property
    def _sign(self) -> int:
        return -1 if self.table["phase"] & REVERSED else 1

    @property
    def actual(self) -> int:
        """Counts of the encoder, before the homing offset."""
        return self._sign * round(self.drive.sample.position / self.count) + self.centre

    @property
    def _offset(self) -> int:
        return from_sign_magnitude(self.table["homing_offset"], self.offset_bit)

    @property
    def position(self) -> int:
        counts = self.actual - self._offset
        return counts if self.table["phase"] & MULTI_TURN else counts % COUNTS

    @property
    def duty(self) -> float:
        return float(getattr(self._loop, "duty", self._loop.value if isinstance(self._loop, Duty) else 0.0))

    @property
    def speed_unit(self) -> float:
        """[rad/s]"""
        return self.count * (1 if self.table["phase"] & FINE_SPEED else COARSE)

    @property
    def status(self) -> int:
        """The error byte: what is wrong now, and protections that have acted."""
        table, drive = self.table, self.drive
        bits = self._latched
        volts = round(10 * drive.sample.voltage)
        bits |= VOLTAGE * (not table["min_voltage"] <= volts <= table["max_voltage"])
        bits |= TEMPERATURE * (drive.sample.temperature > table["max_temperature"])
        return bits | SENSOR * drive.faults.encoder_freeze

    def read(self, address: int, length: int) -> bytes:
        """As a servo answers: addresses past the table read 0."""
        if address + length > 56:
            self._refresh()
        data = bytes(self.table.image[address : address + length])
        return data + bytes(length - len(data))

    def _refresh(self) -> None:
        table, now = self.table, self.drive.sample
        table["present_position"] = sign_magnitude(self.position, 15)
        speed = round(self._sign * now.velocity / self.speed_unit)
        table["present_velocity"] = sign_magnitude(speed, 15)
        table["present_load"] = sign_magnitude(round(1000 * self._sign * self.duty), 10)
        table["present_voltage"] = max(0, min(255, round(10 * now.voltage)))
        table["present_temperature"] = max(0, min(255, round(now.temperature)))
        if "present_current" in table:
            table["present_current"] = self._current(now.current)
        table["status"] = self.status
        table["moving"] = self._moving
        table["async_write"] = self._kept is not None

    def _current(self, amps: float) -> int:
        return min(0x7FFF, round(abs(amps) / CURRENT_UNIT))

    @property
    def _moving(self) -> bool:
        """Turning, or on the way to a goal."""
        loop = self._loop
        under_way = isinstance(loop, ServoSetpoint) and loop.profile.position != loop.goal
        speed = abs(self.drive.sample.velocity) / self.count
        return under_way or speed > self.table["moving_threshold"]

    # --- what clients write -------------------------------------------------------------------------------------

    def keep(self, address: int, data: bytes) -> None:
        """Until ACTION."""
        self._kept = (address, data)

    def act(self, t: float) -> None:
        if self._kept is not None:
            self.write(*self._kept, t)
            self._kept = None

    def calibrate(self, position: int) -> None:
        """The place where the shaft stands is called this position from now on."""
        offset = (self.actual - position + COUNTS // 2) % COUNTS - COUNTS // 2
        self.table["homing_offset"] = sign_magnitude(offset, self.offset_bit)
        self._save([self.table.by_name["homing_offset"]])

    def write(self, address: int, data: bytes, t: float) -> None:
        """Writes that touch a read-only register or leave the table are ignored; values are kept within their range."""
        table = self.table
        if not table.writable(address, len(data)):
            self.malformed += 1
            return
        table.image[address : address + len(data)] = data
        touched = table.written(address, len(data))
        for row in touched:
            table[row.name] = max(row.low, min(row.most, table[row.name]))
        if not table["lock"]:
            self._save(touched)
        self._apply({row.name for row in touched})

    def _apply(self, names: set[str]) -> None:
        table = self.table
        if "id" in names:
            self.node = table["id"]
        if self.mode == STEP and "goal_position" in names:
            self._stepped += from_sign_magnitude(table["goal_position"], 15)
        goal = _GOALS.get(self.mode, "goal_time") in names
        if "torque_enable" in names:
            self._enable()
        elif goal and self.goal_enables and not self._released and table["torque_enable"] == OFF:
            table["torque_enable"] = ON
            self._switch()
        elif names & {"operating_mode", "mode"}:
            self._switch()
        elif names & _SETTING:
            self._set()
        if names & {"goal_position", "goal_velocity", "goal_time"}:
            self.commanded = True
            if self._latched & OVERLOAD and self._wanted_direction * self._blocked < 0.0:
                self._latched &= ~OVERLOAD
                self._overload = 0.0
                self._set()

    @property
    def _wanted_direction(self) -> float:
        """Positive where the goal lies ahead of the shaft."""
        loop = self._loop
        if isinstance(loop, ServoSetpoint):
            return loop.goal - self.drive.sample.position
        return loop.goal if isinstance(loop, VelocityServo) else self.duty

    def _enable(self) -> None:
        """0 coasts, 1 holds where the shaft stands, 2 brakes, 128 calls the place where it stands the centre."""
        table = self.table
        if table["torque_enable"] == CALIBRATE:
            self.calibrate(self.centre)
            table["torque_enable"] = OFF
        elif table["torque_enable"] != DAMPED:
            self._released = table["torque_enable"] == OFF
            if not self._released:
                table["torque_enable"] = ON
                table["goal_position"] = sign_magnitude(self.position, 15)
                self._latched, self._overload = 0, 0.0
        self._switch()

    # --- loops --------------------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        return "torque on" if self.table["torque_enable"] else "torque off"

    @property
    def mode(self) -> str:
        return self.modes[self.table["operating_mode"]]

    @property
    def errors(self) -> tuple[str, ...]:
        bits = self.status
        return tuple(name for bit, name in ERRORS.items() if bits & bit)

    def _switch(self) -> None:
        """The loop of the mode, from rest."""
        here = self.drive.sample.position
        self._stepped = self.position if self.mode == STEP else 0
        self._loop = COAST
        if self.table["torque_enable"] == DAMPED:
            self._loop = Brake()
        elif self.table["torque_enable"]:
            self._loop = self._of_mode(here)
        self._set()

    def _of_mode(self, here: float) -> Setpoint:
        if self.mode in (POSITION, STEP):
            loop = ServoSetpoint(goal=here, kp=0.0)
            loop.profile.restart(here)
            return loop
        return VelocityServo(goal=0.0, kp=0.0) if self.mode == VELOCITY else Duty(0.0)

    def _set(self) -> None:
        """Registers into the loop that runs."""
        table, loop, most = self.table, self._loop, self._most_duty
        if isinstance(loop, ServoSetpoint):
            loop.goal, loop.kp, loop.ki = self._goal(), DUTY_PER_RAD * table["p"], self._integral_gain
            loop.duty_limit, loop.acceleration = most, self._acceleration
            loop.velocity = self._goal_speed
            loop.dead_zone = max(table["dead_zone_cw"], table["dead_zone_ccw"]) * self.count / 2
        elif isinstance(loop, VelocityServo):
            loop.goal = self._sign * from_sign_magnitude(table["goal_velocity"], 15) * self.speed_unit
            loop.kp, loop.ki = 0.02 * table["velocity_p"], 0.2 * table["velocity_i"]
            loop.duty_limit, loop.acceleration = most, self._acceleration or float("inf")
        elif isinstance(loop, Duty):
            duty = self._sign * from_sign_magnitude(table["goal_time"], 10) / 1000
            self._loop = Duty(max(-most, min(most, duty)))
        self.drive.write(self._loop)

    @property
    def _most_duty(self) -> float:
        """Share of the supply that the torque limits leave."""
        table = self.table
        most = MOST_DUTY * min(table["max_torque"], table["torque_limit"]) / 1000
        return min(most, MOST_DUTY * table["protection_torque"] / 100) if self._latched & OVERLOAD else most

    @property
    def _integral_gain(self) -> float:
        return DUTY_PER_RAD * self.table["i"]

    @property
    def _acceleration(self) -> float:
        """[rad/s²]; 0: without limit."""
        return self.table["acceleration"] * ACCELERATION_UNIT * self.count

    @property
    def _goal_speed(self) -> float:
        """[rad/s] of the way to a goal; 0: without limit."""
        speed = abs(from_sign_magnitude(self.table["goal_velocity"], 15)) * self.speed_unit
        return speed or (0.0 if self.table["phase"] & ZERO_IS_FULL else STILL)

    def _goal(self) -> float:
        """[rad] of the shaft, in the turn in which it stands, within the limits of the servo."""
        table = self.table
        goal = self._stepped if self.mode == STEP else from_sign_magnitude(table["goal_position"], 15)
        low, high = (from_sign_magnitude(table[n], 15) for n in ("min_position", "max_position"))
        if low < high and not table["phase"] & MULTI_TURN and self.mode != STEP:
            goal = max(low, min(high, goal))
        turns = self.actual - self._offset - self.position  # whole turns, in counts
        return self._sign * (goal + self._offset - self.centre + turns) * self.count

    # --- protections --------------------------------------------------------------------------------------------

    def next_time(self) -> float:
        return self._guard

    def on_time(self, t: float) -> list[Frame]:
        """Overload after `protection_time` limits the torque; over-current and heat switch it off.

        It lasts, whatever goals come, until one lies in the other direction, or the torque is switched on anew.
        """
        self._guard = t + GUARD_PERIOD
        if self.table["torque_enable"]:
            self._protect()
        return []

    def _protect(self) -> None:
        table, drive = self.table, self.drive
        unloading = table["unloading"] & self.guards
        if unloading & OVERLOAD:
            share = table["overload_torque"] / 100
            loaded = abs(self.duty) > MOST_DUTY * share and abs(drive.sample.velocity) < 10 * self.count
            self._overload = self._overload + GUARD_PERIOD if loaded else 0.0
            if self._overload > table["protection_time"] * GUARD_PERIOD:
                if not self._latched & OVERLOAD:
                    self._blocked = self.duty
                self._latched |= OVERLOAD
                self._set()
        if unloading & CURRENT:
            high = abs(drive.sample.current) > table["protection_current"] * CURRENT_UNIT
            self._overcurrent = self._overcurrent + GUARD_PERIOD if high and table["protection_current"] else 0.0
            if self._overcurrent > table["overcurrent_time"] * GUARD_PERIOD:
                self._trip(CURRENT)
        if unloading & TEMPERATURE and drive.sample.temperature > table["max_temperature"]:
            self._trip(TEMPERATURE)

    def _trip(self, bit: int) -> None:
        """Switches the torque off and says why, until it is switched on again."""
        self._latched |= bit
        self._released = True
        self.table["torque_enable"] = OFF
        self._switch()
