"""Serial CAN adapters that a pseudo-terminal can be: one row each."""

from __future__ import annotations

from gearwright.hardware.transports.can_text import CanText
from gearwright.hardware.transports.fdcanusb import Fdcanusb
from gearwright.hardware.transports.slcan import Slcan

ADAPTERS: dict[str, type[CanText]] = {"slcan": Slcan, "fdcanusb": Fdcanusb}
