"""Dynamixel protocol 2.0 on a shared line: instructions, and the status packets that answer them."""

from __future__ import annotations

from collections.abc import Callable
from math import tau

from gearwright.hardware.device import SerialDevice, SerialLine
from gearwright.hardware.protocols import Protocol
from gearwright.hardware.protocols.dynamixel_packets import BROADCAST, Finder, Packet, fast_status, status
from gearwright.hardware.protocols.dynamixel_products import MODELS
from gearwright.hardware.protocols.dynamixel_servo import (
    CRC_ERROR,
    INSTRUCTION_ERROR,
    LENGTH_ERROR,
    RESULT_FAIL,
    DynamixelServo,
)

PING, READ, WRITE, REG_WRITE, ACTION, RESET, REBOOT, CLEAR, BACKUP = 1, 2, 3, 4, 5, 6, 8, 0x10, 0x20
SYNC_READ, SYNC_WRITE, BULK_READ, BULK_WRITE, FAST_SYNC_READ, FAST_BULK_READ = 0x82, 0x83, 0x92, 0x93, 0x8A, 0x9A
CLEAR_TURNS = b"\x01DXL\x22"
STORE, RESTORE = b"\x01CTRL", b"\x02CTRL"
KEEP_ID = (0x01, 0x02)  # options of a factory reset: everything but the id (and the baud rate)
PATIENCE = 0.1  # [s] after which a packet that has begun is given up

Asked = tuple[int, int, int]  # servo, address, length
Answer = tuple[int, bytes] | None  # error and data; None: no status packet


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little")


