"""TCP JSON Lines: one object per line, for `nc` and every language.

The server says hello with the names; a client sends commands, steps, modes, faults, hands; after each request it
reads the state. A line that is wrong is answered with an error, and the connection stays.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Generator
from typing import Any

from gearwright.errors import GearwrightError
from gearwright.hardware.transports.loop import (
    MOST_CLIENTS,
    NOT_HTTP,
    EventLoop,
    SocketStream,
    StreamClient,
    TcpServer,
)
from gearwright.hardware.transports.tokens import is_same_token

PORT = 29540
LONGEST = 65536  # bytes of a line
Work = Generator[None, None, dict[str, Any]]  # a request in parts; it returns the answer
Handle = Callable[[dict[str, Any]], Work]


class JsonServer(TcpServer):
    """A TCP server in front of `handle`, which turns one request into one answer."""

    def __init__(
        self, loop: EventLoop, hello: Callable[[], dict[str, Any]], handle: Handle, host: str = "127.0.0.1",
        port: int = PORT, token: str | None = None,
    ) -> None:  # fmt: skip
        self._hello, self._handle, self._token = hello, handle, token
        refusal = _line({"error": f"{MOST_CLIENTS} clients are connected, which is the maximum"})
        super().__init__(loop, host, port, refusal)

    @property
    def description(self) -> str:
        return f"nc {self.host} {self.port}"

    def _client(self, connection: socket.socket) -> JsonClient:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client = JsonClient(self._loop, connection, self._handle, self._token, self._clients.discard)
        client.send(self._hello())
        return client


class JsonClient(StreamClient):
    """One connection. Its requests are answered in order, one per turn of the loop, so that others have theirs."""

    def __init__(
        self, loop: EventLoop, connection: socket.socket, handle: Handle, token: str | None,
        gone: Callable[[JsonClient], None],
    ) -> None:  # fmt: skip
        self._loop, self._handle, self._token, self._gone = loop, handle, token, gone
        self._buffer, self._count, self._skipping = b"", 0, False
        self._work: Work | None = None  # of the request that is being answered
        refusal = _line({"error": NOT_HTTP})
        self.stream = SocketStream(loop, connection, self._received, lambda: self._gone(self), refusal)

    def send(self, answer: dict[str, Any]) -> None:
        self.stream.send(_line(answer))

    def _received(self, data: bytes) -> None:
        self._buffer += data
        self._go_on()

    def _go_on(self) -> None:
        """A part of a long request, or the next line. Nothing more is read while there is something to do."""
        if not self.stream.open:
            return
        if self._work is None:
            line = self._next_line()
            self._work = self._answer(line) if line else None
        if self._work is not None:
            try:
                next(self._work)
            except StopIteration as done:
                self._work = None
                self.send(done.value)
        busy = self._work is not None or b"\n" in self._buffer
        self.stream.pause(busy)
        if busy:
            self._loop.soon(self._go_on)

    def _next_line(self) -> bytes:
        """The next line to answer; empty where there is none yet, or one that asks for nothing."""
        line, end, rest = self._buffer.partition(b"\n")
        if not end and len(line) <= LONGEST:
            return b""
        self._buffer = rest
        skipped, self._skipping = self._skipping, not end
        self._count += bool(end)
        if len(line) > LONGEST and not skipped:
            self.send(self._error(f"a line may have at most {LONGEST} bytes", self._count + (not end)))
        return b"" if skipped or len(line) > LONGEST else line.strip()

    def _answer(self, line: bytes) -> Work:
        """The answer to a line; what is wrong with it is one, too."""
        try:
            request = json.loads(line)
        except (ValueError, RecursionError) as error:
            return self._error(f"not JSON: {error}")
        if not isinstance(request, dict):
            return self._error("a request must be an object")
        given = request.pop("token", None)
        if self._token is not None and not is_same_token(given, self._token):
            self._buffer = b""
            self.stream.end(_line(self._error('send the token first: {"token": "…"}')))
            return {}
        self._token = None  # said once
        try:
            return (yield from self._handle(request))
        except GearwrightError as error:
            return self._error(str(error))
        except (TypeError, ValueError, OverflowError) as error:
            return self._error(f"a value has the wrong type: {error}")

    def _error(self, why: str, line: int | None = None) -> dict[str, Any]:
        return {"error": why, "line": self._count if line is None else line}


def _line(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
