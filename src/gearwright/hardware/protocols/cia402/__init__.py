"""CiA 402 drives over CANopen: the object dictionary as a table, and the machines that serve it."""

from __future__ import annotations

from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols import Protocol
from gearwright.hardware.protocols.cia402.device import Cia402


class CanOpen(Protocol):
    """Lockstep advances on SYNC."""

    def is_sync(self, frame: Frame) -> bool:
        return frame.id == 0x80 and not frame.extended and not frame.remote


PROTOCOL = CanOpen(
    name="cia402",
    title="CiA 402 over CANopen",
    device=Cia402,
    client='network.connect(interface="gearwright", channel="{channel}"); canopen.BaseNode402({node}, "robot.eds")',
)
