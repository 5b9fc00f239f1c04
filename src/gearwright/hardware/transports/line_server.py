"""A line of devices behind a TCP port, for drivers that talk to a daemon: requests of several clients, in order."""

from __future__ import annotations

import socket
from collections.abc import Callable

from gearwright.errors import GearwrightError
from gearwright.hardware.networks import SerialNetwork
from gearwright.hardware.transports.loop import EventLoop, ListeningSocket, SocketStream, listen_tcp
from gearwright.hardware.transports.opening import BinaryOpening

HOST = "127.0.0.1"


class LineServer:
    """Loopback alone: what such daemons speak has no token. A port that is taken is replaced by a free one."""

    def __init__(self, loop: EventLoop, network: SerialNetwork, port: int, client: str) -> None:
        self._loop, self._network, self._client = loop, network, client
        self._clients: set[LineClient] = set()
        try:
            listening = listen_tcp(HOST, port)
        except GearwrightError:
            listening = listen_tcp(HOST, 0)
        self.port: int = listening.getsockname()[1]
        self._listener = ListeningSocket(loop, listening, self._accept, b"")

    @property
    def description(self) -> str:
        return self._client.replace("{port}", str(self.port))

    def _accept(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._clients.add(LineClient(self._loop, self._network, connection, self._clients.discard))

    def close(self) -> None:
        self._listener.close()
        for client in list(self._clients):
            client.stream.close()


class LineClient:
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
