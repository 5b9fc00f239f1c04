"""One AX or MX servo of protocol 1.0: its control table, its loop, its shutdowns."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi
from typing import ClassVar

from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols.dynamixel1_table import LENGTH, MODELS, Dynamixel1Motor
from gearwright.hardware.protocols.register_servo import RegisterServo
from gearwright.hardware.protocols.registers import EEPROM, from_sign_magnitude, sign_magnitude
from gearwright.hardware.servo_loops import ServoSetpoint, VelocityServo
from gearwright.hardware.setpoints import COAST, Duty, Setpoint
from gearwright.model.servos.data_sheet import RPM

# bits of the error byte of a status packet
VOLTAGE_ERROR, ANGLE_ERROR, OVERHEATING, RANGE_ERROR, CHECKSUM_ERROR, OVERLOAD, INSTRUCTION_ERROR = (
    1, 2, 4, 8, 16, 32, 64,
)  # fmt: skip
ERRORS = {VOLTAGE_ERROR: "input voltage", OVERHEATING: "overheating", OVERLOAD: "overload"}
GUARD_PERIOD, OVERLOAD_TIME = 0.02, 1.5  # [s]
SIGN = 10  # bit of speeds and loads: clockwise, which is negative here
DUTY_PER_P = 0.158  # [1/rad] for each unit of the P register: measured by Better Actuator Models on an MX-64
ACCELERATION_UNIT = 8.583 * pi / 180  # [rad/s²]


class Dynamixel1Servo(RegisterServo):
    """Zero of the shaft is the middle of its positions. A goal switches the torque on (option `goal_enables`)."""

    integral: ClassVar[tuple[str, str, float]] = ("i", "p", 2048 / 8000)

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        self.product = drive.motor if isinstance(drive.motor, Dynamixel1Motor) else MODELS["ax-12a"]
        super().__init__(drive, node, options, self.product.rows, LENGTH)
        self.table["model"] = self.product.number
        self._eeprom = bytes(self.table.image)
        self.count = self.product.degrees * pi / 180 / self.product.positions  # [rad]
        self.goal_enables = self.options.get("goal_enables", "true").lower() not in ("false", "0", "no")
        self.kept: tuple[int, bytes] | None = None
        self._latched = 0
        self._guard, self._stalled = 0.0, 0.0  # [s]
        self._loop: Setpoint = COAST

    def power_on(self, t: float) -> None:
        super().power_on(t)
        self.table["torque_limit"] = self.table["max_torque"]
        self.kept, self._latched, self._guard, self._stalled = None, 0, t + GUARD_PERIOD, 0.0
        self.table["goal_position"] = self.position
        self._switch()

    def factory_reset(self, t: float) -> None:
        """All registers, the id as well."""
        self.table.reset((EEPROM,))
        self._eeprom = bytes(self.table.image)
        self.power_on(t)

    # --- what clients read --------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        return "torque on" if self.table["torque_enable"] else "torque off"

    @property
    def wheel(self) -> bool:
        return not self.table["cw_limit"] and not self.table["ccw_limit"]

    @property
    def mode(self) -> str:
        return "wheel" if self.wheel else "joint"

    @property
    def errors_now(self) -> int:
        """The error byte but for what a packet did wrong."""
        table, now = self.table, self.drive.sample
        bits = self._latched
        bits |= VOLTAGE_ERROR * (not table["min_voltage"] <= round(10 * now.voltage) <= table["max_voltage"])
        return bits | OVERHEATING * (now.temperature > table["temperature_limit"])

    @property
    def errors(self) -> tuple[str, ...]:
        return tuple(name for bit, name in ERRORS.items() if self.errors_now & bit)

    @property
    def position(self) -> int:
        """Those of a sensor of 300° end with it; those of a full turn begin anew."""
        counts = round(self.drive.sample.position / self.count) + self.product.positions // 2
        if self.product.degrees < 360.0:
            return max(0, min(self.product.positions - 1, counts))
        return counts % self.product.positions

    @property
    def duty(self) -> float:
        return float(getattr(self._loop, "duty", self._loop.value if isinstance(self._loop, Duty) else 0.0))

    def read(self, address: int, length: int) -> tuple[int, bytes]:
        """Errors and data."""
        if not length or address + length > LENGTH:
            return RANGE_ERROR, b""
        table, now = self.table, self.drive.sample
        table["present_position"] = self.position
        speed = round(now.velocity / (self.product.speed_unit * RPM))
        table["present_speed"] = sign_magnitude(speed, SIGN)
        table["present_load"] = sign_magnitude(round(1023 * self.duty), SIGN)
        table["present_voltage"] = max(0, min(255, round(10 * now.voltage)))
        table["present_temperature"] = max(0, min(255, round(now.temperature)))
        table["registered"] = self.kept is not None
        loop = self._loop
        table["moving"] = abs(speed) > 1 or (isinstance(loop, ServoSetpoint) and loop.profile.position != loop.goal)
        if "realtime_tick" in table:
            table["realtime_tick"] = round(now.time * 1000) % 32768
        return 0, bytes(table.image[address : address + length])

    # --- what clients write -------------------------------------------------------------------------------------

    def write(self, address: int, data: bytes) -> int:
        """Errors; a write that has one changes nothing."""
        table = self.table
        touched = table.written(address, len(data))
        if address + len(data) > LENGTH or not table.writable(address, len(data)):
            return RANGE_ERROR
        before = bytes(table.image)
        table.image[address : address + len(data)] = data
        names = {row.name for row in touched}
        if any(not row.low <= table[row.name] <= row.most for row in touched):
            table.image[:] = before
            return RANGE_ERROR
        within = table["cw_limit"] <= table["goal_position"] <= table["ccw_limit"]
        if "goal_position" in names and not self.wheel and not within:
            table.image[:] = before
            return ANGLE_ERROR
        self._save(self.table.changed(before))
        self._apply(names, bool(before[24]))
        return 0

    def _apply(self, names: set[str], was_on: bool) -> None:
        table = self.table
        if "id" in names:
            self.node = table["id"]
        if self._latched & table["shutdown"]:  # only another torque limit, or a power cycle, ends a shutdown
            if "torque_limit" in names and table["torque_limit"]:
                self._latched = 0
            else:
                table["torque_enable"] = 0
        goal = ("moving_speed" if self.wheel else "goal_position") in names
        if goal and self.goal_enables and not self._latched:
            table["torque_enable"] = 1
        if "torque_enable" in names and table["torque_enable"] and not was_on and not goal:
            table["goal_position"] = self.position
        self.commanded = self.commanded or goal
        if bool(table["torque_enable"]) != was_on or names & {"cw_limit", "ccw_limit"}:
            self._switch()
        else:
            self._set()

    # --- loops --------------------------------------------------------------------------------------------------

    def _switch(self) -> None:
        here = self.drive.sample.position
        if not self.table["torque_enable"]:
            self._loop = COAST
        elif not self.wheel:
            loop = ServoSetpoint(goal=here, kp=0.0)
            loop.profile.restart(here)
            self._loop = loop
        else:
            self._loop = VelocityServo(goal=0.0, kp=0.0) if "p" in self.table else Duty(0.0)
        self._set()

    def _set(self) -> None:
        table, loop = self.table, self._loop
        most = min(table["max_torque"], table["torque_limit"]) / 1023
        speed = from_sign_magnitude(table["moving_speed"], SIGN)
        if isinstance(loop, ServoSetpoint):
            goal = table["goal_position"] - self.product.positions // 2
            turns = round((self.drive.sample.position / self.count - goal) / self.product.positions)
            whole = turns * self.product.positions if self.product.degrees == 360.0 else 0
            loop.goal, loop.duty_limit = (goal + whole) * self.count, most
            loop.velocity = abs(speed) * self.product.speed_unit * RPM
            self._gains(loop)
        elif isinstance(loop, VelocityServo):
            loop.goal, loop.duty_limit = speed * self.product.speed_unit * RPM, most
            loop.kp, loop.ki = 0.1, 1.0
        elif isinstance(loop, Duty):
            self._loop = Duty(max(-most, min(most, speed / 1023)))
        self.drive.write(self._loop)

    def _gains(self, loop: ServoSetpoint) -> None:
        """AX: all of the torque where the error is the slope. MX: P/8, I·1000/2048 and D·4/1000 of its registers."""
        table = self.table
        if "cw_slope" in table:
            loop.kp = 1.0 / (max(table["cw_slope"], table["ccw_slope"]) * self.count)
            loop.dead_zone = max(table["cw_margin"], table["ccw_margin"]) * self.count
            return
        unit = 8.0 * DUTY_PER_P
        loop.kp = unit * table["p"] / 8
        loop.ki, loop.kd = unit * table["i"] * 1000 / 2048, unit * table["d"] * 4 / 1000
        loop.acceleration = table["acceleration"] * ACCELERATION_UNIT

    # --- shutdowns ----------------------------------------------------------------------------------------------

    def next_time(self) -> float:
        return self._guard

    def on_time(self, t: float) -> list[Frame]:
        self._guard = t + GUARD_PERIOD
        table = self.table
        most = min(table["max_torque"], table["torque_limit"]) / 1023
        full = most > 0.0 and abs(self.duty) >= 0.99 * most and abs(self.drive.sample.velocity) < 0.1
        self._stalled = self._stalled + GUARD_PERIOD if full and table["torque_enable"] else 0.0
        if self._stalled > OVERLOAD_TIME:
            self._latched |= OVERLOAD
        if self.drive.sample.temperature > table["temperature_limit"]:
            self._latched |= OVERHEATING
        if self._latched & table["shutdown"] and table["torque_enable"]:
            table["torque_enable"], table["torque_limit"] = 0, 0
            self._switch()
        return []
