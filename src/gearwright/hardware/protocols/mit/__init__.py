"""Drives that take position, velocity, gains and torque in one frame: mini-cheetah and its descendants."""

from __future__ import annotations

from collections.abc import Mapping

from gearwright.hardware.device import Device
from gearwright.hardware.protocols import Protocol, dbc
from gearwright.hardware.protocols.mit import messages, products
from gearwright.hardware.protocols.mit.damiao import Damiao
from gearwright.hardware.protocols.mit.mini_cheetah import CubeMars, MiniCheetah, MitDrive
from gearwright.hardware.protocols.mit.robstride import RobStride
from gearwright.hardware.protocols.mit.robstride_mit import RobStrideMit

_BUS = 'can.Bus(interface="gearwright", channel="{channel}")'


class MitProtocol(Protocol):
    """Its frames have fixed places."""

    def dbc(self, devices: Mapping[str, Device]) -> str:
        rows: list[dbc.Message] = []
        for d in devices.values():
            if isinstance(d, Damiao):
                rows += messages.damiao(d.node, int(d.registers[7]), d.ranges)
            elif isinstance(d, MitDrive) and not isinstance(d, RobStrideMit):
                rows += messages.mini_cheetah(d.node, d.ranges)
        return dbc.written(rows)


MINI_CHEETAH = MitProtocol(
    name="mini_cheetah",
    title="mini-cheetah",
    geared=True,
    device=MiniCheetah,
    models=products.MINI_CHEETAH,
    client=f"{_BUS}, id {{node}}",
)
CUBEMARS = MitProtocol(
    name="cubemars",
    title="CubeMars AK, MIT mode",
    geared=True,
    device=CubeMars,
    models=products.CUBEMARS,
    client=f"{_BUS}, id {{node}}",
)
DAMIAO = MitProtocol(
    name="damiao",
    title="Damiao",
    geared=True,
    device=Damiao,
    models=products.DAMIAO,
    nodes=range(1, 16),
    client='DaMiaoController("{channel}", "gearwright").add_motor({node}, 0x10 + {node}, motor_type="4310")',
)
ROBSTRIDE = Protocol(
    name="robstride",
    title="RobStride",
    geared=True,
    device=RobStride,
    models=products.ROBSTRIDE,
    client=f"{_BUS}, extended ids, address {{node}}",
)
ROBSTRIDE_MIT = MitProtocol(
    name="robstride_mit",
    title="RobStride, MIT dialect",
    geared=True,
    device=RobStrideMit,
    models=products.ROBSTRIDE,
    client=f"{_BUS}, id {{node}}",
)
