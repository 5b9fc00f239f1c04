"""Protocols: each is a table of registers or objects, the machine that serves them, and one row in `PROTOCOLS`.

Other packages add theirs by an entry point of the group `gearwright.protocols` that names a `Protocol`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Literal

from gearwright.errors import ModelError, UnknownNameError
from gearwright.hardware.device import CanDevice, Device, SerialLine
from gearwright.hardware.frames import Frame
from gearwright.hardware.motors import Motor
from gearwright.model.hardware.device_bindings import PROTOCOLS

# Names that people call protocols by, and the protocol that they mean
OTHER_NAMES = {
    "canopen": "cia402", "ds402": "cia402", "cia301": "cia402", "cansimple": "odrive", "scservo": "feetech",
    "sts3215": "feetech", "mit": "damiao", "hls": "feetech_hls", "scs": "feetech_scs", "scscl": "feetech_scs",
}  # fmt: skip

__all__ = ["PROTOCOLS", "Protocol", "protocol"]


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """One protocol: its device, the products that speak it, and what a client types."""

    name: str  # in files and of `--protocol`
    title: str  # for people
    device: type[Device]  # a CanDevice or a SerialDevice
    line: type[SerialLine] | None = None  # of a serial protocol
    models: Mapping[str, Motor] = field(default_factory=lambda: {"": Motor()})  # products; the first is the default
    nodes: range = range(1, 128)  # ids that a device may have
    first: int = 1  # id as delivered; others count up from it
    baud: int = 1_000_000  # of a serial line
    tcp: int = 0  # port of the daemon that its clients talk to instead of a serial line; 0: none
    sync_id: int | None = None  # of the frame that is the bus's common cycle
    fd: bool = False  # whether its frames are CAN FD
    geared: bool = False  # whether its products have a gear inside, and count at its output
    integral: bool = False  # whether servos get an I gain if no product is named
    turn: float = inf  # [rad] that its products can measure, with the joint's zero in the middle
    in_counts: bool = False  # whether positions on its bus are rounded to counts of the encoder
    adapter: str = ""  # serial CAN adapter that its clients look for, a name of `transports.adapters`
    client: str = ""  # what to type, with {channel}, {port}, {node}, {eds}, {get_eds}

    def __post_init__(self) -> None:
        if self.bus == "serial" and self.line is None:
            raise ModelError(f"protocol {self.name!r}: serial devices need a line")

    @property
    def bus(self) -> Literal["can", "serial"]:
        """Where its devices are."""
        return "can" if issubclass(self.device, CanDevice) else "serial"

    def motor(self, model: str | None) -> Motor:
        """The numbers of a product."""
        name = next(iter(self.models)) if model is None else model
        if name not in self.models:
            raise UnknownNameError(f"model of protocol {self.name!r}", name, self.models)
        return self.models[name]

    @property
    def has_sync(self) -> bool:
        """Whether the bus has a common cycle."""
        return self.sync_id is not None or type(self).is_sync is not Protocol.is_sync

    def eds(self, device: Device) -> str:
        """The electronic data sheet of a device, as text; protocols over CANopen have one."""
        raise ModelError(f"{self.title} has no EDS files: they describe CANopen devices")

    def dbc(self, devices: Mapping[str, Device]) -> str:
        """The frames of these devices as a DBC file's text, where the protocol can be described so."""
        raise ModelError(f"{self.title} has no DBC file")

    def is_sync(self, frame: Frame) -> bool:
        """Whether a frame is the bus's common cycle, which lockstep advances on."""
        return frame.id == self.sync_id and not frame.extended and not frame.remote


def protocol(name: str) -> Protocol:
    """The protocol of that name; an unknown one raises with the nearest."""
    if name not in PROTOCOLS:
        meant = OTHER_NAMES.get(name.lower())
        raise UnknownNameError("protocol", name, list(PROTOCOLS), hint=f"{name} is {meant!r} here" if meant else "")
    found: Protocol = PROTOCOLS[name]
    return found
