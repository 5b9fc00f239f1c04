"""The event loop of a server: one selector, one thread, streams with bounded buffers."""

from __future__ import annotations

import os
import selectors
import socket
from collections.abc import Callable
from contextlib import suppress

CHUNK = 65536  # bytes that are read at once
LONGEST_QUEUE = 1 << 20  # bytes that wait for a client; one that reads slower is dropped
MOST_CLIENTS = 64
SELECT_LIMIT = 900  # file numbers that `select` takes with room to spare: it waits to the microsecond, epoll to the ms


class Loop:
    """Calls back what has become readable or writable; `wake` ends a wait from another thread."""

    def __init__(self) -> None:
        self._woken, self._waker = os.pipe()
        for end in (self._woken, self._waker):
            os.set_blocking(end, False)
        low = self._waker < SELECT_LIMIT
        self.selector: selectors.BaseSelector = (
            selectors.SelectSelector() if low else selectors.DefaultSelector()
        )  # fmt: skip
        self.selector.register(self._woken, selectors.EVENT_READ, (self._drain, None))
        self.clients = 0

    def wake(self) -> None:
        with suppress(BlockingIOError, OSError):
            os.write(self._waker, b"\0")

    def _drain(self) -> None:
        with suppress(BlockingIOError):
            os.read(self._woken, CHUNK)

    def add(self, file: int, readable: Callable[[], None], writable: Callable[[], None] | None = None) -> None:
        """`writable` is called once `watch_writes` asks for it."""
        self.selector.register(file, selectors.EVENT_READ, (readable, writable))

    def watch_writes(self, file: int, wanted: bool) -> None:
        key = self.selector.get_key(file)
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if wanted else 0)
        if key.events != events:
            self.selector.modify(file, events, key.data)
            self.wake()  # a wait that has begun in another thread does not know of it

    def remove(self, file: int) -> None:
        with suppress(KeyError, ValueError, OSError):
            self.selector.unregister(file)

    def ready(self, timeout: float | None) -> list[Callable[[], None]]:
        """Waits, and returns what is to be called."""
        calls: list[Callable[[], None]] = []
        for key, mask in self.selector.select(timeout):
            readable, writable = key.data
            if mask & selectors.EVENT_WRITE and writable is not None:
                calls.append(writable)
            if mask & selectors.EVENT_READ:
                calls.append(readable)
        return calls

    def close(self) -> None:
        self.selector.close()
        os.close(self._waker)
        os.close(self._woken)


class Stream:
    """One client's socket. `received` gets its bytes; `closed` is called once when it is gone."""

    def __init__(
        self, loop: Loop, connection: socket.socket, received: Callable[[bytes], None], closed: Callable[[], None]
    ) -> None:
        connection.setblocking(False)
        self._loop, self._socket = loop, connection
        self._received, self._closed = received, closed
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
        try:
            data = self._socket.recv(CHUNK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:
            self.close()
        elif not self._ending:
            self._received(data)

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


class Listener:
    """A listening socket; `accepted` gets each connection, `refusal` is what one too many reads before it is closed."""

    def __init__(
        self, loop: Loop, listening: socket.socket, accepted: Callable[[socket.socket], None], refusal: bytes
    ) -> None:
        listening.setblocking(False)
        self._loop, self.socket = loop, listening
        self._accepted, self._refusal = accepted, refusal
        loop.add(listening.fileno(), self._accept)

    def _accept(self) -> None:
        try:
            connection, _ = self.socket.accept()
        except OSError:  # gone again, or no file numbers left: the next time
            return
        if self._loop.clients >= MOST_CLIENTS:
            with suppress(OSError), connection:
                connection.setblocking(False)
                connection.send(self._refusal)
                connection.shutdown(socket.SHUT_WR)
            return
        self._accepted(connection)

    def close(self) -> None:
        self._loop.remove(self.socket.fileno())
        self.socket.close()


def listen_tcp(host: str, port: int) -> socket.socket:
    """A listening TCP socket; what is wrong raises with the address."""
    from gearwright.errors import GearwrightError

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(MOST_CLIENTS)
    except (OSError, OverflowError) as error:
        listening.close()
        raise GearwrightError(f"cannot listen on {host}:{port}: {error}; give another port, or 0 for any") from error
    return listening
