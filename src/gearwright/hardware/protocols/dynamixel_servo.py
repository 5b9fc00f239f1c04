"""One Dynamixel X servo: its control table, its loops, its shutdowns."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi

from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols.dynamixel_table import (
    ACCELERATION_UNIT,
    CENTRE,
    COUNTS,
    CURRENT_UNIT,
    ENCODER,
    ERRORS,
    INDIRECT,
    INDIRECT_ADDRESS,
    INDIRECT_DATA,
    LENGTH,
    LOOP_RATE,
    MOST_PWM,
    NUMBERS,
    OVERHEATING,
    OVERLOAD,
    TABLE,
    VELOCITY_UNIT,
    VOLTAGE,
)
from gearwright.hardware.protocols.register_servo import RegisterServo
from gearwright.hardware.protocols.registers import EEPROM, ControlTable
from gearwright.hardware.servo_loops import PositionServo, VelocityServo
from gearwright.hardware.setpoints import COAST, Current, Duty, Setpoint

COUNT = 2 * pi / COUNTS  # [rad]
CURRENT_MODE, VELOCITY_MODE, POSITION_MODE, EXTENDED, CURRENT_POSITION, PWM_MODE = 0, 1, 3, 4, 5, 16
MODES = {0: "current", 1: "velocity", 3: "position", 4: "extended position", 5: "current-based position", 16: "PWM"}
REVERSED, TIME_BASED = 1, 4  # bits of `drive_mode`
GUARD_PERIOD = 0.02  # [s]: unit of the bus watchdog
OVERLOAD_TIME = 1.5  # [s] at the limit of the PWM without moving
WATCHDOG_TRIPPED = 255
# errors of a status packet
RESULT_FAIL, INSTRUCTION_ERROR, CRC_ERROR, RANGE_ERROR, LENGTH_ERROR, LIMIT_ERROR, ACCESS_ERROR = range(1, 8)
ALERT = 0x80
_GOALS = {"goal_position", "goal_velocity", "goal_current", "goal_pwm"}


class DynamixelServo(RegisterServo):
    """Registers in front of a drive. Zero of the shaft is position 2048."""

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options, ControlTable(TABLE, LENGTH))
        self.table["model"] = NUMBERS.get(self.options.get("model", ""), NUMBERS["xm430-w350"])
        volts = round(10 * drive.motor.supply_voltage)
        self.table["max_voltage"], self.table["min_voltage"] = round(1.35 * volts), round(0.79 * volts)
        self._eeprom = bytes(self.table.image)
        self._kept: tuple[int, bytes] | None = None
        self._guard, self._stalled, self._heard = 0.0, 0.0, 0.0  # [s]
        self._loop: Setpoint = COAST

    # --- power and memory ---------------------------------------------------------------------------------------

    def power_on(self, t: float) -> None:
        super().power_on(t)
        self.table["hardware_error"] = 0
        self.table["goal_pwm"], self.table["goal_current"] = self.table["pwm_limit"], self.table["current_limit"]
        self._kept, self._guard, self._stalled, self._heard = None, t + GUARD_PERIOD, 0.0, t
        self._switch()

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
    def position(self) -> int:
        return self._sign * round(self.drive.sample.position / COUNT) + CENTRE + self.table.signed("homing_offset")

    @property
    def duty(self) -> float:
        loop = self._loop
        return float(getattr(loop, "duty", loop.value if isinstance(loop, Duty) else 0.0))

    def read(self, address: int, length: int) -> tuple[int, bytes]:
        """Error and data."""
        if address + length > LENGTH:
            return RANGE_ERROR, b""
        self._refresh()
        image = self.table.image
        if address + length > INDIRECT_DATA:
            for k, target in self._indirect().items():
                image[INDIRECT_DATA + k] = image[target]
        return 0, bytes(image[address : address + length])

    def _indirect(self) -> dict[int, int]:
        """Bytes of the indirect data that stand for others: number → address."""
        words = (self.table[f"indirect_address_{k + 1}"] for k in range(INDIRECT))
        return {k: target for k, target in enumerate(words) if target < INDIRECT_ADDRESS}

    def _refresh(self) -> None:
        table, now, sign = self.table, self.drive.sample, self._sign
        table["present_position"] = self.position
        speed = round(sign * now.velocity / VELOCITY_UNIT)
        table["present_velocity"] = speed
        table["present_pwm"] = round(sign * self.duty * MOST_PWM)
        table["present_current"] = round(sign * now.current / CURRENT_UNIT)
        table["present_voltage"] = round(10 * now.voltage)
        table["present_temperature"] = max(0, min(255, round(now.temperature)))
        table["moving"] = abs(speed) > table["moving_threshold"]
        table["realtime_tick"] = round(now.time * 1000) % 32768
        table["registered"] = self._kept is not None
        loop = self._loop
        if isinstance(loop, PositionServo):
            trajectory = sign * round(loop.profile.position / COUNT) + CENTRE + table.signed("homing_offset")
            table["position_trajectory"] = trajectory
            table["velocity_trajectory"] = round(sign * loop.profile.velocity / VELOCITY_UNIT)
            arrived = abs(self.position - table.signed("goal_position")) <= 20
            table["moving_status"] = arrived | (2 if loop.profile.position != loop.goal else 0)

    # --- what clients write -------------------------------------------------------------------------------------

    def heard(self, t: float) -> None:
        """A packet for this servo: the bus watchdog begins anew."""
        self._heard = t

    def keep(self, address: int, data: bytes) -> int:
        self._kept = (address, data)
        return 0 if address + len(data) <= LENGTH else RANGE_ERROR

    def act(self, t: float) -> None:
        if self._kept is not None:
            self.write(*self._kept, t)
            self._kept = None

    def write(self, address: int, data: bytes, t: float) -> int:
        """Error; a write that has one changes nothing."""
        if not data or address + len(data) > LENGTH:
            return RANGE_ERROR
        for at, part in self._direct(address, data):
            error = self._write(at, part)
            if error:
                return error
        return 0

    def _direct(self, address: int, data: bytes) -> list[tuple[int, bytes]]:
        """A write as writes of the registers themselves: neighbours in indirect data may be far apart."""
        if address < INDIRECT_DATA:
            return [(address, data)]
        indirect, runs = self._indirect(), list[tuple[int, bytes]]()
        for k, byte in enumerate(data, start=address - INDIRECT_DATA):
            target = indirect.get(k, INDIRECT_DATA + k)
            if runs and runs[-1][0] + len(runs[-1][1]) == target:
                runs[-1] = (runs[-1][0], runs[-1][1] + bytes((byte,)))
            else:
                runs.append((target, bytes((byte,))))
        return runs

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
        self._save(before)
        self._apply(names, before)
        return 0

    def _allowed(self, names: set[str]) -> bool:
        """Goals within the limits of the servo."""
        table = self.table
        if "operating_mode" in names and table["operating_mode"] not in MODES:
            return False
        limits = {"goal_pwm": "pwm_limit", "goal_current": "current_limit", "goal_velocity": "velocity_limit"}
        if any(abs(table.signed(goal)) > table[limit] for goal, limit in limits.items() if goal in names):
            return False
        goal = table.signed("goal_position")
        single = table["operating_mode"] == POSITION_MODE and "goal_position" in names
        return not single or table["min_position"] <= goal <= table["max_position"]

    def _save(self, before: bytes) -> None:
        """EEPROM registers are kept as they are written."""
        saved = bytearray(self._eeprom)
        for row in self.table.rows:
            part = slice(row.address, row.address + row.size)
            if row.kind == EEPROM and self.table.image[part] != before[part]:
                saved[part] = self.table.image[part]
        self._eeprom = bytes(saved)

    def _apply(self, names: set[str], before: bytes) -> None:
        table = self.table
        if "id" in names:
            self.node = table["id"]
        if "torque_enable" in names and table["hardware_error"] & table["shutdown"]:
            table["torque_enable"] = 0  # only a reboot ends a shutdown
        if "operating_mode" in names:
            table["goal_pwm"], table["goal_current"] = table["pwm_limit"], table["current_limit"]
        if names & {"torque_enable", "operating_mode"}:
            if table["torque_enable"] and not before[64]:
                table["goal_position"] = self.position & 0xFFFFFFFF
            self._switch()
        else:
            self._set()
        self.commanded = self.commanded or bool(names & _GOALS)

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
            loop = PositionServo(goal=here, kp=0.0)
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
        limited = table["operating_mode"] in (CURRENT_MODE, CURRENT_POSITION)
        amps = min(table["current_limit"], abs(table.signed("goal_current"))) if limited else table["current_limit"]
        self.drive.current_limit = amps * CURRENT_UNIT
        stopped = table["bus_watchdog"] == WATCHDOG_TRIPPED
        if isinstance(loop, PositionServo):
            per_count = 1.0 / (MOST_PWM * COUNT)
            loop.kp = table["position_p"] / 128 * per_count
            loop.ki = table["position_i"] / 65536 * LOOP_RATE * per_count
            loop.kd = table["position_d"] / 16 / LOOP_RATE * per_count
            goal = table.signed("goal_position") - CENTRE - table.signed("homing_offset")
            loop.goal = loop.profile.position if stopped else sign * goal * COUNT
            loop.duty_limit = most
            self._profile(loop)
        elif isinstance(loop, VelocityServo):
            loop.goal = 0.0 if stopped else sign * table.signed("goal_velocity") * VELOCITY_UNIT
            loop.kp, loop.ki = table["velocity_p"] / 1000, table["velocity_i"] / 1000
            loop.duty_limit = most
            loop.acceleration = table["profile_acceleration"] * ACCELERATION_UNIT or float("inf")
        elif isinstance(loop, Current):
            self._loop = Current(0.0 if stopped else sign * table.signed("goal_current") * CURRENT_UNIT)
        elif isinstance(loop, Duty):
            duty = sign * table.signed("goal_pwm") / MOST_PWM
            self._loop = Duty(0.0 if stopped else max(-most, min(most, duty)))
        self.drive.write(self._loop)

    def _profile(self, loop: PositionServo) -> None:
        """Velocity and acceleration, or with the time-based profile the time [ms] that the whole way takes."""
        table = self.table
        speed, ramp = table["profile_velocity"], table["profile_acceleration"]
        if table["drive_mode"] & TIME_BASED:
            way = abs(loop.goal - loop.profile.position)
            loop.velocity, loop.acceleration = (way * 1000 / speed if speed and way else 0.0), 0.0
            return
        limit = table["velocity_limit"] * VELOCITY_UNIT
        loop.velocity = min(speed * VELOCITY_UNIT, limit) if speed else 0.0
        loop.acceleration = ramp * ACCELERATION_UNIT

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
