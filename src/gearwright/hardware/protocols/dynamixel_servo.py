"""One Dynamixel X servo: its control table, its loops, its shutdowns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import pi
from typing import ClassVar

from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols.dynamixel_indirect import direct_writes, targets
from gearwright.hardware.protocols.dynamixel_products import MODELS, MODES, DynamixelMotor
from gearwright.hardware.protocols.dynamixel_table import (
    ACCELERATION_UNIT,
    BACKED_UP,
    CENTRE,
    COUNTS,
    ENCODER,
    ERRORS,
    GOAL_ENABLES,
    LOOP_RATE,
    MOST_PWM,
    OVERHEATING,
    OVERLOAD,
    REVERSED,
    STARTUP_RESTORE,
    STARTUP_TORQUE,
    TIME_BASED,
    VELOCITY_UNIT,
    VOLTAGE,
)
from gearwright.hardware.protocols.register_servo import RegisterServo
from gearwright.hardware.protocols.registers import EEPROM
from gearwright.hardware.servo_loops import ServoSetpoint, VelocityServo
from gearwright.hardware.setpoints import COAST, Current, Duty, Setpoint

COUNT = 2 * pi / COUNTS  # [rad]
CURRENT_MODE, VELOCITY_MODE, POSITION_MODE, EXTENDED, CURRENT_POSITION, PWM_MODE = 0, 1, 3, 4, 5, 16
GUARD_PERIOD = 0.02  # [s]: unit of the bus watchdog
OVERLOAD_TIME = 1.5  # [s] at the limit of the PWM without moving
WATCHDOG_TRIPPED = 255
# errors of a status packet
RESULT_FAIL, INSTRUCTION_ERROR, CRC_ERROR, RANGE_ERROR, LENGTH_ERROR, LIMIT_ERROR, ACCESS_ERROR = range(1, 8)
ALERT = 0x80
OPERATING_MODE, TORQUE_ENABLE = 11, 64  # addresses
_GOALS = {"goal_position", "goal_velocity", "goal_current", "goal_pwm"}
_OF_A_MODE = BACKED_UP - {name for name in BACKED_UP if name.startswith("indirect")}


class DynamixelServo(RegisterServo):
    """Registers in front of a drive. Zero of the shaft is position 2048."""

    integral: ClassVar[tuple[str, str, float]] = ("position_i", "position_p", 65536 / (128 * LOOP_RATE))

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        self.product = drive.motor if isinstance(drive.motor, DynamixelMotor) else MODELS["xm430-w350"]
        rows = self.product.rows
        super().__init__(drive, node, options, rows, rows[-1].address + rows[-1].size)
        volts = round(10 * drive.motor.supply_voltage)
        if not self.table["min_voltage"] <= volts <= self.table["max_voltage"]:  # a file that knows better
            self.table["max_voltage"], self.table["min_voltage"] = round(1.35 * volts), round(0.79 * volts)
            self._eeprom = bytes(self.table.image)
        self._backup = bytes(self.table.image)
        self._kept: tuple[int, bytes] | None = None
        self._turns = 0  # that the reading leaves out
        self._guard, self._stalled, self._heard = 0.0, 0.0, 0.0  # [s]
        self._loop: Setpoint = COAST

    # --- power and memory ---------------------------------------------------------------------------------------

    def power_on(self, t: float) -> None:
        super().power_on(t)
        table = self.table
        table["hardware_error"] = 0
        if table["startup"] & STARTUP_RESTORE:
            self._copy(self._backup, BACKED_UP)
        self._goals_to_limits()
        self._kept, self._guard, self._stalled, self._heard = None, t + GUARD_PERIOD, 0.0, t
        self._loop = COAST
        self.reduce_to_one_turn()
        table["goal_position"] = self.position & 0xFFFFFFFF
        table["torque_enable"] = table["startup"] & STARTUP_TORQUE
        self._switch()

    def _goals_to_limits(self) -> None:
        for goal, limit in (("goal_pwm", "pwm_limit"), ("goal_current", "current_limit")):
            if goal in self.table:
                self.table[goal] = self.table[limit]

    def reduce_to_one_turn(self) -> None:
        """The position that is read becomes one of the turn 0 … 4095, but for the homing offset."""
        self._turns = (self._counts + CENTRE) // COUNTS

    def store(self) -> None:
        """The backup: EEPROM, gains, profile and indirect addresses."""
        self._backup = bytes(self.table.image)

    def restore(self, t: float) -> None:
        """The EEPROM of the backup, and a reboot."""
        self._copy(self._backup, {row.name for row in self.table.rows if row.kind == EEPROM})
        self._eeprom = bytes(self.table.image)
        self.power_on(t)

    def _copy(self, image: bytes, names: Collection[str]) -> None:
        for row in self.table.rows:
            if row.name in names:
                part = slice(row.address, row.address + row.size)
                self.table.image[part] = image[part]

    def factory_reset(self, t: float, keep_id: bool) -> None:
        node = self.node
        self.table.reset((EEPROM,))
        if keep_id:
            self.table["id"] = node
        self._eeprom = bytes(self.table.image)
        self.power_on(t)

    # --- what clients read --------------------------------------------------------------------------------------

    @property
    def alert(self) -> int:
        """The bit of every status packet that says that `hardware_error` is not 0."""
        return ALERT if self.table["hardware_error"] else 0

    @property
    def _sign(self) -> int:
        return -1 if self.table["drive_mode"] & REVERSED else 1

    @property
    def _counts(self) -> int:
        return self._sign * round(self.drive.sample.position / COUNT)

    @property
    def _zero(self) -> int:
        """What the reading says where the shaft is at 0 rad."""
        return CENTRE + self.table.signed("homing_offset") - COUNTS * self._turns

    @property
    def position(self) -> int:
        return self._counts + self._zero

    @property
    def turning(self) -> bool:
        return round(abs(self.drive.sample.velocity) / VELOCITY_UNIT) > self.table["moving_threshold"]

    @property
    def duty(self) -> float:
        loop = self._loop
        return float(getattr(loop, "duty", loop.value if isinstance(loop, Duty) else 0.0))

    def read(self, address: int, length: int) -> tuple[int, bytes]:
        """Error and data."""
        image = self.table.image
        if address + length > len(image):
            return RANGE_ERROR, b""
        self._refresh()
        for at, target in targets(image).items():
            if address <= at < address + length:
                image[at] = image[target]
        return 0, bytes(image[address : address + length])

    def _refresh(self) -> None:
        table, now, sign = self.table, self.drive.sample, self._sign
        table["present_position"] = self.position
        speed = round(sign * now.velocity / VELOCITY_UNIT)
        table["present_velocity"] = speed
        table["present_pwm"] = round(sign * self.duty * MOST_PWM)
        if "present_current" in table:
            table["present_current"] = round(sign * now.current / self.product.current_unit)
        else:
            table["present_load"] = round(1000 * sign * self.duty)
        table["present_voltage"] = round(10 * now.voltage)
        table["present_temperature"] = max(0, min(255, round(now.temperature)))
        table["moving"] = self.turning
        table["realtime_tick"] = round(now.time * 1000) % 32768
        table["registered"] = self._kept is not None
        loop = self._loop
        if isinstance(loop, ServoSetpoint):
            table["position_trajectory"] = sign * round(loop.profile.position / COUNT) + self._zero
            table["velocity_trajectory"] = round(sign * loop.profile.velocity / VELOCITY_UNIT)
            arrived = abs(self.position - table.signed("goal_position")) <= 20
            table["moving_status"] = arrived | (2 if loop.profile.position != loop.goal else 0)

    # --- what clients write -------------------------------------------------------------------------------------

    def heard(self, t: float) -> None:
        """A packet for this servo: the bus watchdog begins anew."""
        self._heard = t

    def keep(self, address: int, data: bytes) -> int:
        self._kept = (address, data)
        return 0 if address + len(data) <= len(self.table.image) else RANGE_ERROR

    def act(self, t: float) -> None:
        if self._kept is not None:
            self.write(*self._kept, t)
            self._kept = None

    def write(self, address: int, data: bytes, t: float) -> int:
        """Error; a write that has one changes nothing."""
        if not data or address + len(data) > len(self.table.image):
            return RANGE_ERROR
        for at, part in direct_writes(self.table.image, address, data):
            error = self._write(at, part)
            if error:
                return error
        return 0

    def _write(self, address: int, data: bytes) -> int:
        table = self.table
        touched = table.written(address, len(data))
        if not table.writable(address, len(data)):
            return ACCESS_ERROR
        if table["torque_enable"] and any(row.kind == EEPROM for row in touched):
            return ACCESS_ERROR
        before = bytes(table.image)
        table.image[address : address + len(data)] = data
        names = {row.name for row in touched}
        if any(not row.low <= table[row.name] <= row.most for row in touched) or not self._allowed(names):
            table.image[:] = before
            return LIMIT_ERROR
        if table["bus_watchdog"] == WATCHDOG_TRIPPED and names & _GOALS:
            table.image[:] = before
            return RANGE_ERROR
        self._save(self.table.changed(before))
        self._apply(names, before)
        return 0

    def _allowed(self, names: set[str]) -> bool:
        """Goals within the limits of the servo."""
        table = self.table
        if "operating_mode" in names and table["operating_mode"] not in self.product.modes:
            return False
        limits = {"goal_pwm": "pwm_limit", "goal_current": "current_limit", "goal_velocity": "velocity_limit"}
        if any(abs(table.signed(g)) > table[limit] for g, limit in limits.items() if g in names and g in table):
            return False
        goal = table.signed("goal_position")
        single = table["operating_mode"] == POSITION_MODE and "goal_position" in names
        return not single or table["min_position"] <= goal <= table["max_position"]

    def _apply(self, names: set[str], before: bytes) -> None:
        table = self.table
        if "id" in names:
            self.node = table["id"]
        if "torque_enable" in names and table["hardware_error"] & table["shutdown"]:
            table["torque_enable"] = 0  # only a reboot ends a shutdown
        changed = "operating_mode" in names and table["operating_mode"] != before[OPERATING_MODE]
        if changed:
            self._reset_for_mode()
        goal_enables = table["drive_mode"] & GOAL_ENABLES and names & _GOALS and not table["hardware_error"]
        if goal_enables and not table["torque_enable"]:
            table["torque_enable"] = 1
            if table["operating_mode"] == POSITION_MODE:
                self.reduce_to_one_turn()
            self._switch()
        elif names & {"torque_enable", "operating_mode"}:
            if table["operating_mode"] == POSITION_MODE and (changed or "torque_enable" in names):
                self.reduce_to_one_turn()
            if table["torque_enable"] and not before[TORQUE_ENABLE]:
                table["goal_position"] = self.position & 0xFFFFFFFF
            self._switch()
        else:
            self._set()
        self.commanded = self.commanded or bool(names & _GOALS)

    def _reset_for_mode(self) -> None:
        """Gains and profile as delivered; goals at the limits."""
        for row in self.table.rows:
            if row.name in _OF_A_MODE:
                self.table[row.name] = row.default
        self._goals_to_limits()

    # --- loops --------------------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        return "torque on" if self.table["torque_enable"] else "torque off"

    @property
    def mode(self) -> str:
        return MODES.get(self.table["operating_mode"], "?")

    @property
    def errors(self) -> tuple[str, ...]:
        bits = self.table["hardware_error"]
        return tuple(name for bit, name in ERRORS.items() if bits & bit)

    def _switch(self) -> None:
        table, here = self.table, self.drive.sample.position
        mode = table["operating_mode"]
        if not table["torque_enable"]:
            self._loop = COAST
        elif mode in (POSITION_MODE, EXTENDED, CURRENT_POSITION):
            loop = ServoSetpoint(goal=here, kp=0.0)
            loop.profile.restart(here)
            self._loop = loop
        elif mode == VELOCITY_MODE:
            self._loop = VelocityServo(goal=0.0, kp=0.0)
        elif mode == CURRENT_MODE:
            self._loop = Current(0.0)
        else:
            self._loop = Duty(0.0)
        self._set()

    def _set(self) -> None:
        """Registers into the loop that runs. Gains: `duty = P/128·counts/885`, the D and I terms per period of 1 ms."""
        table, loop, sign = self.table, self._loop, self._sign
        most = min(table["pwm_limit"], abs(table.signed("goal_pwm"))) / MOST_PWM
        self.drive.current_limit = self._most_current
        stopped = table["bus_watchdog"] == WATCHDOG_TRIPPED
        if isinstance(loop, ServoSetpoint):
            per_count = 1.0 / (MOST_PWM * COUNT)
            loop.kp = table["position_p"] / 128 * per_count
            loop.ki = table["position_i"] / 65536 * LOOP_RATE * per_count
            loop.kd = table["position_d"] / 16 / LOOP_RATE * per_count
            goal = table.signed("goal_position") - self._zero
            loop.goal = loop.profile.position if stopped else sign * goal * COUNT
            loop.duty_limit = most
            self._profile(loop)
        elif isinstance(loop, VelocityServo):
            loop.goal = 0.0 if stopped else sign * table.signed("goal_velocity") * VELOCITY_UNIT
            loop.kp, loop.ki = table["velocity_p"] / 1000, table["velocity_i"] / 1000
            loop.duty_limit = most
            loop.acceleration = self._ramp(abs(loop.goal - loop.profile.position))
        elif isinstance(loop, Current):
            self._loop = Current(0.0 if stopped else sign * table.signed("goal_current") * self.product.current_unit)
        elif isinstance(loop, Duty):
            duty = sign * table.signed("goal_pwm") / MOST_PWM
            self._loop = Duty(0.0 if stopped else max(-most, min(most, duty)))
        self.drive.write(self._loop)

    @property
    def _most_current(self) -> float:
        """[A]"""
        table = self.table
        if "current_limit" not in table:
            return float("inf")
        amps = table["current_limit"]
        if table["operating_mode"] in (CURRENT_MODE, CURRENT_POSITION):
            amps = min(amps, abs(table.signed("goal_current")))
        return amps * self.product.current_unit

    def _ramp(self, change: float) -> float:
        """[rad/s²] of a change of velocity [rad/s]."""
        ramp = self.table["profile_acceleration"]
        if not ramp:
            return float("inf")
        return change * 1000 / ramp if self.table["drive_mode"] & TIME_BASED else ramp * ACCELERATION_UNIT

    def _profile(self, loop: ServoSetpoint) -> None:
        """Velocity and acceleration; or the time of the way and, within it, of the acceleration: `v = d/(T − t)`."""
        table = self.table
        speed, ramp = table["profile_velocity"], table["profile_acceleration"]
        way = abs(loop.goal - loop.profile.position)
        if table["drive_mode"] & TIME_BASED:
            time, ramping = speed / 1000, min(ramp, speed / 2) / 1000
            loop.velocity = way / (time - ramping) if time else 0.0
            loop.acceleration = loop.velocity / ramping if ramping else 0.0
            return
        limit = table["velocity_limit"] * VELOCITY_UNIT
        loop.velocity = min(speed * VELOCITY_UNIT, limit) if speed else 0.0
        loop.acceleration = ramp * ACCELERATION_UNIT if speed else 0.0

    # --- shutdowns ----------------------------------------------------------------------------------------------

    def next_time(self) -> float:
        return self._guard

    def on_time(self, t: float) -> list[Frame]:
        """Hardware errors, and the bus watchdog."""
        self._guard = t + GUARD_PERIOD
        table, now = self.table, self.drive.sample
        bits = table["hardware_error"]
        volts = round(10 * now.voltage)
        bits |= VOLTAGE * (not table["min_voltage"] <= volts <= table["max_voltage"])
        bits |= OVERHEATING * (now.temperature > table["temperature_limit"])
        bits |= ENCODER * self.drive.faults.encoder_freeze
        full = abs(self.duty) >= 0.99 * table["pwm_limit"] / MOST_PWM and abs(now.velocity) < 0.1
        self._stalled = self._stalled + GUARD_PERIOD if full and table["torque_enable"] else 0.0
        bits |= OVERLOAD * (self._stalled > OVERLOAD_TIME)
        table["hardware_error"] = bits
        if bits & table["shutdown"] and table["torque_enable"]:
            table["torque_enable"] = 0
            self._switch()
        watchdog = table["bus_watchdog"]
        if 0 < watchdog < WATCHDOG_TRIPPED and t - self._heard > watchdog * GUARD_PERIOD:
            table["bus_watchdog"] = WATCHDOG_TRIPPED
            self._set()
        return []
