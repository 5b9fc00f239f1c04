"""A serial port: a pseudo-terminal in raw mode, with a stable name by a symbolic link."""

from __future__ import annotations

import errno
import fcntl
import os
import struct
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
from gearwright.hardware.transports.pty_hosts import Hosts
from gearwright.hardware.transports.vesc_serial import VescSerial

LONGEST_QUEUE = 65536  # bytes that wait for a host; a line that nobody reads loses what is more
SHARING = 0.5  # [s] between two times that a claim of a host that is gone is taken off the port


class PtyPort:
    """A pseudo-terminal, which a host opens with pyserial or the like.

    The server keeps the host's end open itself, so that hosts may come and go. A claim for exclusive use would then
    outlast its host, and is taken off. So would answers that a host has not read: they are thrown away when it leaves.
    """

    def __init__(
        self,
        loop: EventLoop,
        network: SerialNetwork | CanText | DmSerial | VescSerial,
        link: str | os.PathLike[str] | None = None,
    ) -> None:
        self._loop, self._network = loop, network
        self._own, self._host = os.openpty()
        for end in (self._own, self._host):
            tty.setraw(end)
        os.set_blocking(self._own, False)
        self.path = os.ttyname(self._host)
        with suppress(OSError):
            _claim(self._host)  # says to other servers that this one lives
        self._hosts = Hosts(self.path, self._host)
        self._queue = bytearray()
        self._shared = 0.0
        self.lost = 0
        self._link = _linked(link, self.path)
        network.send = self.send
        if self._hosts.file >= 0:
            loop.add(self._hosts.file, self._forget)
        loop.add(self._own, self._read, self._flush)

    @property
    def name(self) -> str:
        """The path for a client: the link, or the terminal itself."""
        return str(self._link) if self._link is not None else self.path

    def _forget(self) -> None:
        """What a host that has gone did not read, or did not end, is not for the next one."""
        if self._hosts.left():
            self._queue.clear()
            self._loop.watch_writes(self._own, False)
            with suppress(termios.error):
                termios.tcflush(self._host, termios.TCIFLUSH)
            self._network.clear()

    def _read(self) -> None:
        if self._hosts.file >= 0:
            self._forget()  # before the next host is answered
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
        if self._hosts.file >= 0:
            self._loop.remove(self._hosts.file)
        self._hosts.close()
        self._loop.remove(self._own)
        os.close(self._own)
        os.close(self._host)
        if self._link is not None and os.path.islink(self._link) and os.readlink(self._link) == self.path:
            self._link.unlink()


def _linked(link: str | os.PathLike[str] | None, target: str) -> Path | None:
    """A symbolic link to the terminal. A link that a dead server left is replaced; anything else of that name stays."""
    if link is None:
        return None
    path = Path(link)
    if path.is_symlink():
        if _is_served(path):
            raise GearwrightError(f"{path} is the port of another server: give another --link")
        path.unlink()
    try:
        path.symlink_to(target)
    except OSError as error:
        raise GearwrightError(f"cannot make the link {path}: {error.strerror}") from error
    return path


def _claim(terminal: int) -> None:
    """Locks an open terminal; raises where another server holds it.

    On Linux the lock belongs to the open file, so that a client of the same process does not end it by closing its own.
    """
    if hasattr(fcntl, "F_OFD_SETLK"):
        fcntl.fcntl(terminal, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
    else:
        fcntl.lockf(terminal, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_served(link: Path) -> bool:
    """Whether a server that lives has the terminal that a link leads to."""
    try:
        terminal = os.open(link, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        _claim(terminal)
    except OSError:
        return True
    finally:
        os.close(terminal)
    return False
