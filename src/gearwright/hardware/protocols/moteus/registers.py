"""Registers of a moteus controller: number, name and scale. One row per register, or a run of them that are alike.

A scale is the unit of int8, int16 and int32; None is a plain whole number.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

Scale: TypeAlias = tuple[float, float, float] | None

POSITION: Scale = (0.01, 1e-4, 1e-5)  # [turn]
VELOCITY: Scale = (0.1, 2.5e-4, 1e-5)  # [turn/s]
ACCELERATION: Scale = (0.05, 1e-3, 1e-5)  # [turn/s²]
TORQUE: Scale = (0.5, 0.01, 1e-3)  # [N·m]
CURRENT: Scale = (1.0, 0.1, 1e-3)  # [A]
VOLTAGE: Scale = (0.5, 0.1, 1e-3)  # [V]
TEMPERATURE: Scale = (1.0, 0.1, 1e-3)  # [°C]
TIME: Scale = (0.01, 1e-3, 1e-6)  # [s]
POWER: Scale = (10.0, 0.05, 1e-4)  # [W]
SHARE: Scale = (1 / 127, 1 / 32767, 1 / 2147483647)
WHOLE: Scale = None


class MoteusRegister(NamedTuple):
    number: int
    name: str
    scale: Scale
    writable: bool = False
    default: float = 0.0  # of a command register, when a mode is written


NAN = float("nan")
ROWS = (
    MoteusRegister(0x000, "mode", WHOLE, True),
    MoteusRegister(0x001, "position", POSITION),
    MoteusRegister(0x002, "velocity", VELOCITY),
    MoteusRegister(0x003, "torque", TORQUE),
    MoteusRegister(0x004, "q_current", CURRENT),
    MoteusRegister(0x005, "d_current", CURRENT),
    MoteusRegister(0x006, "abs_position", POSITION),
    MoteusRegister(0x007, "power", POWER),
    MoteusRegister(0x00A, "motor_temperature", TEMPERATURE),
    MoteusRegister(0x00B, "trajectory_complete", WHOLE),
    MoteusRegister(0x00C, "home_state", WHOLE),
    MoteusRegister(0x00D, "voltage", VOLTAGE),
    MoteusRegister(0x00E, "temperature", TEMPERATURE),
    MoteusRegister(0x00F, "fault", WHOLE),
    MoteusRegister(0x01C, "command_q_current", CURRENT, True),
    MoteusRegister(0x01D, "command_d_current", CURRENT, True),
    MoteusRegister(0x020, "command_position", POSITION, True),
    MoteusRegister(0x021, "command_velocity", VELOCITY, True),
    MoteusRegister(0x022, "command_feedforward_torque", TORQUE, True),
    MoteusRegister(0x023, "command_kp_scale", SHARE, True, 1.0),
    MoteusRegister(0x024, "command_kd_scale", SHARE, True, 1.0),
    MoteusRegister(0x025, "command_maximum_torque", TORQUE, True, NAN),
    MoteusRegister(0x026, "command_stop_position", POSITION, True, NAN),
    MoteusRegister(0x027, "command_timeout", TIME, True),
    MoteusRegister(0x028, "command_velocity_limit", VELOCITY, True, NAN),
    MoteusRegister(0x029, "command_accel_limit", ACCELERATION, True, NAN),
    MoteusRegister(0x02A, "command_fixed_voltage", VOLTAGE, True, NAN),
    MoteusRegister(0x02B, "command_ilimit_scale", SHARE, True, 1.0),
    MoteusRegister(0x02C, "command_fixed_current", CURRENT, True, NAN),
    MoteusRegister(0x02D, "command_ignore_position_bounds", WHOLE, True),
    MoteusRegister(0x038, "control_position", POSITION),
    MoteusRegister(0x039, "control_velocity", VELOCITY),
    MoteusRegister(0x03A, "control_torque", TORQUE),
    MoteusRegister(0x03B, "position_error", POSITION),
    MoteusRegister(0x03C, "velocity_error", VELOCITY),
    MoteusRegister(0x03D, "torque_error", TORQUE),
    MoteusRegister(0x040, "within_lower_bound", POSITION, True, NAN),
    MoteusRegister(0x041, "within_upper_bound", POSITION, True, NAN),
    MoteusRegister(0x042, "within_feedforward_torque", TORQUE, True),
    MoteusRegister(0x043, "within_kp_scale", SHARE, True, 1.0),
    MoteusRegister(0x044, "within_kd_scale", SHARE, True, 1.0),
    MoteusRegister(0x045, "within_maximum_torque", TORQUE, True, NAN),
    MoteusRegister(0x046, "within_timeout", TIME, True),
    MoteusRegister(0x047, "within_ilimit_scale", SHARE, True, 1.0),
    MoteusRegister(0x048, "within_ignore_position_bounds", WHOLE, True),
    *(MoteusRegister(0x050 + 2 * n, f"encoder_{n}_position", POSITION) for n in range(3)),
    *(MoteusRegister(0x051 + 2 * n, f"encoder_{n}_velocity", VELOCITY) for n in range(3)),
    MoteusRegister(0x058, "encoder_validity", WHOLE),
    MoteusRegister(0x070, "millisecond_counter", WHOLE),
    MoteusRegister(0x071, "clock_trim", WHOLE, True),
    MoteusRegister(0x100, "model_number", WHOLE),
    MoteusRegister(0x101, "firmware_version", WHOLE),
    MoteusRegister(0x102, "register_map_version", WHOLE),
    MoteusRegister(0x110, "multiplex_id", WHOLE, True),
    *(MoteusRegister(0x120 + n, f"serial_{n}", WHOLE) for n in range(3)),
    MoteusRegister(0x130, "set_output_nearest", POSITION, True),
    MoteusRegister(0x131, "set_output_exact", POSITION, True),
    MoteusRegister(0x132, "require_reindex", WHOLE, True),
    MoteusRegister(0x133, "recapture_position_velocity", WHOLE, True),
    MoteusRegister(0x140, "driver_fault_1", WHOLE),
    MoteusRegister(0x141, "driver_fault_2", WHOLE),
    *(MoteusRegister(0x150 + n, f"uuid_{n}", WHOLE) for n in range(4)),
    *(MoteusRegister(0x154 + n, f"uuid_mask_{n}", WHOLE, True) for n in range(4)),
    MoteusRegister(0x158, "uuid_mask_capable", WHOLE),
)

REGISTERS = {row.number: row for row in ROWS}
COMMANDS = tuple(row for row in ROWS if row.writable and 0x01C <= row.number <= 0x048)
