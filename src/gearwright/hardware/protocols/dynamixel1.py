"""Dynamixel protocol 1.0: AX and MX servos on a shared line."""

from __future__ import annotations

from collections.abc import Callable
from math import tau

from gearwright.hardware.device import SerialDevice
from gearwright.hardware.protocols import Protocol
from gearwright.hardware.protocols.dynamixel1_servo import (
    CHECKSUM_ERROR,
    INSTRUCTION_ERROR,
    RANGE_ERROR,
    Dynamixel1Servo,
)
from gearwright.hardware.protocols.dynamixel1_table import MODELS
from gearwright.hardware.protocols.feetech_packets import BROADCAST, ChecksumLine, packet

PING, READ, WRITE, REG_WRITE, ACTION, RESET, REBOOT, SYNC_WRITE, BULK_READ = 1, 2, 3, 4, 5, 6, 8, 0x83, 0x92

Answer = tuple[int, bytes]  # errors, and data


class Dynamixel1Line(ChecksumLine):
    """Gives packets to the servos by id."""

    def __init__(self, devices: list[SerialDevice]) -> None:
        super().__init__(devices)
        self.servos = [d for d in devices if isinstance(d, Dynamixel1Servo)]
        self._each: dict[int, Callable[[Dynamixel1Servo, bytes, float], Answer]] = {
            PING: self._ping, READ: self._read, WRITE: self._write, REG_WRITE: self._reg_write,
            ACTION: self._action, RESET: self._reset, REBOOT: self._reboot,
        }  # fmt: skip

    def _serve(self, servo: int, instruction: int, parameters: bytes, t: float) -> bytes:
        if instruction == SYNC_WRITE:
            return self._sync_write(parameters, t)
        if instruction == BULK_READ:
            return self._bulk_read(parameters, t)
        handle = self._each.get(instruction, self._unknown)
        answers = []
        for s in self._addressed(servo):
            node, level = s.node, s.table["status_level"]
            errors, data = handle(s, parameters, t)
            s.malformed += bool(errors)
            wanted = level == 2 or instruction == PING or (level == 1 and instruction == READ)
            if wanted and (servo != BROADCAST or instruction == PING):
                answers.append(self._status(s, errors, data, node))
        return b"".join(answers)

    def _broken(self, servo: int) -> bytes:
        return b"".join(
            [self._status(s, CHECKSUM_ERROR, b"", s.node) for s in self._addressed(servo) if servo == s.node]
        )

    @staticmethod
    def _status(s: Dynamixel1Servo, errors: int, data: bytes, node: int) -> bytes:
        s.answered += 1
        return packet(node, errors | s.errors_now, data)

    def _addressed(self, servo: int) -> list[Dynamixel1Servo]:
        return [s for s in self.servos if s.powered and servo in (BROADCAST, s.node)]

    def _ping(self, s: Dynamixel1Servo, parameters: bytes, t: float) -> Answer:
        return 0, b""

    def _unknown(self, s: Dynamixel1Servo, parameters: bytes, t: float) -> Answer:
        return INSTRUCTION_ERROR, b""

    def _read(self, s: Dynamixel1Servo, parameters: bytes, t: float) -> Answer:
        if len(parameters) != 2:
            return INSTRUCTION_ERROR, b""
        return s.read(parameters[0], parameters[1])

    def _write(self, s: Dynamixel1Servo, parameters: bytes, t: float) -> Answer:
        return (s.write(parameters[0], parameters[1:]) if len(parameters) > 1 else RANGE_ERROR), b""

    def _reg_write(self, s: Dynamixel1Servo, parameters: bytes, t: float) -> Answer:
        if len(parameters) < 2:
            return RANGE_ERROR, b""
        s.kept = (parameters[0], parameters[1:])
        return 0, b""

    def _action(self, s: Dynamixel1Servo, parameters: bytes, t: float) -> Answer:
        if s.kept is None:
            return INSTRUCTION_ERROR, b""
        kept, s.kept = s.kept, None
        return s.write(*kept), b""

    def _reset(self, s: Dynamixel1Servo, parameters: bytes, t: float) -> Answer:
        s.factory_reset(t)
        return 0, b""

    def _reboot(self, s: Dynamixel1Servo, parameters: bytes, t: float) -> Answer:
        s.power_on(t)
        return 0, b""

    def _sync_write(self, parameters: bytes, t: float) -> bytes:
        length = parameters[1] if len(parameters) > 1 else 0
        if not length or (len(parameters) - 2) % (length + 1):
            self.malformed += 1
            return b""
        for k in range(2, len(parameters), length + 1):
            for s in self._addressed(parameters[k]):
                s.malformed += bool(s.write(parameters[0], parameters[k + 1 : k + 1 + length]))
        return b""

    def _bulk_read(self, parameters: bytes, t: float) -> bytes:
        """After a 0, the length, id and address of each."""
        if len(parameters) < 4 or (len(parameters) - 1) % 3:
            self.malformed += 1
            return b""
        by_id, answers = {s.node: s for s in self.servos if s.powered}, []
        for k in range(1, len(parameters), 3):
            length, servo, address = parameters[k : k + 3]
            if servo in by_id:
                answers.append(self._status(by_id[servo], *by_id[servo].read(address, length), servo))
        return b"".join(answers)


PROTOCOL = Protocol(
    name="dynamixel1",
    title="Dynamixel 1.0",
    geared=True,
    turn=tau,
    in_counts=True,
    device=Dynamixel1Servo,
    line=Dynamixel1Line,
    models=MODELS,
    nodes=range(253),
    client='dynamixel_sdk.PortHandler("{port}"), PacketHandler(1.0)',
)
