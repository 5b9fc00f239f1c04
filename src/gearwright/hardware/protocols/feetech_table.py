"""Control tables of Feetech's families, from the manufacturer's memory tables (github.com/ftservo/ftservo-wiki)."""

from __future__ import annotations

from gearwright.hardware.protocols.registers import EEPROM, RAM, READ_ONLY, Register

LENGTH = 100  # addresses that a client may read
COUNTS = 4096  # of a turn
CENTRE = 2048  # where the shaft stands at 0 rad
POTENTIOMETER = 1024 * 360 / 300  # counts of a turn, where it had no gap
CURRENT_UNIT = 6.5e-3  # [A]
LOOP_RATE = 1000.0  # [Hz]
DUTY_PER_RAD = 0.166  # for each unit of the P register: identified for the STS3215 (Better Actuator Models, M1)
MOST_DUTY = 0.97  # of the bridge, from the same source

TABLE = (
    Register("firmware_major", 0, 1, READ_ONLY, 3),
    Register("firmware_minor", 1, 1, READ_ONLY, 10),
    Register("model", 3, 2, READ_ONLY, 777),
    Register("id", 5, 1, EEPROM, 1, 0, 253),
    Register("baud", 6, 1, EEPROM, 0, 0, 7),
    Register("return_delay", 7, 1, EEPROM, 0, 0, 254),
    Register("status_level", 8, 1, EEPROM, 1, 0, 1),
    Register("min_position", 9, 2, EEPROM, 0),
    Register("max_position", 11, 2, EEPROM, 4095),
    Register("max_temperature", 13, 1, EEPROM, 70, 0, 100),
    Register("max_voltage", 14, 1, EEPROM, 80),
    Register("min_voltage", 15, 1, EEPROM, 40),
    Register("max_torque", 16, 2, EEPROM, 1000, 0, 1000),
    Register("phase", 18, 1, EEPROM, 12),
    Register("unloading", 19, 1, EEPROM, 44),
    Register("alarm_led", 20, 1, EEPROM, 47),
    Register("p", 21, 1, EEPROM, 32),
    Register("d", 22, 1, EEPROM, 32),
    Register("i", 23, 1, EEPROM, 0),
    Register("min_start_force", 24, 2, EEPROM, 16, 0, 1000),
    Register("dead_zone_cw", 26, 1, EEPROM, 1, 0, 32),
    Register("dead_zone_ccw", 27, 1, EEPROM, 1, 0, 32),
    Register("protection_current", 28, 2, EEPROM, 500, 0, 511),
    Register("angular_resolution", 30, 1, EEPROM, 1),
    Register("homing_offset", 31, 2, EEPROM, 0),
    Register("operating_mode", 33, 1, EEPROM, 0, 0, 3),
    Register("protection_torque", 34, 1, EEPROM, 20, 0, 100),
    Register("protection_time", 35, 1, EEPROM, 200, 0, 254),
    Register("overload_torque", 36, 1, EEPROM, 80, 0, 100),
    Register("velocity_p", 37, 1, EEPROM, 10),
    Register("overcurrent_time", 38, 1, EEPROM, 200, 0, 254),
    Register("velocity_i", 39, 1, EEPROM, 10),
    Register("torque_enable", 40, 1, RAM, 0),
    Register("acceleration", 41, 1, RAM, 0, 0, 254),
    Register("goal_position", 42, 2, RAM, 0),
    Register("goal_time", 44, 2, RAM, 0),
    Register("goal_velocity", 46, 2, RAM, 0),
    Register("torque_limit", 48, 2, RAM, 1000, 0, 1000),
    Register("lock", 55, 1, RAM, 1, 0, 1),
    Register("present_position", 56, 2, READ_ONLY),
    Register("present_velocity", 58, 2, READ_ONLY),
    Register("present_load", 60, 2, READ_ONLY),
    Register("present_voltage", 62, 1, READ_ONLY),
    Register("present_temperature", 63, 1, READ_ONLY),
    Register("async_write", 64, 1, READ_ONLY),
    Register("status", 65, 1, READ_ONLY),
    Register("moving", 66, 1, READ_ONLY),
    Register("present_current", 69, 2, READ_ONLY),
    Register("moving_threshold", 80, 1, EEPROM, 10),
    Register("dts", 81, 1, EEPROM, 0),
    Register("velocity_unit", 82, 1, EEPROM, 1),
    Register("hts", 83, 1, EEPROM, 0),
    Register("max_velocity", 84, 1, EEPROM, 0),
    Register("max_acceleration", 85, 1, EEPROM, 0),
    Register("acceleration_multiplier", 86, 1, EEPROM, 1),
)


