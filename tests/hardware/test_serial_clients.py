"""Unmodified clients from PyPI, each in a process of its own, drive the desk arm."""

from math import pi

import pytest
from pytest import approx

import gearwright as gw

from .processes import run_client

COUNT = 2 * pi / 4096
# what the servos leave of an error: friction 0.0524 N·m over 17.8 N·m/rad, and gravity's part at the shoulder
REST = 6 * COUNT


@pytest.fixture(scope="module")
def bench():
    with gw.serve("desk_arm") as bench:
        yield bench


def test_feetech_servo_sdk(bench):
    pytest.importorskip("scservo_sdk")
    bench.reset()
    seen = run_client("scservo_client", bench.port, 20)
    assert seen["found"] == [1, 2, 3, 4, 5, 6]
    assert seen["voltage"] == 74 and seen["error"] == 0
    for servo, goal in {"1": 2300, "5": 1800, "6": 2500}.items():
        assert seen["positions"][servo] == approx(goal, abs=6)
    assert bench.sim.position["shoulder_pan"] == approx((2300 - 2048) * COUNT, abs=REST)


def test_rustypot(bench):
    pytest.importorskip("rustypot")
    bench.reset()
    seen = run_client("rustypot_client", bench.port)
    assert all(seen["pings"]) and set(seen["models"]) == {777}
    assert [seen["positions"][k] for k in (0, 4, 5)] == approx([0.4, -0.3, 0.5], abs=REST)
    assert set(seen["temperature"]) == {25}


def test_dynamixel_sdk():
    pytest.importorskip("dynamixel_sdk")
    with gw.serve("desk_arm", protocol="dynamixel") as bench:
        seen = run_client("dynamixel_client", bench.port)
    assert set(seen["models"]) == {"1", "2", "3", "4", "5", "6"}
    assert {tuple(m) for m in seen["models"].values()} == {(1020, 46)}
    assert seen["refused"] == [0, 6] and seen["locked"] == [0, 7]  # data limit, access
    assert [seen["positions"][n] for n in "15"] == approx([2300, 2300], abs=16)
    assert seen["bulk"] == [approx(2300, abs=16), 25]
    assert seen["read back"] == 0x00FDFFFF  # FF FF FD in the data is stuffed on the wire
