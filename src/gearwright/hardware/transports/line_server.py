"""A line of devices behind a TCP port, for drivers that talk to a daemon: requests of several clients, in order."""

from __future__ import annotations

import socket
from collections.abc import Callable

from gearwright.errors import GearwrightError
from gearwright.hardware.networks import SerialNetwork
from gearwright.hardware.transports.loop import EventLoop, SocketStream, StreamClient, TcpServer
from gearwright.hardware.transports.opening import BinaryOpening

HOST = "127.0.0.1"


class LineServer(TcpServer):
    """Loopback alone: what such daemons speak has no token. A port that is taken is replaced by a free one."""

    def __init__(self, loop: EventLoop, network: SerialNetwork, port: int, client: str) -> None:
        self._network, self._text = network, client
        try:
            super().__init__(loop, HOST, port, b"")
        except GearwrightError:
            super().__init__(loop, HOST, 0, b"")

    @property
    def description(self) -> str:
        return self._text.replace("{port}", str(self.port))

    def _client(self, connection: socket.socket) -> LineClient:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return LineClient(self._loop, self._network, connection, self._clients.discard)


class LineClient(StreamClient):
    """One connection: each whole request is answered at once."""

    def __init__(
        self, loop: EventLoop, network: SerialNetwork, connection: socket.socket, gone: Callable[[LineClient], None]
    ) -> None:
        self._network, self._buffer = network, b""
        self.stream = SocketStream(
            loop, connection, self._received, lambda: gone(self), opening=BinaryOpening()
        )  # fmt: skip

    def _received(self, data: bytes) -> None:
        self._buffer += data
        line = self._network.rig.lines[self._network.line]
        while 0 < (length := line.packet_length(self._buffer)) <= len(self._buffer):
            request, self._buffer = self._buffer[:length], self._buffer[length:]
            self.stream.send(self._network.ask(request))
        if length < 0:
            self.stream.close()
