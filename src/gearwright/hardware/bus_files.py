"""Files that describe a bus to other tools: EDS of CANopen drives, one DBC for all frames that have fixed places."""

from __future__ import annotations

from pathlib import Path

from gearwright.errors import GearwrightError
from gearwright.hardware.protocols import dbc
from gearwright.hardware.protocols.cia402 import files
from gearwright.hardware.protocols.cia402.device import Cia402
from gearwright.hardware.protocols.mit import messages as mit
from gearwright.hardware.protocols.mit.damiao import Damiao
from gearwright.hardware.protocols.mit.mini_cheetah import MitDrive
from gearwright.hardware.protocols.odrive import ODrive
from gearwright.hardware.protocols.odrive_messages import messages as odrive_messages
from gearwright.hardware.rig import Rig


def eds(rig: Rig) -> dict[int, str]:
    """Texts of the CiA 402 drives' EDS files, by node. Drives with other encoders or ratings have other defaults."""
    return {device.node: files.eds(device) for device in rig.can if isinstance(device, Cia402)}


def write_eds(rig: Rig, folder: str | Path) -> list[Path]:
    """`node_1.eds` and so on; the paths that were written."""
    texts = eds(rig)
    if not texts:
        raise GearwrightError("no actuator is on CANopen: EDS files describe CiA 402 drives alone")
    Path(folder).mkdir(parents=True, exist_ok=True)
    made = []
    for node, text in texts.items():
        path = Path(folder) / f"node_{node}.eds"
        path.write_text(text, encoding="ascii")
        made.append(path)
    return made


def dbc_text(rig: Rig) -> str:
    """One DBC file for the bus. moteus and RobStride have no fixed places, and are left out."""
    messages: list[dbc.Message] = []
    for device in rig.can:
        if isinstance(device, Cia402):
            messages += files.messages(device)
        elif isinstance(device, ODrive):
            messages += odrive_messages(device.node)
        elif isinstance(device, Damiao):
            messages += mit.damiao(device.node, int(device.registers[7]), device.ranges)
        elif isinstance(device, MitDrive):
            messages += mit.mini_cheetah(device.node, device.ranges)
    if not messages:
        raise GearwrightError("a DBC file cannot describe this bus: its drives have no frames with fixed places")
    return dbc.written(messages)


def write_dbc(rig: Rig, path: str | Path) -> Path:
    Path(path).write_text(dbc_text(rig), encoding="utf-8")
    return Path(path)
