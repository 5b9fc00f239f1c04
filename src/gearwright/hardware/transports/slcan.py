"""slcan, the serial protocol of LAWICEL adapters, with the letters of CANable for CAN FD."""

from __future__ import annotations

from gearwright.hardware.frames import FD_LENGTHS, Frame
from gearwright.hardware.networks import CanNetwork
from gearwright.hardware.transports.can_text import CanText

OK, ERROR = b"\r", b"\a"
SETTINGS = frozenset(b"SsYMmZXQUWA")  # bit rates, masks, time stamps: taken, without effect on a simulated bus
FRAMES = frozenset(b"tTrRdDbB")  # small letters have standard ids; r is remote, d is FD, b is FD with another bit rate


class Slcan(CanText):
    """One adapter. Frames pass while it is open."""

    ends = b"\r"
    client = 'can.Bus(interface="slcan", channel="{port}")'

    def __init__(self, network: CanNetwork) -> None:
        super().__init__(network)
        self.opened = self.listening = False

    def on_line(self, line: bytes) -> None:
        letter = line.lstrip(b"\n")[:1]
        if letter in (b"O", b"L"):
            self.opened, self.listening = True, letter == b"L"
            self.send(OK)
        elif letter == b"C":
            self.opened = False
            self.send(OK)
        elif letter == b"V":
            self.send(b"V1013\r")
        elif letter == b"N":
            self.send(b"NGW01\r")
        elif letter == b"F":
            self.send(b"F00\r")
        elif letter and letter[0] in FRAMES and self.opened and not self.listening:
            frame = _frame(line.lstrip(b"\n"))
            if frame is None or not frame.valid:
                self._network.malformed += 1
                self.send(ERROR)
            else:
                self.send((b"Z" if letter.isupper() else b"z") + OK)
                self._network.transmit(frame, self)
        else:
            self.send(OK if letter and letter[0] in SETTINGS else ERROR)

    def deliver(self, frame: Frame, t: float) -> None:
        if self.opened:
            self.send(_line(frame))


def _frame(line: bytes) -> Frame | None:
    """A letter, the id of 3 or 8 digits, the length as one digit, the data in hexadecimal."""
    letter = chr(line[0])
    digits = 8 if letter.isupper() else 3
    kind = letter.lower()
    try:
        name, length = int(line[1 : 1 + digits], 16), int(line[1 + digits : 2 + digits], 16)
        data = bytes.fromhex(line[2 + digits :].decode("ascii"))
    except ValueError:
        return None
    fd = kind in "db"
    if kind == "r":
        data = b""
    elif len(data) != (FD_LENGTHS[length] if fd else length):
        return None
    return Frame(name, data, letter.isupper(), kind == "r", fd, kind == "b")


def _line(frame: Frame) -> bytes:
    kind = "r" if frame.remote else ("b" if frame.bitrate_switch else "d") if frame.fd else "t"
    name = f"{kind.upper()}{frame.id:08X}" if frame.extended else f"{kind}{frame.id:03X}"
    return f"{name}{FD_LENGTHS.index(len(frame.data)):X}{frame.data.hex().upper()}\r".encode()
