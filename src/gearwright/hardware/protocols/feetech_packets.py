"""Packets `FF FF id length instruction parameters checksum` on a shared line: Feetech's, and Dynamixel 1.0."""

from __future__ import annotations

from abc import abstractmethod

from gearwright.hardware.device import SerialLine

HEAD = b"\xff\xff"
BROADCAST = 0xFE
PATIENCE = 0.1  # [s] after which a packet that has begun is given up


def checksum(body: bytes) -> int:
    """The inverted sum of all bytes between the head and the checksum."""
    return ~sum(body) & 0xFF


def packet(servo: int, code: int, parameters: bytes = b"") -> bytes:
    """A whole packet: an instruction, or a status with its error byte."""
    body = bytes((servo, len(parameters) + 2, code)) + parameters
    return HEAD + body + bytes((checksum(body),))


class ChecksumLine(SerialLine):
    """Finds packets, in any pieces; what they ask for is the subclass's."""

    @abstractmethod
    def _serve(self, servo: int, instruction: int, parameters: bytes, t: float) -> bytes:
        """Answers to one packet."""

    def _broken(self, servo: int) -> bytes:
        """Answers to a packet whose checksum is wrong."""
        return b""

    def on_bytes(self, data: bytes, t: float) -> bytes:
        buffer, at, answers = self._joined(data, t, PATIENCE), 0, []
        while True:
            head = buffer.find(HEAD, at)
            if head < 0:
                at = len(buffer) - (buffer[-1:] == b"\xff")
                break
            if len(buffer) - head < 4:
                at = head
                break
            servo, length = buffer[head + 2], buffer[head + 3]
            if servo == 0xFF or length < 2:
                self.malformed += servo != 0xFF
                at = head + 1
                continue
            end = head + 4 + length
            if len(buffer) < end:
                at = head
                break
            body = buffer[head + 2 : end - 1]
            if checksum(body) != buffer[end - 1]:
                self.malformed += 1
                answers.append(self._broken(servo))
                at = head + 2
                continue
            answers.append(self._serve(servo, body[2], body[3:], t))
            t = self.served(t)
            at = end
        self._buffer, self._begun = buffer[at:], t
        return b"".join(answers)
