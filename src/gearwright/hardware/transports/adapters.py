"""Serial CAN adapters that a pseudo-terminal can be: one row each."""

from __future__ import annotations

from gearwright.hardware.transports.can_text import CanText
from gearwright.hardware.transports.dm_serial import DmSerial
from gearwright.hardware.transports.fdcanusb import Fdcanusb
from gearwright.hardware.transports.slcan import Slcan
from gearwright.hardware.transports.vesc_serial import VescSerial

ADAPTERS: dict[str, type[CanText | DmSerial | VescSerial]] = {
    "slcan": Slcan, "fdcanusb": Fdcanusb, "dm_serial": DmSerial, "vesc_serial": VescSerial,
}  # fmt: skip
