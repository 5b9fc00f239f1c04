"""TCP JSON Lines: one object a line, for `nc` and every language.

The server says hello with the names; a client sends commands, steps, modes, faults, hands; after each request it
reads the state. A line that is wrong is answered with an error, and the connection stays.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any

from gearwright.errors import GearwrightError
from gearwright.hardware.transports.loop import MOST_CLIENTS, Listener, Loop, Stream, listen_tcp

PORT = 29540
LONGEST = 65536  # bytes of a line

Handle = Callable[[dict[str, Any]], dict[str, Any]]


class JsonServer:
    """A TCP server in front of `handle`, which turns one request into one answer."""

    def __init__(
        self, loop: Loop, hello: Callable[[], dict[str, Any]], handle: Handle, host: str = "127.0.0.1", port: int = PORT
    ) -> None:
        self._loop, self._hello, self._handle = loop, hello, handle
        self._clients: set[JsonClient] = set()
        self.accepted = 0  # clients so far
        refusal = _line({"error": f"{MOST_CLIENTS} clients are connected, which is all that it takes"})
        listening = listen_tcp(host, port)
        self.host, self.port = listening.getsockname()[:2]
        self._listener = Listener(loop, listening, self._accept, refusal)

    @property
    def description(self) -> str:
        return f"nc {self.host} {self.port}"

    def _accept(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client = JsonClient(self._loop, connection, self._handle, self._clients.discard)
        client.send(self._hello())
        if client.stream.open:  # it may be gone already
            self._clients.add(client)
            self.accepted += 1

    def close(self) -> None:
        self._listener.close()
        for client in list(self._clients):
            client.stream.close()


class JsonClient:
    def __init__(
        self, loop: Loop, connection: socket.socket, handle: Handle, gone: Callable[[JsonClient], None]
    ) -> None:
        self._handle, self._gone = handle, gone
        self._buffer, self._line, self._skipping = b"", 0, False
        self.stream = Stream(loop, connection, self._received, lambda: self._gone(self))

    def send(self, answer: dict[str, Any]) -> None:
        self.stream.send(_line(answer))

    def _received(self, data: bytes) -> None:
        *lines, rest = (self._buffer + data).split(b"\n")
        for line in lines:
            self._line += 1
            if self._skipping:
                self._skipping = False
            elif len(line) > LONGEST:
                self._refuse(f"a line has {LONGEST} bytes at most")
            elif line.strip():
                self.send(self._answer(line))
        if len(rest) > LONGEST and not self._skipping:
            self._skipping = True
            self._line += 1
            self._refuse(f"a line has {LONGEST} bytes at most")
            self._line -= 1
        self._buffer = b"" if self._skipping else rest

    def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            request = json.loads(line)
        except (ValueError, RecursionError) as error:
            return self._error(f"no JSON: {error}")
        if not isinstance(request, dict):
            return self._error("a request is an object")
        try:
            return self._handle(request)
        except GearwrightError as error:
            return self._error(str(error))
        except (TypeError, ValueError, OverflowError) as error:
            return self._error(f"a value is of the wrong kind: {error}")

    def _refuse(self, why: str) -> None:
        self.send(self._error(why))

    def _error(self, why: str) -> dict[str, Any]:
        return {"error": why, "line": self._line}


def _line(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
