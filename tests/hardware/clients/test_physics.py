"""Physics through the bus, as feetech-servo-sdk reads it in a process of its own."""

import pytest
from pytest import approx

import gearwright as gw
from gearwright.hardware.protocols.feetech_products import IDENTIFIED
from gearwright.hardware.protocols.feetech_table import CURRENT_UNIT, MOST_DUTY
from tests.hardware.clients.running import run_client
from tests.hardware.test_feetech import COUNT, frictionless, gravity_torque


def test_droop_stall_and_fall(desk_arm):
    pytest.importorskip("scservo_sdk")
    predicted = {}
    with gw.serve(frictionless(desk_arm), clock="lockstep", armed=True) as bench:

        def at_rest():
            if bench.sim.time >= 4.0 and not predicted:
                predicted["droop"] = gravity(bench)

        bench.listeners.append(at_rest)
        found = run_client(bench, "servo_physics.py", bench.port)
    # K·(goal − q) = −τ_g(q), K = duty·V·k/R; a count is 0.7 % of it
    assert found["droop"] * COUNT == approx(predicted["droop"], rel=0.01)
    limit = 0.5 * MOST_DUTY * 7.4 / IDENTIFIED.resistance  # [A]: half of the bridge's duty at standstill
    assert found["current"] * CURRENT_UNIT == approx(limit, rel=0.01)  # 6.5 mA a count
    assert found["load"] == approx(500 * MOST_DUTY, abs=1)
    assert found["fallen"] > 300  # counts


def gravity(bench):
    K = 0.166 * 16 * 7.4 * IDENTIFIED.torque_constant / IDENTIFIED.resistance  # [N·m/rad]
    return gravity_torque(bench.rig, "shoulder_lift") / K
