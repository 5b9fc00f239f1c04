"""Protocols: each is a table of registers or objects, the machine that serves them, and one row in `PROTOCOLS`.

Other packages add theirs by an entry point of the group `gearwright.protocols` that names a `Protocol`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from gearwright.errors import ModelError, UnknownNameError
from gearwright.hardware.device import CanDevice, Device, SerialLine
from gearwright.hardware.frames import Frame
from gearwright.hardware.motors import Motor
from gearwright.model.device_bindings import PROTOCOLS

__all__ = ["PROTOCOLS", "Protocol", "protocol"]


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """One protocol: its device, the products that speak it, and what a client types."""

    name: str
    title: str
    device: type[Device]  # a CanDevice or a SerialDevice
    line: type[SerialLine] | None = None  # of a serial protocol
    models: Mapping[str, Motor] = field(default_factory=lambda: {"": Motor()})  # products; the first is the default
    nodes: range = range(1, 128)  # ids that a device may have
    baud: int = 1_000_000  # of a serial line
    fd: bool = False  # whether its frames are CAN FD
    client: str = ""  # what to type, with {channel}, {port}, {node}

    def __post_init__(self) -> None:
        if self.bus == "serial" and self.line is None:
            raise ModelError(f"protocol {self.name!r}: serial devices need a line")

    @property
    def bus(self) -> Literal["can", "serial"]:
        return "can" if issubclass(self.device, CanDevice) else "serial"

    def motor(self, model: str | None) -> Motor:
        """The numbers of a product."""
        name = next(iter(self.models)) if model is None else model
        if name not in self.models:
            raise UnknownNameError(f"model of protocol {self.name!r}", name, self.models)
        return self.models[name]

    def is_sync(self, frame: Frame) -> bool:
        """Whether a frame is the bus's common cycle, which lockstep advances on."""
        return False


def protocol(name: str) -> Protocol:
    """The protocol of that name; an unknown one raises with the nearest."""
    if name not in PROTOCOLS:
        raise UnknownNameError("protocol", name, list(PROTOCOLS))
    found: Protocol = PROTOCOLS[name]
    return found