class DynamixelLine(SerialLine):
    """Finds packets, and gives them to the servos by id."""

    def __init__(self, devices: list[SerialDevice]) -> None:
        super().__init__(devices)
        self.servos = [d for d in devices if isinstance(d, DynamixelServo)]
        self._finder, self._begun = Finder(), 0.0
        self._each: dict[int, Callable[[DynamixelServo, bytes, bool, float], Answer]] = {
            PING: self._ping, READ: self._read, WRITE: self._write, REG_WRITE: self._reg_write, ACTION: self._action,
            RESET: self._reset, REBOOT: self._reboot, CLEAR: self._clear, BACKUP: self._backup,
        }  # fmt: skip
        self._groups: dict[int, Callable[[bytes, float], bytes]] = {
            SYNC_READ: self._sync_read, SYNC_WRITE: self._sync_write, BULK_READ: self._bulk_read,
            BULK_WRITE: self._bulk_write, FAST_SYNC_READ: self._fast_sync_read, FAST_BULK_READ: self._fast_bulk_read,
        }  # fmt: skip

    def clear(self) -> None:
        self._finder.clear()

    def on_bytes(self, data: bytes, t: float) -> bytes:
        if self._finder.waiting and t - self._begun > PATIENCE:
            self._finder.clear()
        self._begun = t
        answers = []
        for packet in self._finder.feed(data):
            answers.append(self._serve(packet, t))
            t = self.served(t)
        self.malformed = self._finder.malformed
        return b"".join(answers)

    def _serve(self, packet: Packet, t: float) -> bytes:
        servo, instruction, parameters, intact = packet
        if not intact:
            return b"".join([self._status(s, CRC_ERROR) for s in self._on_line() if s.node == servo])
        if instruction in self._groups:
            return self._groups[instruction](parameters, t)
        answers = []
        for s in self._on_line():
            if servo in (BROADCAST, s.node):
                node = s.node
                s.heard(t)
                answer = self._answer(s, instruction, parameters, servo == BROADCAST, t)
                if answer is not None and (servo != BROADCAST or instruction == PING):
                    answers.append(self._status(s, *answer, node=node))
        return b"".join(answers)

    def _answer(self, s: DynamixelServo, instruction: int, parameters: bytes, all_: bool, t: float) -> Answer:
        handle = self._each.get(instruction)
        if handle is None:
            s.malformed += 1
            return INSTRUCTION_ERROR, b""
        answer = handle(s, parameters, all_, t)
        level = s.table["status_level"]
        wanted = level == 2 or instruction == PING or (level == 1 and instruction == READ)
        return answer if wanted else None

    @staticmethod
    def _status(s: DynamixelServo, error: int, data: bytes = b"", node: int | None = None) -> bytes:
        s.answered += 1
        return status(s.node if node is None else node, error | s.alert, data)

    def _on_line(self) -> list[DynamixelServo]:
        return [s for s in self.servos if s.powered]

    # --- instructions -------------------------------------------------------------------------------------------

    def _ping(self, s: DynamixelServo, parameters: bytes, all_: bool, t: float) -> Answer:
        return 0, s.table["model"].to_bytes(2, "little") + bytes((s.table["firmware"],))

    def _read(self, s: DynamixelServo, parameters: bytes, all_: bool, t: float) -> Answer:
        if len(parameters) != 4:
            return LENGTH_ERROR, b""
        return s.read(_word(parameters, 0), _word(parameters, 2))

    def _write(self, s: DynamixelServo, parameters: bytes, all_: bool, t: float) -> Answer:
        if len(parameters) < 3:
            return LENGTH_ERROR, b""
        return s.write(_word(parameters, 0), parameters[2:], t), b""

    def _reg_write(self, s: DynamixelServo, parameters: bytes, all_: bool, t: float) -> Answer:
        if len(parameters) < 3:
            return LENGTH_ERROR, b""
        return s.keep(_word(parameters, 0), parameters[2:]), b""

    def _action(self, s: DynamixelServo, parameters: bytes, all_: bool, t: float) -> Answer:
        s.act(t)
        return 0, b""

    def _reset(self, s: DynamixelServo, parameters: bytes, all_: bool, t: float) -> Answer:
        keep = bool(parameters) and parameters[0] in KEEP_ID
        if all_ and not keep:  # all servos of a line would get the same id
            return None
        s.factory_reset(t, keep)
        return 0, b""

    def _reboot(self, s: DynamixelServo, parameters: bytes, all_: bool, t: float) -> Answer:
        s.power_on(t)
        return 0, b""

    def _clear(self, s: DynamixelServo, parameters: bytes, all_: bool, t: float) -> Answer:
        """The count of turns, of a servo that stands still."""
        if parameters != CLEAR_TURNS or s.turning:
            return RESULT_FAIL, b""
        s.reduce_to_one_turn()
        return 0, b""

    def _backup(self, s: DynamixelServo, parameters: bytes, all_: bool, t: float) -> Answer:
        if parameters not in (STORE, RESTORE) or s.table["torque_enable"]:
            return RESULT_FAIL, b""
        if parameters == STORE:
            s.store()
        else:
            s.restore(t)
        return 0, b""

    # --- groups -------------------------------------------------------------------------------------------------

    def _sync_read(self, parameters: bytes, t: float) -> bytes:
        return self._read_each(self._of_sync(parameters), t)

    def _bulk_read(self, parameters: bytes, t: float) -> bytes:
        return self._read_each(self._of_bulk(parameters), t)

    def _fast_sync_read(self, parameters: bytes, t: float) -> bytes:
        return self._read_fast(self._of_sync(parameters), t)

    def _fast_bulk_read(self, parameters: bytes, t: float) -> bytes:
        return self._read_fast(self._of_bulk(parameters), t)

    def _of_sync(self, parameters: bytes) -> list[Asked]:
        if len(parameters) < 5:
            self._finder.malformed += 1
            return []
        address, length = _word(parameters, 0), _word(parameters, 2)
        return [(i, address, length) for i in parameters[4:]]

    def _of_bulk(self, parameters: bytes) -> list[Asked]:
        if not parameters or len(parameters) % 5:
            self._finder.malformed += 1
            return []
        rows = range(0, len(parameters), 5)
        return [(parameters[k], _word(parameters, k + 1), _word(parameters, k + 3)) for k in rows]

    def _read_each(self, asked: list[Asked], t: float) -> bytes:
        by_id = {s.node: s for s in self._on_line()}
        answers = []
        for servo, address, length in asked:
            if servo in by_id and by_id[servo].table["status_level"]:
                by_id[servo].heard(t)
                answers.append(self._status(by_id[servo], *by_id[servo].read(address, length)))
        return b"".join(answers)

    def _read_fast(self, asked: list[Asked], t: float) -> bytes:
        """Each servo waits for the one before it: after one that is silent, the packet breaks off."""
        by_id, parts = {s.node: s for s in self._on_line()}, list[tuple[int, int, bytes]]()
        for servo, address, length in asked:
            s = by_id.get(servo)
            if s is None or not s.table["status_level"]:
                break
            s.heard(t)
            error, data = s.read(address, length)
            if error:
                s.malformed += 1
                break
            s.answered += 1
            parts.append((s.alert, servo, data))
        return fast_status(parts, sum(length + 4 for _, _, length in asked)) if parts else b""

    def _sync_write(self, parameters: bytes, t: float) -> bytes:
        length = _word(parameters, 2)
        if len(parameters) < 5 or not length or (len(parameters) - 4) % (length + 1):
            self._finder.malformed += 1
            return b""
        for k in range(4, len(parameters), length + 1):
            self._write_one(parameters[k], _word(parameters, 0), parameters[k + 1 : k + 1 + length], t)
        return b""

    def _bulk_write(self, parameters: bytes, t: float) -> bytes:
        k = 0
        while k + 5 < len(parameters):
            length = _word(parameters, k + 3)
            if not length or k + 5 + length > len(parameters):
                self._finder.malformed += 1
                break
            self._write_one(parameters[k], _word(parameters, k + 1), parameters[k + 5 : k + 5 + length], t)
            k += 5 + length
        return b""

    def _write_one(self, servo: int, address: int, data: bytes, t: float) -> None:
        for s in self._on_line():
            if s.node == servo:
                s.heard(t)
                s.write(address, data, t)
                return


PROTOCOL = Protocol(
    name="dynamixel",
    title="Dynamixel 2.0",
    geared=True,
    integral=True,
    turn=tau,
    in_counts=True,
    device=DynamixelServo,
    line=DynamixelLine,
    models=MODELS,
    nodes=range(253),
    baud=57600,
    client='dynamixel_sdk.PortHandler("{port}"), PacketHandler(2.0)',
)
