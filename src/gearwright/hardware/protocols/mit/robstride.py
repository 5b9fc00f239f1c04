"""RobStride's private protocol: extended ids of type, data and address; MIT-style control and parameters.

The id is type (5 bits), data (16 bits), address (8 bits). Control frames carry their torque in the id.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isfinite
from struct import Struct

from gearwright.hardware.device import CanDevice
from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols.loop_gains import default_gains
from gearwright.hardware.protocols.mit.codec import to_float, to_whole
from gearwright.hardware.protocols.mit.products import MitMotor
from gearwright.hardware.setpoints import COAST, Cascade, Current, Impedance, Setpoint

GET_ID, CONTROL, FEEDBACK, ENABLE, STOP, ZERO, SET_ID, READ, WRITE, FAULT = 0, 1, 2, 3, 4, 6, 7, 17, 18, 21
OPERATION, POSITION, VELOCITY, CURRENT, CYCLIC_POSITION = 0, 1, 2, 3, 5
MODES = {0: "operation", 1: "position", 2: "velocity", 3: "current", 5: "cyclic position"}
FAULTS = {0x01: "under-voltage", 0x04: "over-temperature"}
UNDER_VOLTAGE, OVER_TEMPERATURE = FAULTS
TICK, TIMEOUT_UNIT = 1e-3, 50e-6  # [s]
_FLOAT, _FOUR = Struct("<f"), Struct(">HHHH")

RUN_MODE, IQ_REF, SPD_REF, LIMIT_TORQUE, LOC_REF, LIMIT_SPD, LIMIT_CUR = (
    0x7005, 0x7006, 0x700A, 0x700B, 0x7016, 0x7017, 0x7018,
)  # fmt: skip
MECH_POS, IQF, MECH_VEL, VBUS, LOC_KP, SPD_KP, SPD_KI, CAN_TIMEOUT = (
    0x7019, 0x701A, 0x701B, 0x701C, 0x701E, 0x701F, 0x7020, 0x7028,
)  # fmt: skip
READ_ONLY = frozenset({MECH_POS, IQF, MECH_VEL, VBUS})
WHOLE = {RUN_MODE: Struct("<B3x"), CAN_TIMEOUT: Struct("<I")}


class RobStride(CanDevice):
    """One drive."""

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options)
        self.ranges = drive.motor if isinstance(drive.motor, MitMotor) else MitMotor()
        self.zero = 0.0
        self.power_on(0.0)

    def power_on(self, t: float) -> None:
        gains, m = default_gains(self.drive), self.ranges
        self.enabled, self.fault = False, 0
        self.parameters: dict[int, float] = {
            RUN_MODE: OPERATION, IQ_REF: 0.0, SPD_REF: 0.0, LIMIT_TORQUE: m.torque_range, LOC_REF: 0.0,
            LIMIT_SPD: m.velocity_range, LIMIT_CUR: min(m.current_limit, 1e6), MECH_POS: 0.0, IQF: 0.0, MECH_VEL: 0.0,
            VBUS: 0.0, LOC_KP: gains.position, SPD_KP: gains.velocity, SPD_KI: gains.integral,
            CAN_TIMEOUT: round(self.number_option("timeout", 0.0) / TIMEOUT_UNIT),
        }  # fmt: skip
        self._heard = self._tick_due = t
        self._host = 0xFD
        self.drive.write(COAST)

    @property
    def state(self) -> str:
        return "fault" if self.fault else "run" if self.enabled else "reset"

    @property
    def mode(self) -> str:
        return MODES[int(self.parameters[RUN_MODE])]

    @property
    def errors(self) -> tuple[str, ...]:
        return tuple(name for bit, name in FAULTS.items() if self.fault & bit)

    @property
    def memory(self) -> dict[str, int | float | str]:
        return {"node": self.node, "zero": self.zero}

    @memory.setter
    def memory(self, values: Mapping[str, int | float | str]) -> None:
        self.node, self.zero = int(values.get("node", self.node)), float(values.get("zero", self.zero))

    # --- the bus ----------------------------------------------------------------------------------------------

    def on_frame(self, frame: Frame, t: float) -> list[Frame]:
        if not frame.extended or frame.remote or frame.fd or frame.id & 0xFF != self.node:
            return []
        if len(frame.data) != 8:
            self.malformed += 1
            return []
        kind, field = frame.id >> 24 & 0x1F, frame.id >> 8 & 0xFFFF
        self._heard = t
        self._check(t)
        if kind == GET_ID:
            return [Frame(GET_ID << 24 | self.node << 8 | 0xFE, self.node.to_bytes(8, "little"), extended=True)]
        if kind == CONTROL:
            self._control(field, frame.data)
            return [self._feedback()]
        self._host = field & 0xFF
        if kind in (READ, WRITE):
            return self._parameter(kind, frame.data)
        return self._request(kind, field, frame.data)

    def _request(self, kind: int, field: int, data: bytes) -> list[Frame]:
        if kind == ENABLE:
            if not self.fault and not self.enabled:
                self.enabled = True
                self._follow()
        elif kind == STOP:
            self._stop()
            if data[0] == 1:
                self.fault = self._cause()
        elif kind == ZERO and data[0] == 1:
            self.zero = self.drive.sample.position
        elif kind == SET_ID and 0 < field >> 8 < 128:
            self.node = field >> 8
        else:
            self.malformed += 1
            return []
        self.commanded = True
        return [self._feedback()]

    def _control(self, torque: int, data: bytes) -> None:
        self.commanded = True
        if not self.enabled or self.parameters[RUN_MODE] != OPERATION:
            return
        m, (p, v, kp, kd) = self.ranges, _FOUR.unpack(data)
        self.drive.write(
            Impedance(
                to_float(p, -m.position_range, m.position_range, 16) + self.zero,
                to_float(v, -m.velocity_range, m.velocity_range, 16),
                to_float(kp, 0.0, m.kp_range, 16),
                to_float(kd, 0.0, m.kd_range, 16),
                to_float(torque, -m.torque_range, m.torque_range, 16),
            )
        )

    def _feedback(self) -> Frame:
        now, m = self.drive.sample, self.ranges
        data = _FOUR.pack(
            to_whole(now.position - self.zero, -m.position_range, m.position_range, 16),
            to_whole(now.velocity, -m.velocity_range, m.velocity_range, 16),
            to_whole(now.torque, -m.torque_range, m.torque_range, 16),
            round(min(max(now.temperature, 0.0), 6500.0) * 10.0),
        )
        mode = 2 if self.enabled else 0
        return Frame(FEEDBACK << 24 | mode << 22 | self.fault << 16 | self.node << 8 | self._host, data, extended=True)

    # --- parameters -------------------------------------------------------------------------------------------

    def _parameter(self, kind: int, data: bytes) -> list[Frame]:
        index = int.from_bytes(data[:2], "little")
        if index not in self.parameters or (kind == WRITE and index in READ_ONLY):
            self.malformed += 1
            return [] if kind == WRITE else [self._value(index, bytes(4), failed=True)]
        if kind == READ:
            return [self._value(index, self._packed(index))]
        (value,) = WHOLE.get(index, _FLOAT).unpack(data[4:])
        if not isfinite(value) or (index == RUN_MODE and value not in MODES):
            self.malformed += 1
            return []
        self.commanded = True
        self.parameters[index] = float(value)
        if index == RUN_MODE:  # a new loop starts from where the shaft is
            self.parameters |= {LOC_REF: self.drive.sample.position - self.zero, SPD_REF: 0.0, IQ_REF: 0.0}
        self._follow()
        return [self._feedback()]

    def _packed(self, index: int) -> bytes:
        now = self.drive.sample
        live = {MECH_POS: now.position - self.zero, MECH_VEL: now.velocity, VBUS: now.voltage, IQF: now.current}
        value = live.get(index, self.parameters[index])
        return WHOLE[index].pack(int(value)) if index in WHOLE else _FLOAT.pack(min(max(value, -3.4e38), 3.4e38))

    def _value(self, index: int, data: bytes, *, failed: bool = False) -> Frame:
        name = READ << 24 | failed << 16 | self.node << 8 | self._host
        return Frame(name, index.to_bytes(2, "little") + bytes(2) + data, extended=True)

    def _follow(self) -> None:
        """Hands the setpoint of the mode to the drive."""
        p = self.parameters
        self.drive.current_limit = max(min(p[LIMIT_CUR], p[LIMIT_TORQUE] / self.drive.motor.torque_constant), 0.0)
        if self.enabled:
            self.drive.write(self._setpoint())

    def _setpoint(self) -> Setpoint:
        p, mode = self.parameters, self.parameters[RUN_MODE]
        if mode == OPERATION:
            return Impedance()
        if mode == CURRENT:
            return Current(p[IQ_REF])
        return Cascade(
            position=None if mode == VELOCITY else p[LOC_REF] + self.zero,
            velocity=p[SPD_REF] if mode == VELOCITY else 0.0,
            position_gain=p[LOC_KP], velocity_gain=p[SPD_KP], integral_gain=p[SPD_KI],
            velocity_limit=inf if mode == VELOCITY else abs(p[LIMIT_SPD]),
        )  # fmt: skip

    # --- time -------------------------------------------------------------------------------------------------

    def on_time(self, t: float) -> list[Frame]:
        self._tick_due = t + TICK
        before = self.fault
        self._check(t)
        if self.fault == before:
            return []
        data = self.fault.to_bytes(4, "little") + bytes(4)
        return [Frame(FAULT << 24 | self.node << 8 | self._host, data, extended=True)]

    def next_time(self) -> float:
        return self._tick_due if self.enabled else inf

    def _cause(self) -> int:
        return UNDER_VOLTAGE * self.drive.starved | OVER_TEMPERATURE * self.drive.hot

    def _check(self, t: float) -> None:
        self.fault |= self._cause()
        timeout = self.parameters[CAN_TIMEOUT] * TIMEOUT_UNIT
        if self.enabled and (self.fault or (timeout and t - self._heard > timeout)):
            self._stop()

    def _stop(self) -> None:
        self.enabled = False
        self.drive.write(COAST)
