"""AgileX' Piper with its own SDK, unmodified."""

from __future__ import annotations

import pytest
from pytest import approx

import gearwright as gw
from gearwright.hardware.frames import Frame
from gearwright.hardware.rig import Rig
from tests.hardware.vendors import output, running, wheels

SDK = """
import time
from piper_sdk import C_PiperInterface_V2
piper = C_PiperInterface_V2("can0", judge_flag=False)
piper.ConnectPort()
end = time.monotonic() + 10
while not piper.EnablePiper() and time.monotonic() < end:
    time.sleep(0.01)
while not isinstance(version := piper.GetPiperFirmwareVersion(), str) and time.monotonic() < end:
    time.sleep(0.01)  # the answer arrives in a thread of the SDK
print(version)
factor = 57295.7795
goals = [0.2, 0.2, -0.2, 0.3, -0.2, 0.5]
joints = [round(g * factor) for g in goals]
while time.monotonic() < end:
    piper.MotionCtrl_2(0x01, 0x01, 100, 0x00)
    piper.JointCtrl(*joints)
    piper.GripperCtrl(80000, 1000, 0x01, 0)
    time.sleep(0.01)
    state = piper.GetArmJointMsgs().joint_state
    found = [getattr(state, f"joint_{k}") for k in range(1, 7)]
    if all(abs(a - b) < 300 for a, b in zip(found, joints)):
        break
print(*found)
print(piper.GetArmGripperMsgs().gripper_state.grippers_angle, *piper.GetArmEnableStatus())
"""


def test_piper_sdk():
    pytest.importorskip("piper_sdk")
    with (
        gw.serve(gw.loads(wheels(7, 0.01)), protocol="piper") as bench,
        running(SDK + "import os\nos._exit(0)\n", channels={"can0": bench.channel}) as client,
    ):
        version, joints, gripper = output(client, 40).splitlines()[-3:]
        assert bench.sim.position["j3"] == approx(-0.2, abs=0.02)
    assert version == "S-V1.6-3"
    assert [int(x) * 1e-3 for x in joints.split()] == approx([11.46, 11.46, -11.46, 17.19, -11.46, 28.65], abs=0.4)
    assert abs(int(gripper.split()[0]) - 80000) < 20000 and gripper.split()[1:] == ["True"] * 6


@pytest.fixture
def rig():
    return Rig.of(gw.loads(wheels(7, 0.01)), "piper")


def test_goals_need_power_and_the_mode_of_can_control(rig):
    goal = Frame(0x155, (20000).to_bytes(4, "big") + bytes(4))
    rig.send(goal)
    rig.step(500)
    assert rig.devices["j1"].count == 0
    rig.send(Frame(0x471, bytes((7, 2, *bytes(6)))))
    rig.send(goal)
    rig.step(500)
    assert abs(rig.devices["j1"].count) < 5  # standby
    rig.send(Frame(0x151, bytes((1, 1, 50, 0, *bytes(4)))))
    rig.send(goal)
    rig.step(1500)
    assert rig.devices["j1"].count == approx(20000, abs=50)
    rig.send(Frame(0x150, bytes((1, *bytes(7)))))
    rig.send(Frame(0x155, bytes(8)))
    rig.step(500)
    assert rig.devices["j1"].count == approx(20000, abs=50)  # stopped


def test_impedance_frames_have_a_checksum(rig):
    rig.send(Frame(0x471, bytes((7, 2, *bytes(6)))))
    rig.send(Frame(0x151, bytes((1, 4, 0, 0xAD, *bytes(4)))))
    data = bytearray.fromhex("8A3D7FF0CD8667F0")
    check = 0
    for byte in data[:7]:
        check ^= byte
    data[7] = data[7] & 0xF0 | check & 0xF
    rig.send(Frame(0x15A, bytes(data)))
    assert rig.devices["j1"].malformed == 0 and rig.plant.drives["j1"].setpoint.kp > 0
    data[7] ^= 1
    rig.send(Frame(0x15A, bytes(data)))
    assert rig.devices["j1"].malformed == 1
