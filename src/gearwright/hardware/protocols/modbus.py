"""Modbus RTU: requests `unit function … CRC` on a shared line, and their answers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from gearwright.hardware.device import SerialDevice, SerialLine

READ_HOLDING, READ_INPUT, WRITE_ONE, WRITE_MANY, READ_WRITE = 3, 4, 6, 16, 23
ILLEGAL_FUNCTION, ILLEGAL_ADDRESS, ILLEGAL_VALUE = 1, 2, 3
EXCEPTION = 0x80
PATIENCE = 0.05  # [s] after which a request that has begun is given up
MOST_REGISTERS = 125
_HEADS = {READ_WRITE: 11, WRITE_MANY: 7}  # bytes before the data, whose number is the last of them


def crc16(data: bytes) -> int:
    """CRC-16 of polynomial 0xA001, least significant bit first, from 0xFFFF."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xA001 if crc & 1 else 0)
    return crc


def framed(body: bytes) -> bytes:
    return body + crc16(body).to_bytes(2, "little")


class ModbusDevice(SerialDevice):
    """Registers of 16 bits behind a unit's number."""

    @abstractmethod
    def read_registers(self, address: int, count: int) -> list[int] | None:
        """Their values; None where there are none."""

    @abstractmethod
    def write_registers(self, address: int, values: Sequence[int], t: float) -> bool:
        """Whether they are there."""


class ModbusLine(SerialLine):
    """Finds requests by their function's length and their CRC; other bytes are skipped."""

    def __init__(self, devices: list[SerialDevice]) -> None:
        super().__init__(devices)
        self.units = [d for d in devices if isinstance(d, ModbusDevice)]

    def on_bytes(self, data: bytes, t: float) -> bytes:
        buffer, at, answers = self._joined(data, t, PATIENCE), 0, []
        while len(buffer) - at >= 8:
            size = _length(buffer, at)
            if size is None:
                self.malformed += 1
                at += 1
                continue
            if len(buffer) - at < size:
                break
            body = buffer[at : at + size - 2]
            if crc16(body) != int.from_bytes(buffer[at + size - 2 : at + size], "little"):
                self.malformed += 1
                at += 1
                continue
            answers.append(self._serve(body, t))
            t = self.served(t)
            at += size
        self._buffer, self._begun = buffer[at:], t
        return b"".join(answers)

    def _serve(self, body: bytes, t: float) -> bytes:
        answers = []
        for unit in self.units:
            if unit.drive.powered and body[0] in (0, unit.node):
                answer = self._answer(unit, body, t)
                if body[0]:  # 0 speaks to all, and none answers
                    unit.answered += 1
                    answers.append(framed(answer))
        return b"".join(answers)

    def _answer(self, unit: ModbusDevice, body: bytes, t: float) -> bytes:
        function, address = body[1], _word(body, 2)
        if function == WRITE_ONE:
            return body if unit.write_registers(address, [_word(body, 4)], t) else _refused(unit, body, ILLEGAL_ADDRESS)
        if function == WRITE_MANY:
            values = _words(body[7:])
            if len(values) != _word(body, 4):
                return _refused(unit, body, ILLEGAL_VALUE)
            return body[:6] if unit.write_registers(address, values, t) else _refused(unit, body, ILLEGAL_ADDRESS)
        if function == READ_WRITE and not unit.write_registers(_word(body, 6), _words(body[11:]), t):
            return _refused(unit, body, ILLEGAL_ADDRESS)
        count = _word(body, 4)
        if not 0 < count <= MOST_REGISTERS:
            return _refused(unit, body, ILLEGAL_VALUE)
        found = unit.read_registers(address, count)
        if found is None:
            return _refused(unit, body, ILLEGAL_ADDRESS)
        data = b"".join(value.to_bytes(2, "big") for value in found)
        return bytes((unit.node, function, len(data))) + data


def _length(buffer: bytes, at: int) -> int | None:
    """Bytes of the request that begins here, as far as they are known; None where none can begin."""
    function = buffer[at + 1]
    if function in (READ_HOLDING, READ_INPUT, WRITE_ONE):
        return 8
    if function not in _HEADS:
        return None
    head = _HEADS[function]
    return head + 2 + (buffer[at + head - 1] if len(buffer) - at >= head else 0)


def _refused(unit: ModbusDevice, body: bytes, code: int) -> bytes:
    unit.malformed += 1
    return bytes((unit.node, body[1] | EXCEPTION, code))


def _word(body: bytes, at: int) -> int:
    return int.from_bytes(body[at : at + 2], "big")


def _words(data: bytes) -> list[int]:
    return [_word(data, k) for k in range(0, len(data) - 1, 2)]
