"""A protocol of another package: its entry point alone makes it known to files and to a rig."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gearwright as gw
from gearwright.kinds import PROTOCOLS, Frame, Rig
from tests.installed import install

MODULE = """
from gearwright.kinds import CanDevice, Frame, Protocol, Torque

class Simple(CanDevice):
    def on_frame(self, frame, t):
        if frame.id != 0x100 + self.node or len(frame.data) != 2:
            return []
        self.drive.write(Torque(1e-3 * int.from_bytes(frame.data, "little", signed=True)))
        micro = round(1e6 * self.drive.sample.position)
        return [Frame(0x180 + self.node, micro.to_bytes(4, "little", signed=True))]

SIMPLE = Protocol(name="plain_torque", title="Plain torque", device=Simple)
"""
ROBOT = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<actuator name="motor" type="ideal"><joint>j</joint><device protocol="plain_torque" node="3"/>
</actuator></robot>"""
TORQUE, INERTIA, STEPS = 0.05, 0.1, 100


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = "[gearwright.protocols]\nplain_torque = plain_torque:SIMPLE\n"
    install(tmp_path, "plain_torque", points, {"plain_torque.py": MODULE})
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("package")
def test_a_file_names_it() -> None:
    """The shaft turns by ½·α·t² after its torque command."""
    assert "plain_torque" in PROTOCOLS
    rig = Rig.of(gw.loads(ROBOT))
    rig.send(Frame(0x103, round(1e3 * TORQUE).to_bytes(2, "little")))
    rig.step(STEPS)
    (answer,) = rig.send(Frame(0x103, bytes(2)))
    turned = 1e-6 * int.from_bytes(answer.data, "little", signed=True)
    assert answer.id == 0x183
    assert turned == pytest.approx(0.5 * TORQUE / INERTIA * (STEPS * 1e-3) ** 2, abs=1e-6)  # the unit of the answer


def test_without_the_package_it_is_unknown() -> None:
    with pytest.raises(gw.LoadError, match=re.escape("'plain_torque'")):
        gw.loads(ROBOT)
