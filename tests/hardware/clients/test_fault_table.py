"""Fault by fault, protocol by protocol: seen by the protocol's own client from PyPI, in a process of its own."""

import pytest

import gearwright as gw
from gearwright.hardware.faults import FAULTS
from tests.hardware.clients.running import run_client

# protocol → client, robot, actuator
ROWS = {
    "feetech": ("scservo_sdk", "desk_arm", "shoulder_pan"),
    "dynamixel": ("dynamixel_sdk", "desk_arm", "shoulder_pan"),
    "damiao": ("damiao_motor", "damiao_arm", "joint_1_drive"),
    "odrive": ("odrive_can", "canopen_arm", "turn_motor"),
    "moteus": ("moteus", "canopen_arm", "turn_motor"),
}
HOT = {"feetech": 4, "dynamixel": 4, "damiao": "ROTOR_OVER_TEMP", "odrive": "MOTOR_OVER_TEMP", "moteus": 38}
STARVED = {"feetech": 1, "dynamixel": 1, "damiao": "UNDER_VOLTAGE", "odrive": "DC_BUS_UNDER_VOLTAGE", "moteus": 40}
FROZEN = {"feetech": 2, "dynamixel": 8}  # protocols with a bit for it; with others the position stands still
MOVE = 0.03  # [turn] of what they are asked for, at least


def moved(row):
    return abs(row["during"]["position"] - row["before"]["position"]) > MOVE


def has(row, error):
    found = row["during"]["error"]
    return bool(found & error) if isinstance(error, int) and error < 32 else found == error or str(error) in str(found)


def restarted(row):
    return row["after"] is not None and not row["after"]["on"]


CHECKS = {
    "none": lambda row, p: moved(row) and row["during"]["on"],
    "over-temperature": lambda row, p: has(row, HOT[p]) and not row["during"]["on"],
    "under-voltage": lambda row, p: has(row, STARVED[p]),
    "encoder-freeze": lambda row, p: not moved(row) and (p not in FROZEN or has(row, FROZEN[p])),
    "open-winding": lambda row, p: not moved(row) and row["during"]["current"] == pytest.approx(0.0, abs=0.05),
    "stall": lambda row, p: not moved(row) and row["during"]["current"] > 0.0,
    # the serial SDKs and odrive-can take an answer that comes twice for that to their next question
    "duplicate": lambda row, p: row["during"] is None or moved(row),
    "unplug": lambda row, p: row["during"] is None and restarted(row),
    "bus-off": lambda row, p: row["during"] is None and row["after"] is not None,
    "drop": lambda row, p: row["during"] is None and row["after"] is not None,
    "corrupt": lambda row, p: row["during"] is None and row["after"] is not None,
    "brown-out": lambda row, p: row["silent"] and restarted(row),
    "delay": lambda row, p: row["during"] is None or row["seconds"] > 0.03,  # there and back; or later than it waits
}


def test_every_fault_has_a_row():
    assert {*CHECKS} - {"none"} == {*FAULTS}


QUICK = ("feetech", "damiao")  # a serial line and a CAN bus; canopen's are in test_canopen.py


@pytest.mark.parametrize("protocol", [p if p in QUICK else pytest.param(p, marks=pytest.mark.slow) for p in ROWS])
def test_faults(protocol):
    package, robot, actuator = ROWS[protocol]
    pytest.importorskip(package)

    def check(found):
        wrong = {name: found[name] for name, holds in CHECKS.items() if not holds(found[name], protocol)}
        assert not wrong

    with gw.serve(robot, protocol=protocol, clock="lockstep") as bench:
        node = bench.rig.devices[actuator].node
        where = bench.port if bench.ptys else bench.channel
        run_client(bench, "fault_table.py", protocol, where, node, actuator, check=check)
