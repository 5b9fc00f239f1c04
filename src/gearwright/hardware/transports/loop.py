"""The event loop of a server: one selector, one thread, streams with bounded buffers."""

from __future__ import annotations

import selectors
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from errno import EADDRINUSE
from typing import Any

from gearwright.errors import GearwrightError
from gearwright.hardware.transports.opening import Opening

CHUNK = 65536  # bytes that are read at once
LONGEST_QUEUE = 1 << 20  # bytes that wait for a client; one that reads slower is dropped
MOST_CLIENTS = 64
NOT_HTTP = "this is no web server: a connection that begins like HTTP is refused"
SELECT_LIMIT = 900  # file numbers that `select` takes with room to spare: it waits to the microsecond, epoll to the ms


class EventLoop:
    """Calls back what has become readable or writable; `wake` ends a wait from another thread."""

    def __init__(self) -> None:
        self._woken, self._waker = socket.socketpair()  # of sockets, for which alone Windows waits
        for end in (self._woken, self._waker):
            end.setblocking(False)
        low = self._waker.fileno() < SELECT_LIMIT
        self.selector: selectors.BaseSelector = (
            selectors.SelectSelector() if low else selectors.DefaultSelector()
        )  # fmt: skip
        self.selector.register(self._woken, selectors.EVENT_READ, (self._drain, None))
        self._paused: dict[int, tuple[Callable[[], None], Callable[[], None] | None]] = {}
        self._soon: list[Callable[[], None]] = []
        self.clients = 0

    def wake(self) -> None:
        with suppress(BlockingIOError, OSError):
            self._waker.send(b"\0")

    def _drain(self) -> None:
        with suppress(BlockingIOError):
            self._woken.recv(CHUNK)

    def add(self, file: int, readable: Callable[[], None], writable: Callable[[], None] | None = None) -> None:
        """`writable` is called once `watch_writes` asks for it."""
        self.selector.register(file, selectors.EVENT_READ, (readable, writable))

    def watch_writes(self, file: int, wanted: bool) -> None:
        self._watch(file, reads=file not in self._paused, writes=wanted)

    def watch_reads(self, file: int, wanted: bool) -> None:
        """A client whose bytes are not wanted yet waits: its socket fills, and it cannot send more."""
        key = self.selector.get_map().get(file)
        self._watch(file, reads=wanted, writes=key is not None and bool(key.events & selectors.EVENT_WRITE))

    def _watch(self, file: int, *, reads: bool, writes: bool) -> None:
        events = selectors.EVENT_READ * reads | selectors.EVENT_WRITE * writes
        key = self.selector.get_map().get(file)
        calls = key.data if key is not None else self._paused[file]
        if reads:
            self._paused.pop(file, None)
        else:
            self._paused[file] = calls
        if events == (key.events if key is not None else 0):
            return
        if key is not None:
            self.selector.unregister(file)
        if events:
            self.selector.register(file, events, calls)
        self.wake()  # a wait that has begun in another thread does not know of it

    def remove(self, file: int) -> None:
        self._paused.pop(file, None)
        with suppress(KeyError, ValueError, OSError):
            self.selector.unregister(file)

    def soon(self, call: Callable[[], None]) -> None:
        """Work that is left: called in the next turn, after the others had theirs."""
        self._soon.append(call)

    def ready(self, timeout: float | None) -> list[Callable[[], None]]:
        """Waits, and returns what is to be called."""
        calls, self._soon = self._soon, []
        if calls:
            timeout = 0.0
        for key, mask in self.selector.select(timeout):
            readable, writable = key.data
            if mask & selectors.EVENT_WRITE and writable is not None:
                calls.append(writable)
            if mask & selectors.EVENT_READ:
                calls.append(readable)
        return calls

    def close(self) -> None:
        self.selector.close()
        self._waker.close()
        self._woken.close()


