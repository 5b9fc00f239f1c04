"""Serial CAN adapters that a pseudo-terminal can be: one row each."""

from __future__ import annotations

from gearwright.hardware.transports.can_text import CanText
from gearwright.hardware.transports.dm_serial import DmSerial
from gearwright.hardware.transports.fdcanusb import Fdcanusb
from gearwright.hardware.transports.slcan import Slcan

ADAPTERS: dict[str, type[CanText] | type[DmSerial]] = {"slcan": Slcan, "fdcanusb": Fdcanusb, "dm_serial": DmSerial}
