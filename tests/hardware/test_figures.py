"""Rates and latencies of simulated hardware. The figures are those of an idle machine with two cores."""

import json
import os
import subprocess
import sys
import time

import pytest

import gearwright as gw

from .processes import run_client

IDLE = 0.7  # of the cores: with more load figures say nothing


def busy():
    return os.getloadavg()[0] / (os.cpu_count() or 1) > IDLE


def arm(n):
    """n links in a row, with an ideal motor on each joint."""
    parts = ['<robot name="arm"><link name="l0"/>']
    for k in range(1, n + 1):
        parts.append(
            f'<link name="l{k}"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" '
            f'iyz="0"/></inertial></link><joint name="j{k}" type="continuous"><parent link="l{k - 1}"/>'
            f'<child link="l{k}"/><origin xyz="0.1 0 0"/><axis xyz="0 0 1"/></joint>'
            f'<actuator name="m{k}" type="ideal"><joint>j{k}</joint><torque_limit>5</torque_limit></actuator>'
        )
    return gw.loads("".join(parts) + "</robot>")


CAN_CLIENT = """
import can, json, sys, time
bus = can.Bus(interface="gearwright", channel=sys.argv[1])
nodes, cycles, clock = range(1, 13), int(1e3 * float(sys.argv[2])), time.perf_counter
frames = [
    can.Message(arbitration_id=n, data=bytes.fromhex("8000800666199800"), is_extended_id=False) for n in nodes
]
for n in nodes:
    bus.send(can.Message(arbitration_id=n, data=b"\\xff" * 7 + b"\\xfc", is_extended_id=False))
lost = sum(bus.recv(2.0) is None for _ in nodes)
times, late, begun = [], 0, clock() + 0.01
for k in range(cycles):
    while (wait := begun + 1e-3 * k - clock()) > 0.0:
        time.sleep(max(0.0, wait - 5e-5))
    start = clock()
    for frame in frames:
        bus.send(frame)
    lost += sum(bus.recv(1.0) is None for _ in nodes)
    times.append(clock() - start)
    late += times[-1] > 1e-3
bus.shutdown()
print(json.dumps({"median": sorted(times)[cycles // 2], "lost": lost, "late": late}))
"""
LATE = 0.005  # of all cycles: the pauses of a virtual machine, which a process that only sleeps sees as well


@pytest.mark.slow
def test_a_minute_of_12_drives_at_1_khz():
    """Found with real-time priority on two busy cores: median 0.37 ms, nothing lost, 0.4 % of the cycles late."""
    with gw.serve(arm(12), protocol="damiao") as bench:
        command = [sys.executable, "-c", CAN_CLIENT, bench.channel, "60"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=180)
    found = json.loads(done.stdout)
    assert found["lost"] == 0 and found["median"] < 1e-3
    if busy():
        pytest.skip("the machine is busy: its load would be measured")
    assert found["late"] < LATE * 60_000


@pytest.mark.slow
def test_a_sync_read_of_six_servos_takes_less_than_a_millisecond():
    with gw.serve("desk_arm") as bench:
        times = sorted(run_client("scservo_client", bench.port, 5000)["times"])
    assert times[len(times) // 2] < 1e-3  # found: 0.06 ms


@pytest.mark.slow
def test_a_minute_of_real_time_with_12_drives():
    with gw.serve(arm(12), protocol="echo") as bench:
        begun, cpu = time.monotonic(), time.process_time()
        time.sleep(60.0)
        wall, used = time.monotonic() - begun, time.process_time() - cpu
        pacer = bench.pacer
        print(f"overruns {pacer.overruns}, 99.9 % of steps within {1e3 * pacer.lateness.percentile(0.999):.2f} ms")
        assert bench.rig.time + pacer.given_up == pytest.approx(wall, abs=0.5)  # the machine's own delays
    if busy():
        pytest.skip("the machine is busy: its load would be measured")
    assert pacer.overruns == 0
    assert pacer.lateness.percentile(0.999) < 0.02
    assert used / wall < 0.5  # found: 0.2 of a core


def test_an_idle_server_leaves_the_core_alone():
    """1 ms steps of one drive: found 0.08 of a core; in lockstep nothing at all."""
    with gw.serve(arm(1), protocol="echo", clock="lockstep") as bench:
        bench.step(1)
        begun = time.process_time()
        time.sleep(0.5)
        assert time.process_time() - begun < 0.05
