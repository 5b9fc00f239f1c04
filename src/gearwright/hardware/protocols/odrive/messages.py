"""The messages of CANSimple as a table, for DBC files."""

from __future__ import annotations

from gearwright.hardware.protocols.dbc import DbcSignal, Kind, Message
from gearwright.hardware.protocols.odrive.axis import CONTROL_MODES, ERRORS, INPUT_MODES, STATES

_F: Kind = "float"
_STATES, _ERRORS = tuple(STATES.items()), tuple(ERRORS.items())
_POS, _VEL, _TORQUE = ("rev", "rev/s", "N·m")

# command, name, whether the drive sends it, signals
ROWS: tuple[tuple[int, str, bool, tuple[DbcSignal, ...]], ...] = (
    (0x00, "Get_Version", True, tuple(DbcSignal(f"Byte_{n}", 8 * n, 8) for n in range(8))),
    (0x01, "Heartbeat", True, (
        DbcSignal("Axis_Error", 0, 32, values=_ERRORS), DbcSignal("Axis_State", 32, 8, values=_STATES),
        DbcSignal("Procedure_Result", 40, 8), DbcSignal("Trajectory_Done_Flag", 48, 1))),
    (0x02, "Estop", False, ()),
    (0x03, "Get_Error", True, (
        DbcSignal("Active_Errors", 0, 32, values=_ERRORS), DbcSignal("Disarm_Reason", 32, 32, values=_ERRORS))),
    (0x06, "Address", False, (DbcSignal("Node_ID", 0, 8), DbcSignal("Serial_Number", 8, 48))),
    (0x07, "Set_Axis_State", False, (DbcSignal("Axis_Requested_State", 0, 32, values=_STATES),)),
    (0x09, "Get_Encoder_Estimates", True, (
        DbcSignal("Pos_Estimate", 0, 32, _F, unit=_POS), DbcSignal("Vel_Estimate", 32, 32, _F, unit=_VEL))),
    (0x0B, "Set_Controller_Mode", False, (
        DbcSignal("Control_Mode", 0, 32, values=tuple(CONTROL_MODES.items())),
        DbcSignal("Input_Mode", 32, 32, values=tuple(INPUT_MODES.items())))),
    (0x0C, "Set_Input_Pos", False, (
        DbcSignal("Input_Pos", 0, 32, _F, unit=_POS), DbcSignal("Vel_FF", 32, 16, "signed", 1e-3, unit=_VEL),
        DbcSignal("Torque_FF", 48, 16, "signed", 1e-3, unit=_TORQUE))),
    (0x0D, "Set_Input_Vel", False, (
        DbcSignal("Input_Vel", 0, 32, _F, unit=_VEL), DbcSignal("Input_Torque_FF", 32, 32, _F, unit=_TORQUE))),
    (0x0E, "Set_Input_Torque", False, (DbcSignal("Input_Torque", 0, 32, _F, unit=_TORQUE),)),
    (0x0F, "Set_Limits", False, (
        DbcSignal("Velocity_Limit", 0, 32, _F, unit=_VEL), DbcSignal("Current_Limit", 32, 32, _F, unit="A"))),
    (0x11, "Set_Traj_Vel_Limit", False, (DbcSignal("Traj_Vel_Limit", 0, 32, _F, unit=_VEL),)),
    (0x12, "Set_Traj_Accel_Limits", False, (
        DbcSignal("Traj_Accel_Limit", 0, 32, _F, unit="rev/s²"),
        DbcSignal("Traj_Decel_Limit", 32, 32, _F, unit="rev/s²"))),
    (0x13, "Set_Traj_Inertia", False, (DbcSignal("Traj_Inertia", 0, 32, _F),)),
    (0x14, "Get_Iq", True, (
        DbcSignal("Iq_Setpoint", 0, 32, _F, unit="A"), DbcSignal("Iq_Measured", 32, 32, _F, unit="A"))),
    (0x15, "Get_Temperature", True, (
        DbcSignal("FET_Temperature", 0, 32, _F, unit="°C"), DbcSignal("Motor_Temperature", 32, 32, _F, unit="°C"))),
    (0x16, "Reboot", False, (DbcSignal("Action", 0, 8),)),
    (0x17, "Get_Bus_Voltage_Current", True, (
        DbcSignal("Bus_Voltage", 0, 32, _F, unit="V"), DbcSignal("Bus_Current", 32, 32, _F, unit="A"))),
    (0x18, "Clear_Errors", False, (DbcSignal("Identify", 0, 8),)),
    (0x19, "Set_Absolute_Position", False, (DbcSignal("Position", 0, 32, _F, unit=_POS),)),
    (0x1A, "Set_Pos_Gain", False, (DbcSignal("Pos_Gain", 0, 32, _F),)),
    (0x1B, "Set_Vel_Gains", False, (DbcSignal("Vel_Gain", 0, 32, _F), DbcSignal("Vel_Integrator_Gain", 32, 32, _F))),
    (0x1C, "Get_Torques", True, (
        DbcSignal("Torque_Target", 0, 32, _F, unit=_TORQUE), DbcSignal("Torque_Estimate", 32, 32, _F, unit=_TORQUE))),
    (0x1D, "Get_Powers", True, (
        DbcSignal("Electrical_Power", 0, 32, _F, unit="W"), DbcSignal("Mechanical_Power", 32, 32, _F, unit="W"))),
)  # fmt: skip


def messages(node: int) -> list[Message]:
    return [
        Message(node << 5 | command, f"Axis{node}_{name}", 8, f"ODrive_Axis{node}" if sends else "Master", signals)
        for command, name, sends, signals in ROWS
    ]
