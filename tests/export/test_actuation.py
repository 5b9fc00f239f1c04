"""The actuation alone as C: its line, and its steps, are those of `gw.compile(part="actuation")`."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path
from shutil import which

import numpy as np
import pytest

import gearwright as gw
from tests.export.test_c import STRICT

pytestmark = pytest.mark.skipif(which("gcc") is None, reason="no C compiler")
DT = 1e-3


@pytest.mark.parametrize("robot", ["wrist", "gripper", "hand", "desk_arm"])
def test_line_and_move_are_those_of_python(robot: str, tmp_path: Path, rng: np.random.Generator) -> None:
    exported = gw.export_c(robot, tmp_path / "act", part="actuation", dt=DT)
    library = tmp_path / "act.so"
    flags = [*STRICT, "-O2", "-fPIC", "-shared", "-DGW_EXACT"]
    subprocess.run(["gcc", *flags, str(exported.source), "-o", str(library), "-lm"], check=True)
    c, act = ctypes.CDLL(str(library)), gw.compile(robot, part="actuation", dt=DT)
    n = len(act.names)
    lane, efforts, matrix = (ctypes.c_double * (exported.state_bytes // 8 + 8))(), np.zeros(n), np.zeros((n, n))
    c.act_init(lane)
    at = command_offset(exported.header.read_text())
    q, v = 0.1 * rng.normal(size=n), rng.normal(size=n)
    act.reset_to(q[None], 0.0 * v[None])
    c.act_place(lane, pointer(q), pointer(0.0 * v))
    for _ in range(20):
        command, v = 0.05 * rng.normal(size=len(act.robot.actuators)), rng.normal(size=n)
        lane[at : at + len(command)] = command.tolist()
        owners = (act.names, act.names, act.robot.actuators)
        line = act.line(*(dict(zip(names, x, strict=True)) for names, x in zip(owners, (q, v, command), strict=True)))
        assert c.act_line(lane, pointer(v), pointer(efforts), pointer(matrix)) == 0
        np.testing.assert_allclose(efforts, line.efforts, rtol=1e-11, atol=1e-14)
        np.testing.assert_allclose(matrix, line.matrix, rtol=1e-9, atol=1e-9 * np.abs(line.matrix).max())
        act.step_to(v[None])
        assert c.act_move(lane, pointer(v), pointer(efforts)) == 0
        np.testing.assert_allclose(efforts, act.efforts[0], rtol=1e-11, atol=1e-14)
        q = np.array([act.position[name] for name in act.names])


def command_offset(header: str) -> int:
    before = 0
    for name, size in re.findall(r"^    double (\w+)\[(\d+)\];", header, re.M):
        if name == "command":
            return before
        before += int(size)
    raise AssertionError("no command in the struct")


def pointer(x: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(x.ctypes.data)


def test_the_header_names_joints_and_the_friction_that_is_not_in_the_efforts(tmp_path: Path) -> None:
    header = gw.export_c("wrist", tmp_path / "act", part="actuation").header.read_text()
    friction = gw.compile("wrist", part="actuation").friction
    assert "#define ACT_JOINTS 2" in header and "[0] pitch" in header and "[1] roll" in header
    assert friction and all(f"{name}: {f.effort!r} at its own axis" in header for name, f in friction.items())
