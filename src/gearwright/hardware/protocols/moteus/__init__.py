"""moteus controllers: multiplex registers over CAN FD."""

from __future__ import annotations

from gearwright.hardware.protocols import Protocol
from gearwright.hardware.protocols.moteus.device import Moteus

PROTOCOL = Protocol(
    name="moteus",
    title="moteus",
    device=Moteus,
    nodes=range(1, 127),
    fd=True,
    adapter="fdcanusb",
    client='moteus.Controller(id={node}, transport=moteus.Fdcanusb("{port}"))',
)
