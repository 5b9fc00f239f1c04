"""CAN frames as lines of text on a serial port or a TCP connection: what slcan and fdcanusb share.

A codec stands between a byte stream and the bus. It has `receive` and `send` as a serial network has them, so that a
pseudo-terminal or a connection carries it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable

from gearwright.hardware.frames import Frame
from gearwright.hardware.networks import CanNetwork

LONGEST_LINE = 512  # [bytes]; longer ones are dropped


class CanText(ABC):
    """One client. Lines end with `ends`; what they say is the subclass's."""

    ends = b"\r\n"
    client = ""  # what to type, with {port}

    def __init__(self, network: CanNetwork) -> None:
        self._network = network
        self._line = bytearray()
        self._end = re.compile(b"[" + self.ends + b"]")
        self._dropping = False
        self.send: Callable[[bytes], None] = lambda data: None  # to the client; set by the transport
        network.attach(self)

    def clear(self) -> None:
        """The client has gone: a line that it began is forgotten."""
        self._line.clear()
        self._dropping = False

    def receive(self, data: bytes) -> None:
        """Bytes of the client, in any pieces."""
        *ended, rest = self._end.split(data)
        for piece in ended:
            self._append(piece)
            line, dropping = bytes(self._line), self._dropping
            self._line.clear()
            self._dropping = False
            if line and not dropping:
                self.on_line(line)
        self._append(rest)

    def _append(self, piece: bytes) -> None:
        if self._dropping:
            return
        self._line += piece
        if len(self._line) > LONGEST_LINE:
            self._line.clear()
            self._dropping = True
            self._network.malformed += 1

    def close(self) -> None:
        self._network.detach(self)

    @abstractmethod
    def on_line(self, line: bytes) -> None:
        """A line of the client, without its end."""

    @abstractmethod
    def deliver(self, frame: Frame, t: float) -> None:
        """A frame of the bus."""