class SocketStream:
    """One client's socket. `received` gets its bytes; `closed` is called once when it is gone.

    A TCP client whose first bytes a web page could have sent reads `refusal`, and is gone. Unix sockets are out of a
    browser's reach.
    """

    def __init__(
        self, loop: EventLoop, connection: socket.socket, received: Callable[[bytes], None], closed: Callable[[], None],
        refusal: bytes = b"", opening: Opening | None = None,
    ) -> None:  # fmt: skip
        connection.setblocking(False)
        self._loop, self._socket = loop, connection
        self._received, self._closed = received, closed
        remote = connection.family != getattr(socket, "AF_UNIX", None)
        self._opening = (opening or Opening()) if remote else None
        self._refusal = refusal
        self._queue = bytearray()
        self.open, self._ending = True, False
        loop.clients += 1
        loop.add(connection.fileno(), self._read, self._flush)

    def send(self, data: bytes) -> None:
        """Queues bytes; a client whose queue is full is dropped."""
        if not self.open or self._ending:
            return
        if not self._queue:
            try:
                data = data[self._socket.send(data) :]
            except (BlockingIOError, InterruptedError):
                pass
            except OSError:
                self.close()
                return
            if not data:
                return
        self._queue += data
        if len(self._queue) > LONGEST_QUEUE:
            self.close()
        else:
            self._loop.watch_writes(self._socket.fileno(), True)

    def end(self, last: bytes = b"") -> None:
        """Closes it after what is queued, and these bytes, have left."""
        self.send(last)
        self._ending = True
        if not self._queue:
            self.close()

    def _read(self) -> None:
        if not self.open:
            return
        data = received(self._socket, CHUNK)
        if data == b"":
            self.close()
        elif data is None or self._ending:
            return
        elif self._opening is not None and not self._opening.admits(data):
            self.end(self._refusal)
        else:
            self._received(data)

    def pause(self, paused: bool) -> None:
        """Reads nothing more for now."""
        if self.open:
            self._loop.watch_reads(self._socket.fileno(), not paused)

    def _flush(self) -> None:
        if not self.open:
            return
        try:
            sent = self._socket.send(self._queue)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self.close()
            return
        del self._queue[:sent]
        if not self._queue:
            self._loop.watch_writes(self._socket.fileno(), False)
            if self._ending:
                self.close()

    def close(self) -> None:
        if self.open:
            self.open = False
            self._loop.clients -= 1
            self._loop.remove(self._socket.fileno())
            self._socket.close()
            self._closed()


class StreamClient:
    """A connection that is one stream."""

    stream: SocketStream

    @property
    def open(self) -> bool:
        return self.stream.open

    def close(self) -> None:
        self.stream.close()


class ClientServer(ABC):
    """A listening socket and its clients; `refusal` is what one too many reads before it is closed."""

    def __init__(self, loop: EventLoop, listening: socket.socket, refusal: bytes) -> None:
        listening.setblocking(False)
        self._loop, self._listening, self._refusal = loop, listening, refusal
        self._clients: set[Any] = set()
        self.accepted = 0  # clients so far
        loop.add(listening.fileno(), self._accept)

    @abstractmethod
    def _client(self, connection: socket.socket) -> Any:
        """The client of a new connection; it has `open` and `close`."""

    def _accept(self) -> None:
        try:
            connection, _ = self._listening.accept()
        except OSError:  # gone again, or no file numbers left: the next time
            return
        if self._loop.clients >= MOST_CLIENTS:
            with suppress(OSError), connection:
                connection.setblocking(False)
                connection.send(self._refusal)
                connection.shutdown(socket.SHUT_WR)
            return
        client = self._client(connection)
        if client.open:  # it may be gone already
            self._clients.add(client)
            self.accepted += 1

    def close(self) -> None:
        self._loop.remove(self._listening.fileno())
        self._listening.close()
        for client in list(self._clients):
            client.close()


class TcpServer(ClientServer):
    """One that listens on a host and a port."""

    def __init__(self, loop: EventLoop, host: str, port: int, refusal: bytes) -> None:
        listening = listen_tcp(host, port)
        self.host, self.port = listening.getsockname()[:2]
        super().__init__(loop, listening, refusal)


def received(connection: socket.socket, most: int) -> bytes | None:
    """Bytes that have arrived; none if the other side has closed it, None if there is nothing yet."""
    try:
        return connection.recv(most)
    except (BlockingIOError, InterruptedError):
        return None
    except OSError:
        return b""


class PortInUseError(GearwrightError):
    """Another process listens there."""


def listen_tcp(host: str, port: int) -> socket.socket:
    """A listening TCP socket; what is wrong raises with the address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(MOST_CLIENTS)
    except (OSError, OverflowError) as error:
        listening.close()
        kind = PortInUseError if getattr(error, "errno", None) == EADDRINUSE else GearwrightError
        raise kind(f"cannot listen on {host}:{port}: {error}; give another port, or 0 for any") from error
    return listening
