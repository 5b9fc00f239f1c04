"""The messages of CANSimple as a table, for DBC files."""

from __future__ import annotations

from gearwright.hardware.protocols.dbc import Kind, Message, Signal
from gearwright.hardware.protocols.odrive.axis import CONTROL_MODES, ERRORS, INPUT_MODES, STATES

_F: Kind = "float"
_STATES, _ERRORS = tuple(STATES.items()), tuple(ERRORS.items())
_POS, _VEL, _TORQUE = ("rev", "rev/s", "N·m")

# command, name, whether the drive sends it, signals
ROWS: tuple[tuple[int, str, bool, tuple[Signal, ...]], ...] = (
    (0x00, "Get_Version", True, tuple(Signal(f"Byte_{n}", 8 * n, 8) for n in range(8))),
    (0x01, "Heartbeat", True, (
        Signal("Axis_Error", 0, 32, values=_ERRORS), Signal("Axis_State", 32, 8, values=_STATES),
        Signal("Procedure_Result", 40, 8), Signal("Trajectory_Done_Flag", 48, 1))),
    (0x02, "Estop", False, ()),
    (0x03, "Get_Error", True, (
        Signal("Active_Errors", 0, 32, values=_ERRORS), Signal("Disarm_Reason", 32, 32, values=_ERRORS))),
    (0x06, "Address", False, (Signal("Node_ID", 0, 8), Signal("Serial_Number", 8, 48))),
    (0x07, "Set_Axis_State", False, (Signal("Axis_Requested_State", 0, 32, values=_STATES),)),
    (0x09, "Get_Encoder_Estimates", True, (
        Signal("Pos_Estimate", 0, 32, _F, unit=_POS), Signal("Vel_Estimate", 32, 32, _F, unit=_VEL))),
    (0x0B, "Set_Controller_Mode", False, (
        Signal("Control_Mode", 0, 32, values=tuple(CONTROL_MODES.items())),
        Signal("Input_Mode", 32, 32, values=tuple(INPUT_MODES.items())))),
    (0x0C, "Set_Input_Pos", False, (
        Signal("Input_Pos", 0, 32, _F, unit=_POS), Signal("Vel_FF", 32, 16, "signed", 1e-3, unit=_VEL),
        Signal("Torque_FF", 48, 16, "signed", 1e-3, unit=_TORQUE))),
    (0x0D, "Set_Input_Vel", False, (
        Signal("Input_Vel", 0, 32, _F, unit=_VEL), Signal("Input_Torque_FF", 32, 32, _F, unit=_TORQUE))),
    (0x0E, "Set_Input_Torque", False, (Signal("Input_Torque", 0, 32, _F, unit=_TORQUE),)),
    (0x0F, "Set_Limits", False, (
        Signal("Velocity_Limit", 0, 32, _F, unit=_VEL), Signal("Current_Limit", 32, 32, _F, unit="A"))),
    (0x11, "Set_Traj_Vel_Limit", False, (Signal("Traj_Vel_Limit", 0, 32, _F, unit=_VEL),)),
    (0x12, "Set_Traj_Accel_Limits", False, (
        Signal("Traj_Accel_Limit", 0, 32, _F, unit="rev/s²"), Signal("Traj_Decel_Limit", 32, 32, _F, unit="rev/s²"))),
    (0x13, "Set_Traj_Inertia", False, (Signal("Traj_Inertia", 0, 32, _F),)),
    (0x14, "Get_Iq", True, (Signal("Iq_Setpoint", 0, 32, _F, unit="A"), Signal("Iq_Measured", 32, 32, _F, unit="A"))),
    (0x15, "Get_Temperature", True, (
        Signal("FET_Temperature", 0, 32, _F, unit="°C"), Signal("Motor_Temperature", 32, 32, _F, unit="°C"))),
    (0x16, "Reboot", False, (Signal("Action", 0, 8),)),
    (0x17, "Get_Bus_Voltage_Current", True, (
        Signal("Bus_Voltage", 0, 32, _F, unit="V"), Signal("Bus_Current", 32, 32, _F, unit="A"))),
    (0x18, "Clear_Errors", False, (Signal("Identify", 0, 8),)),
    (0x19, "Set_Absolute_Position", False, (Signal("Position", 0, 32, _F, unit=_POS),)),
    (0x1A, "Set_Pos_Gain", False, (Signal("Pos_Gain", 0, 32, _F),)),
    (0x1B, "Set_Vel_Gains", False, (Signal("Vel_Gain", 0, 32, _F), Signal("Vel_Integrator_Gain", 32, 32, _F))),
    (0x1C, "Get_Torques", True, (
        Signal("Torque_Target", 0, 32, _F, unit=_TORQUE), Signal("Torque_Estimate", 32, 32, _F, unit=_TORQUE))),
    (0x1D, "Get_Powers", True, (
        Signal("Electrical_Power", 0, 32, _F, unit="W"), Signal("Mechanical_Power", 32, 32, _F, unit="W"))),
)  # fmt: skip


def messages(node: int) -> list[Message]:
    return [
        Message(node << 5 | command, f"Axis{node}_{name}", 8, f"ODrive_Axis{node}" if sends else "Master", signals)
        for command, name, sends, signals in ROWS
    ]
