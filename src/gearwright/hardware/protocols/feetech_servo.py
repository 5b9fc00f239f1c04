"""One STS or SMS servo: its control table, its loops, its protections."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi

from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols.feetech_table import (
    CENTRE,
    COUNTS,
    CURRENT,
    CURRENT_UNIT,
    DUTY_PER_RAD,
    ERRORS,
    LENGTH,
    MOST_DUTY,
    OVERLOAD,
    SENSOR,
    TABLE,
    TEMPERATURE,
    VOLTAGE,
)
from gearwright.hardware.protocols.register_servo import RegisterServo
from gearwright.hardware.protocols.registers import (
    EEPROM,
    RAM,
    ControlTable,
    Register,
    from_sign_magnitude,
    sign_magnitude,
)
from gearwright.hardware.servo_loops import PositionServo, VelocityServo
from gearwright.hardware.setpoints import COAST, Duty, Setpoint

COUNT = 2 * pi / COUNTS  # [rad]
ACCELERATION_UNIT = 100  # [counts/s²]
GUARD_PERIOD = 0.01  # [s] between two looks at the protections: the unit of their times
POSITION, VELOCITY, PWM, STEP = range(4)
MODES = ("position", "velocity", "PWM", "step")
MULTI_TURN = 0x10  # of the register `phase`: positions do not wrap
_SETTING = {
    "goal_position", "goal_velocity", "goal_time", "acceleration", "torque_limit", "max_torque", "p", "i",
    "operating_mode", "dead_zone_cw", "dead_zone_ccw", "min_position", "max_position", "homing_offset", "velocity_p",
    "velocity_i",
}  # fmt: skip


class FeetechServo(RegisterServo):
    """Registers in front of a drive.

    The D register is kept and has no effect: the identified model of the servo has no derivative term.
    """

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options, ControlTable(TABLE, LENGTH))
        self._kept: tuple[int, bytes] | None = None  # of a write that waits for ACTION
        self._latched = 0  # error bits of protections that have acted
        self._guard, self._overload, self._overcurrent = 0.0, 0.0, 0.0  # [s]
        self._loop: Setpoint = COAST

    # --- power and memory ---------------------------------------------------------------------------------------

    def power_on(self, t: float) -> None:
        super().power_on(t)
        self._kept, self._latched, self._guard = None, 0, t + GUARD_PERIOD
        self._overload = self._overcurrent = 0.0
        self._switch()

    def factory_reset(self, t: float) -> None:
        """All registers but the id."""
        node = self.node
        self.table.reset((EEPROM, RAM))
        self.table["id"] = node
        self._eeprom = bytes(self.table.image)
        self.power_on(t)

    # --- what clients read --------------------------------------------------------------------------------------

    @property
    def answers(self) -> bool:
        """Whether writes are answered."""
        return self.table["status_level"] == 1

    @property
    def actual(self) -> int:
        """Counts of the magnetic encoder, before the homing offset."""
        return round(self.drive.sample.position / COUNT) + CENTRE

    @property
    def _offset(self) -> int:
        return from_sign_magnitude(self.table["homing_offset"], 11)

    @property
    def position(self) -> int:
        counts = self.actual - self._offset
        return counts if self.table["phase"] & MULTI_TURN else counts % COUNTS

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
        speed = round(now.velocity / COUNT)
        table["present_velocity"] = sign_magnitude(speed, 15)
        duty = getattr(self._loop, "duty", getattr(self._loop, "value", 0.0))
        table["present_load"] = sign_magnitude(round(1000 * duty), 10)
        table["present_voltage"] = max(0, min(255, round(10 * now.voltage)))
        table["present_temperature"] = max(0, min(255, round(now.temperature)))
        table["present_current"] = min(0x7FFF, round(abs(now.current) / CURRENT_UNIT))
        table["status"] = self.status
        table["moving"] = abs(speed) > table["moving_threshold"]
        table["async_write"] = self._kept is not None

    # --- what clients write -------------------------------------------------------------------------------------

    def keep(self, address: int, data: bytes) -> None:
        """Until ACTION."""
        self._kept = (address, data)

    def act(self, t: float) -> None:
        if self._kept is not None:
            self.write(*self._kept, t)
            self._kept = None

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

    def _save(self, touched: list[Register]) -> None:
        saved = bytearray(self._eeprom)
        for row in touched:
            if row.kind == EEPROM:
                saved[row.address : row.address + row.size] = self.table.image[row.address : row.address + row.size]
        self._eeprom = bytes(saved)

    def _apply(self, names: set[str]) -> None:
        table = self.table
        if "id" in names:
            self.node = table["id"]
        if "torque_enable" in names:
            self._enable()
        elif "operating_mode" in names:
            self._switch()
        elif names & _SETTING:
            self._set()
        if names & {"goal_position", "goal_velocity", "goal_time"}:
            self.commanded = True
            self._latched &= ~OVERLOAD
            self._overload = 0.0

    def _enable(self) -> None:
        """0 coasts, 1 holds where the shaft stands, 128 calls the place where it stands the centre."""
        table = self.table
        if table["torque_enable"] == 128:
            offset = (self.actual - CENTRE + COUNTS // 2) % COUNTS - COUNTS // 2
            table["homing_offset"] = sign_magnitude(offset, 11)
            self._save([table.by_name["homing_offset"]])
            table["torque_enable"] = 0
        elif table["torque_enable"]:
            table["torque_enable"] = 1
            table["goal_position"] = sign_magnitude(self.position, 15)
            self._latched = 0
        self._switch()

    # --- loops --------------------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        return "torque on" if self.table["torque_enable"] else "torque off"

    @property
    def mode(self) -> str:
        return MODES[self.table["operating_mode"]]

    @property
    def errors(self) -> tuple[str, ...]:
        bits = self.status
        return tuple(name for bit, name in ERRORS.items() if bits & bit)

    def _switch(self) -> None:
        """The loop of the mode, from rest."""
        table, here = self.table, self.drive.sample.position
        if not table["torque_enable"]:
            self._loop = COAST
        elif table["operating_mode"] in (POSITION, STEP):
            loop = PositionServo(goal=here, kp=0.0)
            loop.profile.restart(here)
            self._loop = loop
        elif table["operating_mode"] == VELOCITY:
            self._loop = VelocityServo(goal=0.0, kp=0.0)
        else:
            self._loop = Duty(0.0)
        self._set()

    def _set(self) -> None:
        """Registers into the loop that runs."""
        table, loop = self.table, self._loop
        most = MOST_DUTY * min(table["max_torque"], table["torque_limit"]) / 1000
        if self._latched & OVERLOAD:
            most = min(most, MOST_DUTY * table["protection_torque"] / 100)
        acceleration = table["acceleration"] * ACCELERATION_UNIT * COUNT
        if isinstance(loop, PositionServo):
            loop.goal, loop.kp, loop.ki = self._goal(), DUTY_PER_RAD * table["p"], DUTY_PER_RAD * table["i"]
            loop.duty_limit, loop.acceleration = most, acceleration
            loop.velocity = abs(from_sign_magnitude(table["goal_velocity"], 15)) * COUNT
            loop.dead_zone = max(table["dead_zone_cw"], table["dead_zone_ccw"]) * COUNT / 2
        elif isinstance(loop, VelocityServo):
            loop.goal = from_sign_magnitude(table["goal_velocity"], 15) * COUNT
            loop.kp, loop.ki = 0.02 * table["velocity_p"], 0.2 * table["velocity_i"]
            loop.duty_limit, loop.acceleration = most, acceleration or float("inf")
        elif isinstance(loop, Duty):
            duty = from_sign_magnitude(table["goal_time"], 10) / 1000
            self._loop = Duty(max(-most, min(most, duty)))
        self.drive.write(self._loop)

    def _goal(self) -> float:
        """[rad] of the shaft, in the turn in which it stands, within the limits of the servo."""
        table = self.table
        goal = from_sign_magnitude(table["goal_position"], 15)
        low, high = (from_sign_magnitude(table[n], 15) for n in ("min_position", "max_position"))
        if low < high and not table["phase"] & MULTI_TURN:
            goal = max(low, min(high, goal))
        turns = self.actual - self._offset - self.position  # whole turns, in counts
        return (goal + self._offset - CENTRE + turns) * COUNT

    # --- protections --------------------------------------------------------------------------------------------

    def next_time(self) -> float:
        return self._guard

    def on_time(self, t: float) -> list[Frame]:
        """Overload after `protection_time` limits the torque; over-current and heat switch it off."""
        self._guard = t + GUARD_PERIOD
        if self.table["torque_enable"]:
            self._protect()
        return []

    def _protect(self) -> None:
        table, drive = self.table, self.drive
        unloading = table["unloading"]
        duty = abs(getattr(self._loop, "duty", getattr(self._loop, "value", 0.0)))
        loaded = duty > MOST_DUTY * table["overload_torque"] / 100 and abs(drive.sample.velocity) < 10 * COUNT
        self._overload = self._overload + GUARD_PERIOD if loaded else 0.0
        if unloading & OVERLOAD and self._overload > table["protection_time"] * GUARD_PERIOD:
            self._latched |= OVERLOAD
            self._set()
        high = abs(drive.sample.current) > table["protection_current"] * CURRENT_UNIT
        self._overcurrent = self._overcurrent + GUARD_PERIOD if high and table["protection_current"] else 0.0
        if unloading & CURRENT and self._overcurrent > table["overcurrent_time"] * GUARD_PERIOD:
            self._trip(CURRENT)
        if unloading & TEMPERATURE and drive.sample.temperature > table["max_temperature"]:
            self._trip(TEMPERATURE)

    def _trip(self, bit: int) -> None:
        """Switches the torque off and says why, until it is switched on again."""
        self._latched |= bit
        self.table["torque_enable"] = 0
        self._switch()
