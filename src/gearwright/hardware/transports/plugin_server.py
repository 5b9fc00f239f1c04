"""The server's side of the python-can plugin `interface="gearwright"`."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress

from gearwright.hardware.frames import Frame
from gearwright.hardware.networks import CanNetwork
from gearwright.hardware.transports import can_socket
from gearwright.hardware.transports.loop import MOST_CLIENTS, ClientServer, EventLoop, SocketStream, StreamClient


class PluginServer(ClientServer):
    """A unix socket, found by the channel's name, which also says whether its clients want bridged buses."""

    def __init__(self, loop: EventLoop, network: CanNetwork, channel: str) -> None:
        self.channel, self._network = channel, network
        refusal = f"refused: {MOST_CLIENTS} clients are connected, which is the maximum\n".encode()
        super().__init__(loop, can_socket.listen(channel), refusal)

    @property
    def description(self) -> str:
        bridged = ", whose frames go to the bridged bus, too" if can_socket.is_bridged(self.channel) else ""
        return f'can.Bus(interface="gearwright", channel="{self.channel}"){bridged}'

    def _client(self, connection: socket.socket) -> PluginClient:
        bridged = can_socket.is_bridged(self.channel)
        return PluginClient(self._loop, self._network, connection, bridged, self._clients.discard)

    def close(self) -> None:
        super().close()
        with suppress(OSError):
            can_socket.path_of(self.channel).unlink()


class PluginClient(StreamClient):
    """One bus object in another process."""

    def __init__(
        self, loop: EventLoop, network: CanNetwork, connection: socket.socket, bridged: bool,
        gone: Callable[[PluginClient], None],
    ) -> None:  # fmt: skip
        self._network, self._gone = network, gone
        self._frames = can_socket.Unpacker()
        self.stream = SocketStream(loop, connection, self._received, self._closed)
        self.stream.send(can_socket.HELLO)
        if self.stream.open:
            network.attach(self, bridged)

    def deliver(self, frame: Frame, t: float) -> None:
        self.stream.send(can_socket.packed(frame, t))

    def _received(self, data: bytes) -> None:
        try:
            for frame, _ in self._frames.feed(data):
                self._network.transmit(frame, self)
        except ValueError:  # not our client: there is no way to find the next frame
            self.stream.close()

    def _closed(self) -> None:
        self._network.detach(self)
        self._gone(self)
