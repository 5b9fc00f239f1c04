"""Control table of the Dynamixel X series, from ROBOTIS' e-manual."""

from __future__ import annotations

from gearwright.hardware.protocols.registers import EEPROM, RAM, READ_ONLY, Register

INDIRECT = 28  # bytes of a block that can be found at other addresses
BLOCKS = ((168, 224), (578, 634))  # addresses and data of the blocks
COUNTS, CENTRE = 4096, 2048
MOST_PWM = 885  # of the register: all of the supply
VELOCITY_UNIT = 0.229 * 6.283185307179586 / 60  # [rad/s]
ACCELERATION_UNIT = 214.577 * 6.283185307179586 / 3600  # [rad/s²]
LOOP_RATE = 1000.0  # [Hz]

_COMMON = (
    Register("model", 0, 2, READ_ONLY, 1020),
    Register("model_information", 2, 4, READ_ONLY),
    Register("firmware", 6, 1, READ_ONLY, 46),
    Register("id", 7, 1, EEPROM, 1, 0, 252),
    Register("baud", 8, 1, EEPROM, 3, 0, 7),
    Register("return_delay", 9, 1, EEPROM, 250, 0, 254),
    Register("drive_mode", 10, 1, EEPROM, 0, 0, 13),
    Register("operating_mode", 11, 1, EEPROM, 3, 0, 16),
    Register("secondary_id", 12, 1, EEPROM, 255),
    Register("protocol_type", 13, 1, EEPROM, 2, 1, 2),
    Register("homing_offset", 20, 4, EEPROM),
    Register("moving_threshold", 24, 4, EEPROM, 10, 0, 1023),
    Register("temperature_limit", 31, 1, EEPROM, 80, 0, 100),
    Register("max_voltage", 32, 2, EEPROM, 160, 95, 160),
    Register("min_voltage", 34, 2, EEPROM, 95, 95, 160),
    Register("pwm_limit", 36, 2, EEPROM, 885, 0, 885),
    Register("current_limit", 38, 2, EEPROM, 1193, 0, 1193),
    Register("velocity_limit", 44, 4, EEPROM, 200, 0, 1023),
    Register("max_position", 48, 4, EEPROM, 4095, 0, 4095),
    Register("min_position", 52, 4, EEPROM, 0, 0, 4095),
    Register("startup", 60, 1, EEPROM, 0, 0, 3),
    Register("shutdown", 63, 1, EEPROM, 52),
    Register("torque_enable", 64, 1, RAM, 0, 0, 1),
    Register("led", 65, 1, RAM, 0, 0, 1),
    Register("status_level", 68, 1, RAM, 2, 0, 2),
    Register("registered", 69, 1, READ_ONLY),
    Register("hardware_error", 70, 1, READ_ONLY),
    Register("velocity_i", 76, 2, RAM, 1920, 0, 16383),
    Register("velocity_p", 78, 2, RAM, 100, 0, 16383),
    Register("position_d", 80, 2, RAM, 0, 0, 16383),
    Register("position_i", 82, 2, RAM, 0, 0, 16383),
    Register("position_p", 84, 2, RAM, 800, 0, 16383),
    Register("feedforward_2", 88, 2, RAM, 0, 0, 16383),
    Register("feedforward_1", 90, 2, RAM, 0, 0, 16383),
    Register("bus_watchdog", 98, 1, RAM),
    Register("goal_pwm", 100, 2, RAM, 885),
    Register("goal_current", 102, 2, RAM, 1193),
    Register("goal_velocity", 104, 4, RAM),
    Register("profile_acceleration", 108, 4, RAM, 0, 0, 32767),
    Register("profile_velocity", 112, 4, RAM, 0, 0, 32767),
    Register("goal_position", 116, 4, RAM, CENTRE),
    Register("realtime_tick", 120, 2, READ_ONLY),
    Register("moving", 122, 1, READ_ONLY),
    Register("moving_status", 123, 1, READ_ONLY),
    Register("present_pwm", 124, 2, READ_ONLY),
    Register("present_current", 126, 2, READ_ONLY),
    Register("present_velocity", 128, 4, READ_ONLY),
    Register("present_position", 132, 4, READ_ONLY),
    Register("velocity_trajectory", 136, 4, READ_ONLY),
    Register("position_trajectory", 140, 4, READ_ONLY),
    Register("present_voltage", 144, 2, READ_ONLY),
    Register("present_temperature", 146, 1, READ_ONLY),
    Register("backup_ready", 147, 1, READ_ONLY),
)


def indirect(block: int) -> tuple[Register, ...]:
    """28 addresses, and the data that stand for what is there."""
    at, data = BLOCKS[block]
    first = block * INDIRECT + 1
    return (
        *(Register(f"indirect_address_{first + k}", at + 2 * k, 2, RAM, data + k) for k in range(INDIRECT)),
        *(Register(f"indirect_data_{first + k}", data + k, 1, RAM) for k in range(INDIRECT)),
    )


SMALL: tuple[Register, ...] = (*_COMMON, *indirect(0))  # of the 330 sizes
TABLE: tuple[Register, ...] = (*SMALL, *indirect(1))

# bits of `drive_mode` and `startup`
REVERSED, TIME_BASED, GOAL_ENABLES = 1, 4, 8
STARTUP_TORQUE, STARTUP_RESTORE = 1, 2
# what a backup holds beside the EEPROM
BACKED_UP = frozenset({
    "velocity_i", "velocity_p", "position_d", "position_i", "position_p", "feedforward_2", "feedforward_1",
    "profile_acceleration", "profile_velocity",
} | {f"indirect_address_{k + 1}" for k in range(2 * INDIRECT)})  # fmt: skip

# bits of `hardware_error`
VOLTAGE, OVERHEATING, ENCODER, OVERLOAD = 1, 4, 8, 32
ERRORS = {VOLTAGE: "input voltage", OVERHEATING: "overheating", ENCODER: "encoder", OVERLOAD: "overload"}
