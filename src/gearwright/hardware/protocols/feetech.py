"""Feetech's servos on a shared line: instructions, and the status packets that answer them."""

from __future__ import annotations

from collections.abc import Callable
from math import tau

from gearwright.hardware.device import SerialDevice
from gearwright.hardware.protocols import Protocol
from gearwright.hardware.protocols import feetech_products as products
from gearwright.hardware.protocols.feetech_families import HlsServo, ScsServo
from gearwright.hardware.protocols.feetech_packets import BROADCAST, ChecksumLine, packet
from gearwright.hardware.protocols.feetech_servo import FeetechServo
from gearwright.hardware.protocols.feetech_table import LENGTH

PING, READ, WRITE, REG_WRITE, ACTION, RESET, REBOOT, BACKUP, CLEAR_TURNS, CALIBRATE = 1, 2, 3, 4, 5, 6, 8, 9, 10, 11
SYNC_READ, SYNC_WRITE = 0x82, 0x83


class FeetechLine(ChecksumLine):
    """Finds packets, and gives them to the servos by id."""

    def __init__(self, devices: list[SerialDevice]) -> None:
        super().__init__(devices)
        self.servos = [d for d in devices if isinstance(d, FeetechServo)]
        self._each: dict[int, Callable[[FeetechServo, bytes, bool, float], bytes]] = {
            PING: self._ping, READ: self._read, WRITE: self._write, REG_WRITE: self._reg_write, RESET: self._reset,
            REBOOT: self._reboot, BACKUP: self._backup, CLEAR_TURNS: self._clear_turns, CALIBRATE: self._calibrate,
        }  # fmt: skip

    # --- instructions -------------------------------------------------------------------------------------------

    def _serve(self, servo: int, instruction: int, parameters: bytes, t: float) -> bytes:
        if instruction == SYNC_READ:
            return self._sync_read(parameters, t)
        if instruction == SYNC_WRITE:
            return self._sync_write(parameters, t)
        if instruction == ACTION:
            for s in self._addressed(servo):
                s.act(t)
            return b""
        handle = self._each.get(instruction)
        if handle is None:
            self.malformed += 1
            return b""
        alone = servo != BROADCAST
        return b"".join([handle(s, parameters, alone, t) for s in self._addressed(servo)])

    @staticmethod
    def _status(s: FeetechServo, parameters: bytes = b"", node: int | None = None) -> bytes:
        s.answered += 1
        return packet(s.node if node is None else node, s.status, parameters)

    def _addressed(self, servo: int) -> list[FeetechServo]:
        return [s for s in self.servos if s.powered and servo in (BROADCAST, s.node)]

    def _ping(self, s: FeetechServo, parameters: bytes, alone: bool, t: float) -> bytes:
        return self._status(s)

    def _read(self, s: FeetechServo, parameters: bytes, alone: bool, t: float) -> bytes:
        if len(parameters) != 2 or not alone or not 0 < parameters[1] <= LENGTH:
            s.malformed += 1
            return b""
        return self._status(s, s.read(parameters[0], parameters[1]))

    def _write(self, s: FeetechServo, parameters: bytes, alone: bool, t: float) -> bytes:
        node = s.node
        if len(parameters) < 2:
            s.malformed += 1
            return b""
        s.write(parameters[0], parameters[1:], t)
        return self._status(s, node=node) if alone and s.answers else b""

    def _reg_write(self, s: FeetechServo, parameters: bytes, alone: bool, t: float) -> bytes:
        if len(parameters) < 2:
            s.malformed += 1
            return b""
        s.keep(parameters[0], parameters[1:])
        return self._status(s) if alone and s.answers else b""

    def _reset(self, s: FeetechServo, parameters: bytes, alone: bool, t: float) -> bytes:
        s.factory_reset(t)
        return self._status(s) if alone and s.answers else b""

    def _reboot(self, s: FeetechServo, parameters: bytes, alone: bool, t: float) -> bytes:
        s.power_on(t)
        return self._status(s) if alone and s.answers else b""

    def _backup(self, s: FeetechServo, parameters: bytes, alone: bool, t: float) -> bytes:
        s.backup()
        return self._status(s) if alone and s.answers else b""

    def _clear_turns(self, s: FeetechServo, parameters: bytes, alone: bool, t: float) -> bytes:
        """The count of turns, which is not kept here: positions of more than one turn begin at the joint's zero."""
        return self._status(s) if alone and s.answers else b""

    def _calibrate(self, s: FeetechServo, parameters: bytes, alone: bool, t: float) -> bytes:
        """Without a position it is the centre."""
        if len(parameters) not in (0, 2):
            s.malformed += 1
            return b""
        s.calibrate(int.from_bytes(parameters, s.order) if parameters else s.centre)
        return self._status(s) if alone and s.answers else b""

    def _sync_read(self, parameters: bytes, t: float) -> bytes:
        if len(parameters) < 3 or not 0 < parameters[1] <= LENGTH:
            self.malformed += 1
            return b""
        address, length = parameters[0], parameters[1]
        by_id = {s.node: s for s in self.servos if s.powered}
        asked = [by_id[i] for i in parameters[2:] if i in by_id]
        return b"".join([self._status(s, s.read(address, length)) for s in asked])

    def _sync_write(self, parameters: bytes, t: float) -> bytes:
        length = parameters[1] if len(parameters) > 1 else 0
        if not length or (len(parameters) - 2) % (length + 1):
            self.malformed += 1
            return b""
        by_id = {s.node: s for s in self.servos if s.powered}
        for k in range(2, len(parameters), length + 1):
            if parameters[k] in by_id:
                by_id[parameters[k]].write(parameters[0], parameters[k + 1 : k + 1 + length], t)
        return b""


__all__ = ["HLS", "PROTOCOL", "SCS", "FeetechLine", "packet"]

PROTOCOL = Protocol(
    name="feetech",
    title="Feetech STS/SMS",
    geared=True,
    integral=True,
    turn=tau,
    in_counts=True,
    device=FeetechServo,
    line=FeetechLine,
    models=products.STS,
    nodes=range(254),
    client='scservo_sdk.PortHandler("{port}"); LeRobot: --robot.type=so101_follower --robot.port={port}',
)
HLS = Protocol(
    name="feetech_hls",
    title="Feetech HLS",
    geared=True,
    integral=True,
    turn=tau,
    in_counts=True,
    device=HlsServo,
    line=FeetechLine,
    models=products.HLS,
    nodes=range(254),
    client='scservo_sdk.hls(scservo_sdk.PortHandler("{port}"))',
)
SCS = Protocol(
    name="feetech_scs",
    title="Feetech SCS",
    geared=True,
    turn=300 * tau / 360,
    in_counts=True,
    device=ScsServo,
    line=FeetechLine,
    models=products.SCS,
    nodes=range(254),
    client='scservo_sdk.scscl(scservo_sdk.PortHandler("{port}"))',
)
