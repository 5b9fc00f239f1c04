"""A serial port: a pseudo-terminal in raw mode, with a stable name by a symbolic link."""

from __future__ import annotations

import errno
import fcntl
import os
import termios
import tty
from contextlib import suppress
from pathlib import Path
from time import monotonic

from gearwright.errors import GearwrightError
from gearwright.hardware.networks import SerialNetwork
from gearwright.hardware.transports.can_text import CanText
from gearwright.hardware.transports.dm_serial import DmSerial
from gearwright.hardware.transports.loop import CHUNK, EventLoop

LONGEST_QUEUE = 65536  # bytes that wait for a host; a line that nobody reads loses what is more
SHARING = 0.5  # [s] between two times that a claim of a host that is gone is taken off the port


class PtyPort:
    """A pseudo-terminal, which a host opens with pyserial or the like.

    The server keeps the host's end open itself, so that hosts may come and go. A claim for exclusive use would then
    outlast its host, and is taken off.
    """

    def __init__(
        self, loop: EventLoop, network: SerialNetwork | CanText | DmSerial, link: str | os.PathLike[str] | None = None
    ) -> None:
        self._loop, self._network = loop, network
        self._own, self._host = os.openpty()
        for end in (self._own, self._host):
            tty.setraw(end)
        os.set_blocking(self._own, False)
        self.path = os.ttyname(self._host)
        self._queue = bytearray()
        self._shared = 0.0
        self.lost = 0
        self._link = _linked(link, self.path)
        network.send = self.send
        loop.add(self._own, self._read, self._flush)

    @property
    def name(self) -> str:
        """The path for a client: the link, or the terminal itself."""
        return str(self._link) if self._link is not None else self.path

    def _read(self) -> None:
        now = monotonic()
        if now - self._shared > SHARING:
            self._shared = now
            with suppress(OSError):
                fcntl.ioctl(self._host, termios.TIOCNXCL)
        try:
            data = os.read(self._own, CHUNK)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EINTR, errno.EIO):
                raise
            return
        self._network.receive(data)

    def send(self, data: bytes) -> None:
        if not self._queue:
            data = data[self._write(data) :]
        room = LONGEST_QUEUE - len(self._queue)
        self.lost += max(0, len(data) - room)
        self._queue += data[:room]
        if self._queue:
            self._loop.watch_writes(self._own, True)

    def _flush(self) -> None:
        del self._queue[: self._write(bytes(self._queue))]
        if not self._queue:
            self._loop.watch_writes(self._own, False)

    def _write(self, data: bytes) -> int:
        try:
            return os.write(self._own, data)
        except (BlockingIOError, InterruptedError):
            return 0

    def close(self) -> None:
        self._loop.remove(self._own)
        os.close(self._own)
        os.close(self._host)
        if self._link is not None and os.path.islink(self._link) and os.readlink(self._link) == self.path:
            self._link.unlink()


def _linked(link: str | os.PathLike[str] | None, target: str) -> Path | None:
    """A symbolic link to the terminal. An old link is replaced; anything else of that name stays."""
    if link is None:
        return None
    path = Path(link)
    if path.is_symlink():
        path.unlink()
    try:
        path.symlink_to(target)
    except OSError as error:
        raise GearwrightError(f"cannot make the link {path}: {error.strerror}") from error
    return path
