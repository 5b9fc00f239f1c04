"""Drives that take position, velocity, gains and torque in one frame: mini-cheetah and its descendants."""

from __future__ import annotations

from gearwright.hardware.protocols import Protocol
from gearwright.hardware.protocols.mit import models
from gearwright.hardware.protocols.mit.damiao import Damiao
from gearwright.hardware.protocols.mit.mini_cheetah import CubeMars, MiniCheetah
from gearwright.hardware.protocols.mit.robstride import RobStride

MINI_CHEETAH = Protocol(
    name="mini_cheetah",
    title="mini-cheetah",
    device=MiniCheetah,
    models=models.MINI_CHEETAH,
    client='can.Bus(interface="gearwright", channel="{channel}"), id {node}',
)
CUBEMARS = Protocol(
    name="cubemars",
    title="CubeMars AK, MIT mode",
    device=CubeMars,
    models=models.CUBEMARS,
    client='can.Bus(interface="gearwright", channel="{channel}"), id {node}',
)
DAMIAO = Protocol(
    name="damiao",
    title="Damiao",
    device=Damiao,
    models=models.DAMIAO,
    nodes=range(1, 16),
    client='DaMiaoController("{channel}", "gearwright").add_motor({node}, 0x10 + {node}, motor_type="4310")',
)
ROBSTRIDE = Protocol(
    name="robstride",
    title="RobStride",
    device=RobStride,
    models=models.ROBSTRIDE,
    client='can.Bus(interface="gearwright", channel="{channel}"), extended ids, address {node}',
)
