"""ODrives on CAN."""

from __future__ import annotations

from collections.abc import Mapping

from gearwright.hardware.device import Device
from gearwright.hardware.protocols import Protocol, dbc
from gearwright.hardware.protocols.odrive.device import ODrive
from gearwright.hardware.protocols.odrive.messages import messages


class CanSimple(Protocol):
    """Its frames have fixed places."""

    def dbc(self, devices: Mapping[str, Device]) -> str:
        return dbc.written(m for d in devices.values() if isinstance(d, ODrive) for m in messages(d.node))


PROTOCOL = CanSimple(
    name="odrive",
    title="ODrive CANSimple",
    device=ODrive,
    nodes=range(0, 63),
    client='ODriveCAN(axis_id={node}, can_bus=can.Bus(interface="gearwright", channel="{channel}"))',
)
