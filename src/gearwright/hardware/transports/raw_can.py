"""The server's side of `gearwright with-bus` for programs that open raw CAN sockets themselves.

A client's socket keeps its datagrams apart, and carries the kernel's `struct can_frame` (16 bytes) and `canfd_frame`
(72). What a program sets on its socket comes as a datagram of its own, whose first word no frame has; filters are
acknowledged, so that a program reads no frame that came before them.
"""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from struct import Struct

from gearwright.hardware.frames import FD_LENGTHS, Frame
from gearwright.hardware.networks import CanNetwork
from gearwright.hardware.transports import can_socket
from gearwright.hardware.transports.loop import ClientServer, EventLoop, received

CLASSIC, FD = 16, 72  # bytes of the kernel's frames
EXTENDED, REMOTE, ERROR = 0x80000000, 0x40000000, 0x20000000  # flags in the word of the id
SWITCH = 1  # of the flags of an FD frame: the data have another bit rate
SETTING = 0xFFFFFFFF  # first word of a setting; then its number and its value
FILTERS, OWN, FD_FRAMES = 1, 4, 5  # CAN_RAW_FILTER, CAN_RAW_RECV_OWN_MSGS, CAN_RAW_FD_FRAMES
INVERTED = 0x20000000  # of a filter's id
MOST_FILTERS, LONGEST = 512, 4096  # filters, and bytes of a datagram
MOST_WAITING = 4096  # frames that wait for a client; one that reads slower is dropped
_HEAD, _PAIR, _SETTING = Struct("<IBBBB"), Struct("<II"), Struct("<II")


def path_of(channel: str) -> Path:
    """The socket of a channel."""
    return can_socket.path_of(channel).with_suffix(".frames")


def packed(frame: Frame) -> bytes:
    """As the kernel hands it to a program."""
    name = frame.id | EXTENDED * frame.extended | REMOTE * frame.remote
    size = FD if frame.fd else CLASSIC
    return (_HEAD.pack(name, len(frame.data), SWITCH * frame.bitrate_switch, 0, 0) + frame.data).ljust(size, b"\0")


def unpacked(data: bytes) -> Frame | None:
    """None for what is no frame."""
    if len(data) not in (CLASSIC, FD):
        return None
    name, length, flags, _, _ = _HEAD.unpack_from(data)
    fd = len(data) == FD
    if name & ERROR or length > len(data) - _HEAD.size or (fd and length not in FD_LENGTHS):
        return None
    extended, remote = bool(name & EXTENDED), bool(name & REMOTE)
    content = b"" if remote else data[_HEAD.size : _HEAD.size + length]
    return Frame(name & 0x1FFFFFFF, content, extended, remote, fd, fd and bool(flags & SWITCH))


class RawCanServer(ClientServer):
    """A unix socket of datagrams in order, found by the channel's name."""

    def __init__(self, loop: EventLoop, network: CanNetwork, channel: str) -> None:
        self.channel, self._network = channel, network
        path = path_of(channel)
        path.unlink(missing_ok=True)  # the plug-in's socket says whether another server lives
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listening.bind(str(path))
        listening.listen(64)
        super().__init__(loop, listening, b"")

    @property
    def description(self) -> str:
        return f"gearwright with-bus --can can0={self.channel} -- your-driver"

    def _client(self, connection: socket.socket) -> RawCanClient:
        return RawCanClient(self._loop, self._network, connection, self._clients.discard)

    def close(self) -> None:
        super().close()
        with suppress(OSError):
            path_of(self.channel).unlink()


class RawCanClient:
    """One raw socket of a program: its filters, and what it has not read yet."""

    def __init__(
        self, loop: EventLoop, network: CanNetwork, connection: socket.socket, gone: Callable[[RawCanClient], None]
    ) -> None:
        connection.setblocking(False)
        self._loop, self._network, self._socket, self._gone = loop, network, connection, gone
        self._waiting: deque[bytes] = deque()
        self._filters: list[tuple[int, int]] = [(0, 0)]
        self._own = self._fd = False
        self.open = True
        loop.clients += 1
        loop.add(connection.fileno(), self._read, self._flush)
        network.attach(self)

    def deliver(self, frame: Frame, t: float) -> None:
        if self.open and (self._fd or not frame.fd) and self._passes(frame):
            self._waiting.append(packed(frame))
            self._flush()

    def _passes(self, frame: Frame) -> bool:
        name = frame.id | EXTENDED * frame.extended | REMOTE * frame.remote
        for wanted, mask in self._filters:
            if wanted & INVERTED:
                if (name ^ wanted) & mask & ~INVERTED:
                    return True
            elif not (name ^ wanted) & mask & ~ERROR:
                return True
        return False

    def _read(self) -> None:
        if not self.open:
            return
        data = received(self._socket, LONGEST)
        if data == b"":
            self.close()
        elif data is None:
            return
        elif len(data) >= _SETTING.size and _SETTING.unpack_from(data)[0] == SETTING:
            self._set(_SETTING.unpack_from(data)[1], data[_SETTING.size :])
        else:
            self._transmit(unpacked(data))

    def _transmit(self, frame: Frame | None) -> None:
        if frame is None:
            self._network.malformed += 1
            return
        if self._own:
            self.deliver(frame, 0.0)
        self._network.transmit(frame, self)

    def _set(self, option: int, value: bytes) -> None:
        if option == FILTERS:
            whole = value[: len(value) // _PAIR.size * _PAIR.size]
            self._filters = list(_PAIR.iter_unpack(whole))[:MOST_FILTERS]
            self._waiting.append(_SETTING.pack(SETTING, FILTERS))  # the program waits for it
            self._flush()
        elif option == OWN:
            self._own = any(value)
        elif option == FD_FRAMES:
            self._fd = any(value)

    def _flush(self) -> None:
        while self.open and self._waiting:
            try:
                self._socket.send(self._waiting[0])
            except (BlockingIOError, InterruptedError):
                break
            except OSError:
                self.close()
                return
            self._waiting.popleft()
        if len(self._waiting) > MOST_WAITING:
            self.close()
        elif self.open:
            self._loop.watch_writes(self._socket.fileno(), bool(self._waiting))

    def close(self) -> None:
        if self.open:
            self.open = False
            self._loop.clients -= 1
            self._loop.remove(self._socket.fileno())
            self._socket.close()
            self._network.detach(self)
            self._gone(self)
