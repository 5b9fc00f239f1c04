"""CiA 402 drives over CANopen: the object dictionary as a table, and the machines that serve it."""

from __future__ import annotations

from collections.abc import Mapping

from gearwright.hardware.device import Device
from gearwright.hardware.protocols import Protocol, dbc
from gearwright.hardware.protocols.cia402 import files
from gearwright.hardware.protocols.cia402.device import Cia402


class CanOpen(Protocol):
    """A protocol whose devices have an object dictionary."""

    def eds(self, device: Device) -> str:
        return files.eds(device) if isinstance(device, Cia402) else super().eds(device)

    def dbc(self, devices: Mapping[str, Device]) -> str:
        return dbc.written(m for d in devices.values() if isinstance(d, Cia402) for m in files.messages(d))


PROTOCOL = CanOpen(
    name="cia402",
    title="CiA 402 over CANopen",
    device=Cia402,
    sync_id=0x80,
    in_counts=True,
    client='network.connect(interface="gearwright", channel="{channel}"); '
    'canopen.BaseNode402({node}, "{eds}"){get_eds}',
)
