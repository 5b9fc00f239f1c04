"""canopen's BaseNode402, unmodified, in a process of its own, drives the CiA 402 arm."""

from __future__ import annotations

import pytest

from tests.hardware.clients.running import run_client
from tests.tolerances import ROUNDING

TURN = 4096


@pytest.fixture(scope="module")
def bench():
    import gearwright as gw

    with gw.serve("canopen_arm") as bench:
        yield bench


def test_every_mode(bench):
    run_client(bench, "canopen_modes.py", bench.channel, bench.eds, check=every_mode)


def every_mode(found):  # slack: read at any moment, by a client that the machine may delay
    assert found["block"] and found["limits"] == [0, 10 * TURN]  # 0.04 m of a screw of 0.004 m a turn
    assert found["pp_reached"] == [True, True]
    assert found["pp"] == pytest.approx([3 * TURN, 5 * TURN], abs=TURN / 500)  # the arm beyond it swings freely
    assert found["pv_reached"] and found["pv"] == pytest.approx(10 * TURN, rel=0.02)  # read while the arm swings
    assert (found["quick_stop"], found["stopped"], found["quick_stop_off"]) == ("QUICK STOP ACTIVE", True, True)
    assert found["pt"] and found["pt_moves"]
    assert not found["homed_before"] and found["homing"] and found["homed"] == pytest.approx(1000, abs=TURN / 100)
    # the switch is 1 % of the travel from the stop; its edge is passed at half a turn a second
    assert found["switch_homing"] and abs(found["switch_homed"]) < TURN / 100
    assert found["switch"] == pytest.approx(-0.1 * TURN, abs=TURN / 200)
    assert found["jaw_homing"] and abs(found["jaw_homed"]) < TURN / 20
    assert found["csp"] == pytest.approx(2 * TURN, abs=TURN / 50)  # read a moment later, while the arm still swings
    assert found["csv"] and found["cst"] and found["emergencies"] == []


def test_the_other_finger_follows(bench):
    with bench.lock:
        right, left = (bench.sim.port(0).position(name)() for name in ("right_jaw", "left_jaw"))
    assert left == pytest.approx(right, abs=ROUNDING)


def test_faults_are_seen_and_reset(bench):
    run_client(bench, "canopen_faults.py", bench.channel, bench.eds, check=faults)


def faults(found):
    for name, code in {
        "over_temperature": 0x4310, "under_voltage": 0x3220, "encoder_freeze": 0x8611, "open_winding": 0x7122,
        "stall": 0x8611,
    }.items():  # fmt: skip
        after = "OPERATION ENABLED" if name == "over_temperature" else "SWITCH ON DISABLED"
        assert found[name] == [True, code, [code, 0], after], name
    assert found["heartbeat"] == ["OPERATION ENABLED", True, 0x08, 0x11]
    assert found["guarding"] == ["OPERATION ENABLED", True, True, 0x08]
    assert found["brown_out"] == 0x40
    for name in ("bus_off", "unplug", "drop", "corrupt"):
        assert found[name] == [True, 0x00020192], name
    assert found["delay"] == [0x00020192, True]
    assert found["duplicate"] == [0x00020192] * 3
