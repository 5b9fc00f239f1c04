"""Lockstep over SYNC: the same bytes three times, and fast enough for a test suite.

Rates are cycles in a second of processor time, the client's and the server's together: on a machine of its own they
take turns, and on a shared one the wall clock measures the neighbours.
"""

from __future__ import annotations

import multiprocessing
import time

import pytest

import gearwright as gw
from gearwright.model import Mechanism
from tests.hardware.clients.running import run_client

LINK = """<link name="l{0}"><inertial><origin xyz="0.1 0 0"/><mass value="0.5"/>
<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j{0}" type="continuous"><parent link="l{1}"/><child link="l{0}"/><origin xyz="0.2 0 0"/>
<axis xyz="0 0 1"/><limit effort="5" velocity="20"/><dynamics damping="0.01"/></joint>"""


def chain(count: int) -> Mechanism:
    """Vertical axes in a row, so that nothing falls."""
    links = "".join(LINK.format(n, n - 1) for n in range(1, count + 1))
    return gw.loads(f'<robot name="chain_{count}"><link name="l0"/>{links}</robot>')


def closed_loop(count: int, cycles: int) -> dict[str, object]:
    with gw.serve(chain(count), protocol="cia402", clock="lockstep") as bench:
        busy = time.process_time()
        found = run_client(bench, "lockstep.py", bench.channel, count, cycles, seconds=300)
        used = (time.process_time() - busy) / cycles + found["busy"]
        state = [drive.sample[1:4] for drive in bench.rig.plant.drives.values()]
    return {"bytes": found["digest"], "state": state, "rate": 1.0 / used, "wall": found["rate"]}


@pytest.mark.parametrize(("count", "cycles", "rate"), [(1, 500, 2000), (12, 150, 500)])
def test_the_same_bytes_and_the_rate(count, cycles, rate):
    runs = [closed_loop(count, cycles) for _ in range(2)]
    assert runs[0]["bytes"] == runs[1]["bytes"] and runs[0]["state"] == runs[1]["state"]
    assert max(run["rate"] for run in runs) > rate


def _burn() -> None:
    while True:
        pass


@pytest.mark.slow
def test_five_seconds_three_times_on_a_loaded_machine():
    burners = [multiprocessing.get_context("spawn").Process(target=_burn, daemon=True) for _ in range(2)]
    runs = [closed_loop(1, 5000)]
    try:
        for burner in burners:
            burner.start()
        runs += [closed_loop(1, 5000) for _ in range(2)]
    finally:
        for burner in burners:
            burner.kill()
    assert len({str((run["bytes"], run["state"])) for run in runs}) == 1
