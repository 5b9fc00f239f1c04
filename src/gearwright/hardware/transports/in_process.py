"""python-can buses in the server's own process: `bench.can()`, and any other python-can bus that is bridged."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from threading import Condition, Thread
from time import monotonic
from typing import Any

import can

from gearwright.errors import GearwrightError
from gearwright.hardware.frames import Frame
from gearwright.hardware.networks import CanNetwork
from gearwright.hardware.transports.messages import frame_of, message_of

HEARS_ITSELF = frozenset({"udp_multicast"})  # interfaces of python-can that give back what is sent
MOST_ECHOES = 10_000  # frames on their way back
LONGEST_QUEUE = 100_000  # frames that wait for a reader; the oldest are lost, as in a full receive buffer


class InProcessBus(can.BusABC):
    """A bus without sockets: a frame that is sent has been answered when `send` returns."""

    def __init__(
        self, network: CanNetwork, lock: Any, channel: str, receive_own_messages: bool = False, bridged: bool = False
    ) -> None:
        self._network, self._lock = network, lock
        self._own = receive_own_messages
        self._waiting: deque[tuple[Frame, float]] = deque(maxlen=LONGEST_QUEUE)
        self._changed = Condition()
        self.channel_info = f"gearwright {channel}, in process"
        super().__init__(channel=channel)
        self._can_protocol = can.CanProtocol.CAN_FD
        with lock:
            network.attach(self, bridged)

    def deliver(self, frame: Frame, t: float) -> None:
        with self._changed:
            self._waiting.append((frame, t))
            self._changed.notify()

    def send(self, msg: can.Message, timeout: float | None = None) -> None:
        frame = frame_of(msg)
        with self._lock:
            if self._own:
                self.deliver(frame, self._network.rig.time)
            self._network.transmit(frame, self)

    def _recv_internal(self, timeout: float | None) -> tuple[can.Message | None, bool]:
        end = None if timeout is None else monotonic() + timeout
        with self._changed:
            while not self._waiting:
                left = None if end is None else end - monotonic()
                if left is not None and left <= 0.0:
                    return None, False
                self._changed.wait(left)
            frame, t = self._waiting.popleft()
        return message_of(frame, t), False

    def shutdown(self) -> None:
        with self._lock:
            self._network.detach(self)
        super().shutdown()


class BridgedBus:
    """Any python-can bus, `interface:channel`: its frames reach the devices, and theirs it."""

    def __init__(self, network: CanNetwork, name: str, lock: Any) -> None:
        interface, _, channel = name.partition(":")
        self._network, self._lock = network, lock
        try:
            self._bus = can.Bus(interface=interface, channel=channel or None)
        except Exception as error:  # a back end of python-can may raise anything
            raise GearwrightError(f"python-can cannot open {name!r}: {error}") from error
        self.name, self._open = name, True
        self._echoes: deque[Frame] | None = deque(maxlen=MOST_ECHOES) if interface in HEARS_ITSELF else None
        network.attach_bridge(self)
        self._thread = Thread(target=self._receive, name=f"can {name}", daemon=True)
        self._thread.start()

    @property
    def description(self) -> str:
        interface, _, channel = self.name.partition(":")
        return f'can.Bus(interface="{interface}", channel="{channel}")'

    def _receive(self) -> None:
        while self._open:
            with suppress(can.CanError, OSError, ValueError):
                message = self._bus.recv(0.1)
                if message is not None and not message.is_error_frame:
                    with self._lock:
                        frame = frame_of(message)
                        if self._open and not self._is_echo(frame):
                            self._network.transmit(frame, self)

    def _is_echo(self, frame: Frame) -> bool:
        """Whether it is one of our own that comes back."""
        if self._echoes is None or frame not in self._echoes:
            return False
        self._echoes.remove(frame)
        return True

    def deliver(self, frame: Frame, t: float) -> None:
        if self._echoes is not None:
            self._echoes.append(frame)
        with suppress(can.CanError, OSError, ValueError):
            self._bus.send(message_of(frame, 0.0), timeout=0)

    def close(self) -> None:
        self._open = False
        self._network.detach(self)
        self._bus.shutdown()