def _family(*changed: Register, without: frozenset[str] = frozenset()) -> tuple[Register, ...]:
    """The STS table with other rows; those at addresses that another register has are gone."""
    taken = {a for row in changed for a in range(row.address, row.address + row.size)}
    names = {row.name for row in changed} | without
    kept = [r for r in TABLE if r.name not in names and r.address not in taken]
    return tuple(sorted([*kept, *changed], key=lambda row: row.address))


# HLS servos limit their current, and have no overload protection
HLS_TABLE = _family(
    Register("firmware_minor", 1, 1, READ_ONLY, 43),
    Register("model", 3, 2, READ_ONLY, 2570),
    Register("secondary_id", 7, 1, EEPROM, 0, 0, 253),
    Register("max_torque", 16, 2, EEPROM, 980, 0, 1000),
    Register("phase", 18, 1, EEPROM, 0),
    Register("unloading", 19, 1, EEPROM, 12),
    Register("min_start_force", 24, 1, EEPROM, 16),
    Register("integral_limit", 25, 1, EEPROM, 0),
    Register("protection_current", 28, 2, EEPROM, 500, 0, 2047),
    Register("current_p", 34, 1, EEPROM, 100),
    Register("current_i", 35, 1, EEPROM, 20),
    Register("undefined", 36, 1, EEPROM),
    Register("goal_time", 44, 2, RAM, 500),  # the goal of the current
    Register("goal_velocity", 46, 2, RAM, 0x7FFF),
    Register("live_p", 50, 1, RAM, 32),
    Register("live_d", 51, 1, RAM, 32),
    Register("live_i", 52, 1, RAM, 0),
    Register("present_goal", 67, 2, READ_ONLY),
)

# SCS servos have a potentiometer, which sees 300°
_NO_SCS = frozenset({
    "acceleration", "torque_limit", "lock", "i", "protection_current", "angular_resolution", "homing_offset",
    "operating_mode", "velocity_p", "velocity_i", "overcurrent_time", "present_current",
})  # fmt: skip
SCS_TABLE = (
    *(row for row in _family(
        Register("end", 2, 1, READ_ONLY, 1),
        Register("model", 3, 2, READ_ONLY, 1284),
        Register("min_position", 9, 2, EEPROM, 20, 0, 1023),
        Register("max_position", 11, 2, EEPROM, 1003, 0, 1023),
        Register("phase", 18, 1, EEPROM, 8),
        Register("unloading", 19, 1, EEPROM, 37),
        Register("alarm_led", 20, 1, EEPROM, 37),
        Register("p", 21, 1, EEPROM, 15),
        Register("d", 22, 1, EEPROM, 0),
        Register("dead_zone_cw", 26, 1, EEPROM, 1, 0, 16),
        Register("dead_zone_ccw", 27, 1, EEPROM, 1, 0, 16),
        without=_NO_SCS,
    ) if row.address < 28 or 39 < row.address < 48 or 48 < row.address < 78),
    Register("protection_torque", 37, 1, EEPROM, 20, 0, 254),
    Register("protection_time", 38, 1, EEPROM, 200, 0, 254),
    Register("overload_torque", 39, 1, EEPROM, 80, 0, 254),
    Register("lock", 48, 1, RAM, 1, 0, 1),
    Register("pwm_step", 78, 1, EEPROM, 20),
    Register("moving_threshold", 79, 1, EEPROM, 1),
    Register("dts", 80, 1, EEPROM, 20),
    Register("hts", 81, 1, EEPROM, 1),
    Register("max_velocity", 82, 1, EEPROM, 0),
    Register("max_acceleration", 83, 1, EEPROM, 20),
)  # fmt: skip

# bits of the register `phase`
FINE_SPEED, ZERO_IS_FULL, MULTI_TURN, REVERSED = 4, 8, 16, 128

# error bits of a status packet and of the register `status`
VOLTAGE, SENSOR, TEMPERATURE, CURRENT, OVERLOAD = 1, 2, 4, 8, 32
ERRORS = {VOLTAGE: "voltage", SENSOR: "sensor", TEMPERATURE: "temperature", CURRENT: "current", OVERLOAD: "overload"}
