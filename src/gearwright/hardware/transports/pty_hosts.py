"""Whether a host has a pseudo-terminal open: Linux says when it is opened and closed (inotify)."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from struct import Struct

OPENED, CLOSED = 0x20, 0x08 | 0x10  # IN_OPEN; IN_CLOSE_WRITE, IN_CLOSE_NOWRITE
FLAGS = os.O_NONBLOCK | os.O_CLOEXEC if sys.platform == "linux" else 0
_EVENT = Struct("iIII")  # watch, mask, cookie, length of the name that follows


class Hosts:
    """The hosts of a terminal, beside the server's own end of it. `file` is -1 where nobody tells."""

    def __init__(self, path: str, own: int) -> None:
        self.file, self._path, self._own = -1, path, own
        if sys.platform != "linux":
            return
        with suppress(OSError, AttributeError):
            libc = ctypes.CDLL(None, use_errno=True)
            file = libc.inotify_init1(FLAGS)
            if file >= 0 and libc.inotify_add_watch(file, os.fsencode(path), OPENED | CLOSED) < 0:
                os.close(file)
                file = -1
            self.file = file

    def left(self) -> bool:
        """Whether a host has closed the terminal since the last call, and none has it open now."""
        closed = False
        for mask in self._events():
            closed = bool(mask & CLOSED)
        return closed and not self._held()

    def _held(self) -> bool:
        """Opened files of processes that this user may see. Events do not count them: equal ones are merged."""
        own = f"/proc/{os.getpid()}/fd/{self._own}"
        for process in filter(str.isdecimal, os.listdir("/proc")):
            with suppress(OSError), os.scandir(f"/proc/{process}/fd") as files:
                for file in files:
                    if file.path != own and _target(file.path) == self._path:
                        return True
        return False

    def _events(self) -> Iterator[int]:
        try:
            data = os.read(self.file, 65536)
        except OSError:
            return
        at = 0
        while at + _EVENT.size <= len(data):
            _, mask, _, name = _EVENT.unpack_from(data, at)
            at += _EVENT.size + name
            yield mask

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)


def _target(link: str) -> str:
    try:
        return os.readlink(link)
    except OSError:  # closed meanwhile
        return ""
