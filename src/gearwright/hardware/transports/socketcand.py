"""A socketcand server: `< open can0 >`, `< rawmode >`, `< send 123 2 1 f1 >`, `< frame 123 23.424242 1A22 >`.

Where the server wants a token, it follows the channel: `< open can0 TOKEN >`.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from time import monotonic

from gearwright.hardware.frames import Frame
from gearwright.hardware.networks import CanNetwork
from gearwright.hardware.transports.can_socket import is_bridged
from gearwright.hardware.transports.loop import (
    MOST_CLIENTS,
    NOT_HTTP,
    EventLoop,
    SocketStream,
    StreamClient,
    TcpServer,
)
from gearwright.hardware.transports.tokens import is_same_token

PORT = 29536
LONGEST = 256  # characters of a message
QUIET = 0.01  # [s] after the answer to rawmode: python-can reads that answer alone
MOST_HELD = 1000  # frames that wait meanwhile
_SEND = re.compile(r"send ([0-9a-fA-F]{1,8}) (\d) ?((?: ?[0-9a-fA-F]{1,2})*)")


class SocketcandServer(TcpServer):
    """TCP, one CAN bus."""

    def __init__(
        self, loop: EventLoop, network: CanNetwork, host: str = "127.0.0.1", port: int = PORT, token: str | None = None
    ) -> None:
        self._network, self._token = network, token
        refusal = f"< error {MOST_CLIENTS} clients are connected, which is the maximum >".encode()
        super().__init__(loop, host, port, refusal)

    @property
    def description(self) -> str:
        return f'can.Bus(interface="socketcand", host="{self.host}", port={self.port}, channel="can0")'

    def _client(self, connection: socket.socket) -> SocketcandClient:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return SocketcandClient(self._loop, self._network, connection, self._token, self._clients.discard)

    def on_time(self) -> None:
        """Lets go what was held back after a handshake."""
        for client in tuple(self._clients):
            client.release()


class SocketcandClient(StreamClient):
    """One connection: a handshake, then frames."""

    def __init__(
        self, loop: EventLoop, network: CanNetwork, connection: socket.socket, token: str | None,
        gone: Callable[[SocketcandClient], None],
    ) -> None:  # fmt: skip
        self._network, self._token, self._gone = network, token, gone
        self._buffer, self._opened, self._raw, self._bridged = "", False, False, False
        self._quiet, self._held = 0.0, [b""][:0]
        self.stream = SocketStream(loop, connection, self._received, self._closed, f"< error {NOT_HTTP} >".encode())
        self.stream.send(b"< hi >")

    def _received(self, data: bytes) -> None:
        text = self._buffer + data.decode("ascii", errors="replace")
        while self.stream.open:
            start = text.find("<")
            end = text.find(">", start + 1)
            if start < 0 or end < 0:
                break
            self._message(text[start + 1 : end].strip())
            text = text[end + 1 :]
        start = text.find("<")
        self._buffer = text[start : start + LONGEST] if start >= 0 else ""

    def _message(self, text: str) -> None:
        if self._raw:
            self._command(text)
        elif text.startswith("open ") and not self._opened:
            self._open(text.split()[1:])
        elif text == "rawmode" and self._opened:
            self._raw, self._quiet = True, monotonic() + QUIET
            self.stream.send(b"< ok >")
            self._network.attach(self, self._bridged)
        elif text == "echo":
            self.stream.send(b"< echo >")
        else:
            self.stream.end(
                b"< error could not open bus >" if text.startswith("open") else b"< error unknown command >"
            )

    def _open(self, words: list[str]) -> None:
        """The channel, and the token where the server wants one."""
        channel, token = [*words, "", ""][:2]
        if self._token is not None and not is_same_token(token, self._token):
            self.stream.end(b"< error a token is needed: open CHANNEL TOKEN >")
            return
        self._opened, self._bridged = True, is_bridged(channel)
        self.stream.send(b"< ok >")

    def _command(self, text: str) -> None:
        """In raw mode malformed messages are dropped: clients take an answer for a frame."""
        found = _SEND.fullmatch(text)
        if found is None:
            self._network.malformed += 1
            return
        number, count, data = found.groups()
        content = bytes(int(byte, 16) for byte in data.split())
        if int(count) > 8 or (content and len(content) != int(count)):
            self._network.malformed += 1
            return
        frame = Frame(int(number, 16), content, extended=len(number) == 8, remote=not content and int(count) > 0)
        self._network.transmit(frame, self)

    def deliver(self, frame: Frame, t: float) -> None:
        if frame.fd or frame.remote:
            return  # the protocol has no words for them
        name = f"{frame.id:08X}" if frame.extended else f"{frame.id:03X}"
        message = f"< frame {name} {t:.6f} {frame.data.hex().upper()} >".encode()
        if self._quiet:
            if len(self._held) < MOST_HELD:
                self._held.append(message)
            self.release()
        else:
            self.stream.send(message)

    def release(self) -> None:
        if self._quiet and monotonic() >= self._quiet:
            self._quiet = 0.0
            if self._held:
                self.stream.send(b"".join(self._held))
            self._held = []

    def _closed(self) -> None:
        self._network.detach(self)
        self._gone(self)
