"""How much memory a process may still take."""

import os
import subprocess
import sys

import pytest

from gearwright.sim.recorder import free_memory
from tests.cli.commands import CHECKOUT

GIB = 2**30


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A /proc and a /sys/fs/cgroup to be written; 8 GiB are free."""
    monkeypatch.setattr(free_memory, "PROC", tmp_path / "proc")
    monkeypatch.setattr(free_memory, "CGROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(free_memory, "_limits", lambda: iter(()))

    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    write({"proc/meminfo": f"MemTotal: 99 kB\nMemAvailable: {8 * GIB // 1024} kB\n"})
    return write


def test_control_groups_of_the_second_version(machine):
    assert free_memory.available_memory() == 8 * GIB
    machine({"proc/self/cgroup": "0::/user/job\n", "cgroup/user/job/memory.max": "max\n"})
    assert free_memory.available_memory() == 8 * GIB
    machine({"cgroup/user/memory.max": f"{3 * GIB}\n", "cgroup/user/memory.current": f"{GIB}\n"})
    assert free_memory.available_memory() == 2 * GIB  # of the group above
    machine({"cgroup/user/job/memory.max": f"{GIB}", "cgroup/user/job/memory.current": f"{GIB}"})
    assert free_memory.available_memory() == 0
    machine({"cgroup/user/job/memory.stat": f"anon 5\ninactive_file {GIB // 2}\n"})
    assert free_memory.available_memory() == GIB // 2  # what was read from files gives way


def test_control_groups_of_the_first_version(machine):
    machine(
        {
            "proc/self/cgroup": "4:cpu,cpuacct:/x\n3:memory:/docker/abc\n",
            "cgroup/memory/memory.limit_in_bytes": f"{2 * GIB}",  # a container sees its own group as the root
            "cgroup/memory/memory.usage_in_bytes": f"{GIB}",
        }
    )
    assert free_memory.available_memory() == GIB
    machine({"cgroup/memory/memory.limit_in_bytes": "9223372036854771712"})
    assert free_memory.available_memory() == 8 * GIB


def test_a_system_that_says_little(tmp_path, monkeypatch):
    monkeypatch.setattr(free_memory, "PROC", tmp_path)
    monkeypatch.setattr(free_memory, "_limits", lambda: iter(()))
    monkeypatch.setattr(os, "sysconf", lambda name: 2**20, raising=False)
    assert free_memory.available_memory() == 2**39  # half of what there is

    def unknown(name):
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr(os, "sysconf", unknown)
    assert free_memory.available_memory() == 4 * 2**30


LIMITED = """
import resource, gearwright as gw
from tests.sim.robots import DOUBLE_PENDULUM
sim = gw.compile(gw.loads(DOUBLE_PENDULUM))
used = int(open("/proc/self/statm").read().split()[{column}]) * resource.getpagesize()
resource.setrlimit(resource.{limit}, (used + 2**29, -1))
try:
    sim.run(40_000.0)  # 40,000,000 rows of at least 32 bytes
except gw.ModelError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc and limits of Linux")
@pytest.mark.parametrize(("limit", "column"), [("RLIMIT_AS", 0), ("RLIMIT_DATA", 5)])
def test_limits_of_the_process_are_seen(limit, column):
    command = [sys.executable, "-c", LIMITED.format(limit=limit, column=column)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=60, check=False)
    assert "MB is free" in done.stdout, done.stderr[-1000:]
