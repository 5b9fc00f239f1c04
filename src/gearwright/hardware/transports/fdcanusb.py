"""fdcanusb's text protocol: `can send 8001 0A00 BF` answered `OK`, frames of the bus as `rcv 100 2A00 e B F`.

A client that ends its lines with a checksum, ` *3F`, gets checksums.
"""

from __future__ import annotations

from gearwright.hardware.frames import FD_LENGTHS, Frame
from gearwright.hardware.networks import CanNetwork
from gearwright.hardware.transports.can_text import CanText

POLYNOMIAL = 0x97


def _checksum_table() -> tuple[int, ...]:
    table = list(range(256))
    for _ in range(8):
        table = [(value << 1 ^ POLYNOMIAL if value & 0x80 else value << 1) & 0xFF for value in table]
    return tuple(table)


_TABLE = _checksum_table()


def checksum(data: bytes) -> int:
    """CRC-8 with the polynomial 0x97."""
    crc = 0
    for byte in data:
        crc = _TABLE[crc ^ byte]
    return crc


class Fdcanusb(CanText):
    """One adapter."""

    client = 'moteus.Fdcanusb("{port}")'

    def __init__(self, network: CanNetwork) -> None:
        super().__init__(network)
        self.checked = False  # whether the client uses checksums

    def on_line(self, line: bytes) -> None:
        content = self._verified(line)
        if content is None:
            self._network.malformed += 1
            self._say("ERR checksum mismatch")
            return
        words = content.decode("ascii", "replace").split(" ")
        if words[:1] != ["can"]:
            self._say("OK" if words[0] in ("conf", "tel") else "ERR unknown command")
            return
        verb, rest = (words[1] if len(words) > 1 else ""), words[2:]
        frame = _frame(rest) if verb in ("send", "std", "ext") else None
        if verb in ("on", "off"):
            self._say("OK")
        elif frame is None or not frame.valid:
            self._network.malformed += 1
            self._say("ERR malformed frame")
        else:
            self._say("OK")
            self._network.transmit(frame, self)

    def deliver(self, frame: Frame, t: float) -> None:
        if frame.remote:
            return
        flags = f"{'E' if frame.extended else 'e'} {'B' if frame.bitrate_switch else 'b'} {'F' if frame.fd else 'f'}"
        self._say(f"rcv {frame.id:x} {frame.data.hex().upper()} {flags}")

    def _verified(self, line: bytes) -> bytes | None:
        """The line without its checksum; None where the checksum is wrong."""
        at = line.rfind(b"*")
        if at < 0 or at + 3 != len(line):
            return line.rstrip(b" ")
        try:
            claimed = int(line[at + 1 :], 16)
        except ValueError:
            return None
        self.checked = True
        return line[:at].rstrip(b" ") if claimed == checksum(line[:at]) else None

    def _say(self, text: str) -> None:
        data = text.encode()
        if self.checked:
            data += b" "
            data += f"*{checksum(data):02X}".encode()
        self.send(data + b"\r\n")


def _frame(words: list[str]) -> Frame | None:
    """Id and data in hexadecimal, then letters: F is FD, B another bit rate, capital or none."""
    if not words or len(words[0]) > 8:
        return None
    try:
        name, data = int(words[0], 16), bytes.fromhex(words[1]) if len(words) > 1 else b""
    except ValueError:
        return None
    flags = "".join(words[2:])
    fd = "F" in flags or len(data) > 8
    if fd and len(data) not in FD_LENGTHS:
        return None
    return Frame(name, data, extended=name > 0x7FF, fd=fd, bitrate_switch=fd and "b" not in flags)
