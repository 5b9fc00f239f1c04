"""Damiao's drives: MIT frames, three more control modes, registers at id 0x7FF, and a refresh request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from struct import Struct
from typing import ClassVar

from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import STANDARD_IDS, Frame
from gearwright.hardware.protocols.loop_gains import default_gains
from gearwright.hardware.protocols.mit import codec
from gearwright.hardware.protocols.mit.damiao_registers import REGISTERS
from gearwright.hardware.protocols.mit.mini_cheetah import MitDrive
from gearwright.hardware.setpoints import Cascade, Torque

REGISTER_ID = 0x7FF
READ, WRITE, STORE, REFRESH = 0x33, 0x55, 0xAA, 0xCC
MIT, POS_VEL, VEL, FORCE_POS = 1, 2, 3, 4
MODES = {1: "MIT", 2: "POS_VEL", 3: "VEL", 4: "FORCE_POS"}
TIMEOUT_UNIT = 50e-6  # [s] of register 9
MASTER = 0x10  # answers come from the node's id plus this, as delivered
_POS_VEL, _VEL, _FORCE_POS = Struct("<ff"), Struct("<f"), Struct("<fHH")


class Damiao(MitDrive):
    """One drive. Its id, the id of its answers, ranges, mode and gains are registers."""

    over_temperature, under_voltage, lost = 0xC, 0x9, 0xD
    names: ClassVar[Mapping[int, str]] = {0xC: "ROTOR_OVER_TEMP", 0x9: "UNDER_VOLTAGE", 0xD: "LOST_COMM"}

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        self.registers: dict[int, float] = {n: row.default for n, row in REGISTERS.items()}
        super().__init__(drive, node, options)
        gains, m = default_gains(drive), self.ranges
        master = int(self.number_option("master", node + MASTER, high=STANDARD_IDS - 1))
        self.registers |= {
            1: drive.motor.torque_constant, 2: drive.motor.over_temperature, 7: master, 8: node,
            9: round(self.timeout / TIMEOUT_UNIT), 12: drive.load.inertia, 17: drive.motor.resistance,
            21: m.position_range, 22: m.velocity_range, 23: m.torque_range,
            25: gains.velocity, 26: gains.integral, 27: gains.position, 59: min(drive.motor.current_limit, 1e6),
        }  # fmt: skip

    @property
    def mode(self) -> str:
        return MODES[self.control_mode]

    @property
    def control_mode(self) -> int:
        return int(self.registers[10])

    @property
    def memory(self) -> dict[str, int | float | str]:
        kept = {REGISTERS[n].name: v for n, v in self.registers.items() if REGISTERS[n].writable}
        return {"zero": self.zero, **kept}

    @memory.setter
    def memory(self, values: Mapping[str, int | float | str]) -> None:
        self.zero = float(values.get("zero", self.zero))
        for number, row in REGISTERS.items():
            if row.writable and row.name in values:
                self._set(number, float(values[row.name]))

    def answer(self) -> Frame:
        now = self.drive.sample
        status = self.error or int(self.enabled)
        state = codec.pack_state(self.position, now.velocity, now.torque, self.ranges)
        heat = round(min(max(now.temperature, 0.0), 255.0))
        return Frame(int(self.registers[7]), bytes([self.node & 0xF | status << 4]) + state + bytes([heat, heat]))

    def on_frame(self, frame: Frame, t: float) -> list[Frame]:
        """An FD frame is answered with FD frames, at its bit rate."""
        if frame.extended or frame.remote:
            return []
        answers = self._answers(frame, t)
        return [a._replace(fd=True, bitrate_switch=frame.bitrate_switch) for a in answers] if frame.fd else answers

    def _answers(self, frame: Frame, t: float) -> list[Frame]:
        if frame.id == REGISTER_ID:
            return self._on_register(frame.data, t)
        offset = frame.id - self.node
        if offset not in (0, 0x100, 0x200, 0x300):
            return []
        return super().on_frame(Frame(self.node, self._as_eight(frame.data, offset)), t)

    def _as_eight(self, data: bytes, offset: int) -> bytes:
        """Velocity frames have four bytes; which mode they are meant for is their id's."""
        self._offset = offset
        return data + bytes(4) if offset == 0x200 and len(data) == 4 else data

    def _command(self, data: bytes) -> None:
        if self._offset != 0x100 * (self.control_mode - 1):
            return  # a drive ignores frames of other modes, but answers them
        if self.control_mode == MIT:
            super()._command(data)
            return
        if not self.enabled:
            return
        self.commanded = True
        if self.control_mode == POS_VEL:
            position, velocity = _POS_VEL.unpack(data)
            self._go(position, abs(velocity))
        elif self.control_mode == VEL:
            (velocity,) = _VEL.unpack_from(data)
            self._go(None, velocity)
        else:
            position, velocity, share = _FORCE_POS.unpack(data)
            self.drive.current_limit = (
                min(share * 1e-4, 1.0) * self.ranges.torque_range / self.drive.motor.torque_constant
            )
            self._go(position, velocity * 1e-2)

    def _go(self, position: float | None, velocity: float) -> None:
        if not isfinite(velocity) or (position is not None and not isfinite(position)):
            self.malformed += 1
            return
        r = self.registers
        fastest = min(velocity, r[6]) if position is not None else r[6]
        self.drive.write(
            Cascade(
                position=None if position is None else position + self.zero,
                velocity=0.0 if position is not None else velocity,
                position_gain=r[27],
                velocity_gain=r[25],
                integral_gain=r[26],
                velocity_limit=fastest,
            )
        )

    # --- registers --------------------------------------------------------------------------------------------

    def _on_register(self, data: bytes, t: float) -> list[Frame]:
        if len(data) < 3 or int.from_bytes(data[:2], "little") != self.node:
            return []
        self._heard = t
        request, number = data[2], data[3] if len(data) > 3 else 0
        if request == REFRESH:
            self._check(t)
            return [self.answer()]
        if request == STORE and len(data) >= 4:
            return [self._reply(STORE, 1, bytes(4))]
        if request == READ and number in REGISTERS and len(data) >= 4:
            return [self._reply(READ, number, self._packed(number))]
        if request == WRITE and number in REGISTERS and len(data) == 8:
            return self._write(number, data[4:])
        self.malformed += 1
        return []

    def _write(self, number: int, data: bytes) -> list[Frame]:
        row = REGISTERS[number]
        value = row.unpack(data) if row.writable else None
        if value is None:
            self.malformed += 1
        else:
            self.commanded = True
            self._set(number, value)
        return [self._reply(WRITE, number, self._packed(number))]

    def _set(self, number: int, value: float) -> None:
        self.registers[number] = value
        if number == 8:
            self.node = int(value)
        elif number == 9:
            self.timeout = value * TIMEOUT_UNIT
        elif number == 10:
            self.drive.current_limit = float("inf")
            if self.enabled:
                self.drive.write(Torque(0.0))
        elif number in (21, 22, 23):
            r = self.registers
            self.ranges = replace(self.ranges, position_range=r[21], velocity_range=r[22], torque_range=r[23])

    def _packed(self, number: int) -> bytes:
        now = self.drive.sample
        live = {60: now.voltage, 61: now.temperature, 62: now.temperature, 80: now.position, 81: self.position}
        return REGISTERS[number].pack(live.get(number, self.registers[number]))

    def _reply(self, request: int, number: int, data: bytes) -> Frame:
        return Frame(int(self.registers[7]), self.node.to_bytes(2, "little") + bytes([request, number]) + data)
