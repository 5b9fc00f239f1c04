"""python-can's `interface="socketcan"` in a driver that `gearwright with-bus` has started."""

from __future__ import annotations

from time import time
from typing import Any

import can

from gearwright.hardware.can_plugin import Bus
from gearwright.hardware.with_bus.aliases import table


class SocketcanBus(Bus):
    """A bus of a simulated robot under the name of a SocketCAN interface."""

    def __init__(self, channel: Any = "can0", **options: Any) -> None:
        super().__init__(table("GEARWRIGHT_WITH_CAN").get(str(channel), str(channel)), **options)

    def _recv_internal(self, timeout: float | None) -> tuple[can.Message | None, bool]:
        """With the wall clock's time, as the kernel stamps frames: drivers compare it with their own."""
        message, filtered = super()._recv_internal(timeout)
        if message is not None:
            message.timestamp = time()
        return message, filtered
