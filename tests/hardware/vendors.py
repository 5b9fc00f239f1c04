"""Manufacturers' own code, unmodified, where it has been fetched: one folder for each repository or package."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from gearwright.hardware.with_bus import environment

VARIABLE = "GEARWRIGHT_VENDORS"
REPOSITORY = Path(__file__).parents[2]


def vendor(name):
    """$GEARWRIGHT_VENDORS/name, or ../shared/vendors/name beside the repository; skips the test without it."""
    folder = Path(os.environ.get(VARIABLE) or REPOSITORY.parent / "shared" / "vendors") / name
    if not folder.is_dir():
        pytest.skip(f"no {name} at ${VARIABLE}")
    return folder


@contextmanager
def running(script, *, cwd=None, path=(), channels=(), ports=(), preload=False):
    """A driver in a process of its own, with its interfaces and ports redirected; it is stopped at the end."""
    env = environment(dict(channels), dict(ports), preload=preload)
    env["PYTHONPATH"] = os.pathsep.join([*map(str, path), env["PYTHONPATH"]])
    command = [sys.executable, "-u", "-W", "ignore", *(["-c", script] if "\n" in str(script) else [str(script)])]
    with subprocess.Popen(
        command, cwd=cwd, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as client:
        try:
            yield client
        finally:
            client.kill()


def until(holds, seconds=60.0):
    """Whether it holds within this time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.02)
    return False


def output(client, seconds=20.0):
    """All that a client prints, which must end with success."""
    text, _ = client.communicate(timeout=seconds)
    assert client.returncode == 0, text
    return text


def wheels(n, inertia=0.001):
    """n links that turn about the same axis, each with a joint of its own: j1, j2, …"""
    parts = [
        f'<link name="l{k}"><inertial><mass value="1"/><inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" '
        f'ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j{k}" type="continuous"><parent link="base"/>'
        f'<child link="l{k}"/><axis xyz="0 0 1"/></joint>'
        for k in range(1, n + 1)
    ]
    return f'<robot name="wheels"><link name="base"/>{"".join(parts)}</robot>'
