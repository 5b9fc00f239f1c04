"""Control table of Feetech STS and SMS servos, and the products."""

from __future__ import annotations

from gearwright.hardware.motors import Motor
from gearwright.hardware.protocols.registers import EEPROM, RAM, READ_ONLY, Register

LENGTH = 100  # addresses that a client may read
COUNTS = 4096  # of a turn
CENTRE = 2048  # where the shaft stands at 0 rad
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

# Winding figures of the STS3215 at its output shaft: Better Actuator Models, model M1, 7.4 V
STS3215 = Motor(
    torque_constant=1.2116, resistance=2.676, supply_voltage=7.4, duty_limit=MOST_DUTY, counts=COUNTS,
    rated_torque=3.25, loop_rate=LOOP_RATE, thermal_resistance=7.0, thermal_capacitance=30.0, over_temperature=70.0,
)  # fmt: skip
MODELS = {"sts3215": STS3215}

# error bits of a status packet and of the register `status`
VOLTAGE, SENSOR, TEMPERATURE, CURRENT, OVERLOAD = 1, 2, 4, 8, 32
ERRORS = {VOLTAGE: "voltage", SENSOR: "sensor", TEMPERATURE: "temperature", CURRENT: "current", OVERLOAD: "overload"}
