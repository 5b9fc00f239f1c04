"""Which protocol an actuator speaks, and under which id: `<device protocol="cia402" node="3"/>` of a file.

The table of protocols is here so that files can be checked against its names; what a row points at is imported by
`gearwright.hardware` alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gearwright.diagnostics import Source
from gearwright.errors import ModelError
from gearwright.registry import Registry

_HERE = "gearwright.hardware.protocols"
PROTOCOLS: Registry[Any] = Registry(
    "gearwright.protocols",
    {
        "feetech": f"{_HERE}.feetech:PROTOCOL",
        "feetech_hls": f"{_HERE}.feetech:HLS",
        "feetech_scs": f"{_HERE}.feetech:SCS",
        "dynamixel": f"{_HERE}.dynamixel:PROTOCOL",
        "dynamixel1": f"{_HERE}.dynamixel1:PROTOCOL",
        "lx16a": f"{_HERE}.lx16a:PROTOCOL",
        "robotiq": f"{_HERE}.robotiq:PROTOCOL",
        "pigpio": f"{_HERE}.pigpio:PROTOCOL",
        "cia402": f"{_HERE}.cia402:PROTOCOL",
        "odrive": f"{_HERE}.odrive:PROTOCOL",
        "mini_cheetah": f"{_HERE}.mit:MINI_CHEETAH",
        "cubemars": f"{_HERE}.mit:CUBEMARS",
        "damiao": f"{_HERE}.mit:DAMIAO",
        "robstride": f"{_HERE}.mit:ROBSTRIDE",
        "robstride_mit": f"{_HERE}.mit:ROBSTRIDE_MIT",
        "cubemars_servo": f"{_HERE}.vesc:CUBEMARS_SERVO",
        "vesc": f"{_HERE}.vesc:VESC",
        "rmd": f"{_HERE}.rmd:PROTOCOL",
        "piper": f"{_HERE}.piper:PROTOCOL",
        "moteus": f"{_HERE}.moteus:PROTOCOL",
    },
)


@dataclass(frozen=True, kw_only=True)
class DeviceBinding:
    """The protocol of one actuator. A node that is not given counts up in the actuators' order."""

    protocol: str
    node: int | None = None
    model: str | None = None  # a row of the protocol's table of products
    options: tuple[tuple[str, str], ...] = ()  # of the protocol
    source: Source | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.protocol:
            raise ModelError('a device needs a protocol, e.g. <device protocol="feetech" node="1"/>')
        if self.node is not None and self.node < 0:
            raise ModelError(f"a device's node must be a whole number, 0 or more, not {self.node}")
