"""python-can's `interface="gearwright"`: a bus of a simulated robot, found by its channel's name.

    bus = can.Bus(interface="gearwright", channel="can0")

Loaded by python-can through the entry point `can.interface`.
"""

from __future__ import annotations

import select
import socket
from collections import deque
from time import monotonic
from typing import Any

import can

from gearwright.errors import GearwrightError
from gearwright.hardware.frames import Frame
from gearwright.hardware.transports import can_socket
from gearwright.hardware.transports.messages import frame_of, message_of


class Bus(can.BusABC):
    """A client's bus in a process of its own. Filters work as in every python-can bus; bit rates do nothing."""

    def __init__(self, channel: Any = "can0", receive_own_messages: bool = False, **options: Any) -> None:
        self._own = receive_own_messages
        self._socket = _connected(str(channel))
        self._frames, self._waiting = can_socket.Unpacker(), deque[tuple[Frame, float]]()
        self.channel = str(channel)
        self.channel_info = f"gearwright {channel}"
        super().__init__(channel=channel, **options)
        self._can_protocol = can.CanProtocol.CAN_FD

    def send(self, msg: can.Message, timeout: float | None = None) -> None:
        try:
            self._socket.sendall(can_socket.packed(frame_of(msg), 0.0))
        except OSError as error:
            raise can.CanOperationError(f"the simulated bus {self.channel!r} is gone: {error}") from error
        if self._own:
            self._waiting.append((frame_of(msg), monotonic()))

    def _recv_internal(self, timeout: float | None) -> tuple[can.Message | None, bool]:
        end = None if timeout is None else monotonic() + timeout
        while not self._waiting:
            left = None if end is None else max(0.0, end - monotonic())
            ready, _, _ = select.select([self._socket], [], [], left)
            if ready:
                self._read()
            elif left is not None:
                return None, False
        frame, t = self._waiting.popleft()
        return message_of(frame, t, self.channel), False

    def _read(self) -> None:
        try:
            data = self._socket.recv(65536)
        except OSError as error:
            raise can.CanOperationError(f"the simulated bus {self.channel!r} is gone: {error}") from error
        if not data:
            raise can.CanOperationError(f"the server of the simulated bus {self.channel!r} has closed it")
        self._waiting.extend(self._frames.feed(data))

    def fileno(self) -> int:
        return self._socket.fileno()

    def shutdown(self) -> None:
        super().shutdown()
        self._socket.close()

    @staticmethod
    def _detect_available_configs() -> list[Any]:
        return [{"interface": "gearwright", "channel": channel} for channel in can_socket.channels()]


def _connected(channel: str) -> socket.socket:
    """A connection whose server has said hello."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(5.0)
        connection.connect(str(can_socket.path_of(channel)))
        hello = b""
        while not hello.endswith(b"\n") and len(hello) < 200:
            byte = connection.recv(1)
            if not byte:
                break
            hello += byte
        if hello != can_socket.HELLO:
            raise can.CanInitializationError(hello.decode(errors="replace").strip() or "closed before hello")
        connection.settimeout(None)
    except (OSError, GearwrightError) as error:
        connection.close()
        known = ", ".join(can_socket.channels()) or "none"
        raise can.CanInitializationError(
            f"no simulated robot listens on channel {channel!r} (there are: {known}); start one with "
            f"`gearwright serve FILE --channel {channel}`: {error}"
        ) from error
    except BaseException:
        connection.close()
        raise
    return connection
