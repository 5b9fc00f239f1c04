"""Clients from PyPI, unmodified, each in a process of its own: odrive-can, damiao-motor, moteus."""

from __future__ import annotations

import json
from math import tau

import pytest

import gearwright as gw
from tests.hardware.clients.running import run_client
from tests.tolerances import ROUNDING


def test_odrive_can():
    with gw.serve("canopen_arm", protocol="odrive", options={"watchdog": "0.3"}) as bench:
        node = bench.rig.devices["right_jaw_motor"].node
        run_client(bench, "odrive.py", bench.channel, node, check=odrive)


def odrive(found):
    assert found["position"] == pytest.approx(
        2.0, abs=0.01
    )  # slack: the integral still works against the jaws' friction
    assert found["cyclic"] > 30  # every 10 ms
    assert found["bus"]["Bus_Voltage"] == pytest.approx(24.0, rel=ROUNDING)
    assert found["velocity"] == pytest.approx(3.0, abs=0.1)  # read at any moment
    assert "MOTOR_OVER_TEMP" in found["hot"]
    assert "WATCHDOG_TIMER_EXPIRED" in found["watchdog"] and found["idle"] == "IDLE"
    assert "timeout" in found["silence"]


@pytest.mark.slow
def test_odrive_can_on_its_own_bus():
    with gw.serve("canopen_arm", protocol="odrive", can=["udp_multicast:224.0.0.1"]) as bench:
        found = run_client(bench, "odrive_multicast.py", bench.node)
    assert found["state"] == "CLOSED_LOOP_CONTROL" and "Iq_Measured" in found["iq"]


def test_damiao_motor():
    with gw.serve("damiao_arm") as bench:
        run_client(bench, "damiao.py", bench.channel, check=damiao)
        with bench.lock:
            gripper, follower = (bench.sim.port(0).position(name)() for name in ("gripper", "left_jaw"))
    assert follower == pytest.approx(gripper, abs=ROUNDING) and gripper < -0.3


def damiao(found):
    assert found["registers"] == 53 and found["unread"] == [] and found["ranges"] == 54.0
    assert found["status"] == "ENABLED"
    assert all(found[name] for name in ("disabled", "mit", "pos_vel", "vel", "force_pos", "zero"))
    assert all(found["faults"].values()), found["faults"]


def test_moteus():
    with gw.serve("canopen_arm", protocol="moteus") as bench:
        kp = [bench.rig.devices[name].servo.kp for name in ("turn_motor", "right_jaw_motor")]
        run_client(bench, "moteus_client.py", bench.port, check=lambda found: moteus(found, kp))


def moteus(found, kp):
    friction = [0.1 / 50, 2 * 1.0 * 0.004 / tau]  # [N·m] at the rotors: within it a proportional drive stops short
    assert found["mode"] == 0 and found["voltage"] == pytest.approx(24.0, rel=ROUNDING)
    for position, target, k, torque in zip(found["positions"], (0.5, 1.0), kp, friction, strict=True):
        assert abs(position - target) < 1.1 * torque / k
    assert found["modes"] == [10, 10]
    assert found["rate"] > 10  # even on a busy machine
    assert found["stop_position"] == pytest.approx(0.8, abs=0.01)  # slack: read at any moment
    assert (found["timeout"], found["stopped"]) == (11, 0)
    assert found["faults"] == {"over-temperature": [1, 38], "under-voltage": [1, 40]} and found["cleared"] == 0
    assert float(found["setting"]) == 0.25
    assert found["stats"][:2] == [0, 24.0] and found["firmware"] == 0x010A
    info = json.loads(found["info"])
    assert bytes.fromhex(info["uuid"].replace("-", "")).startswith(b"gearwright") and info["git_hash"] == 40 * "0"
