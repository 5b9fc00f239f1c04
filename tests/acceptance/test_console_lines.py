"""The commands that pages print, and the blocks of Python that would wait for a person, run on stand-ins for the
reader's files. Pages that are followed literally are in test_sessions.py and test_install_page.py.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copy, which

import numpy as np
import pytest

import gearwright as gw
from tests.cli.commands import CHECKOUT
from tests.sim.robots import FOLDER

DOCS = CHECKOUT / "docs"
WITH_TESTS = {"tutorial", "contributing", "install", "bridges", "mjcf", "friction", "servos", "index"}  # of their own
PATIENCE = 120.0  # [s]
ARM = """<robot name="arm"><link name="base"/>
<link name="link"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="JOINT" type="revolute"><parent link="base"/><child link="link"/><axis xyz="0 1 0"/>
<limit lower="-1.5" upper="1.5" effort="20" velocity="20"/><dynamics damping="0.1" friction="0.1"/></joint>
<actuator name="motor" type="electric_motor"><stall_torque>3</stall_torque> <no_load_speed>20</no_load_speed></actuator>
<transmission name="gear" type="simple"><actuator>motor</actuator><joint>JOINT</joint>
<mechanical_reduction>1</mechanical_reduction></transmission></robot>"""
STAND_INS = {"spider.urdf": "desk_arm", "hand.urdf": "hand", "gripper.urdf": "hand", "piper.urdf": "canopen_arm"}
JOINTS = {"page.md": "knee", "identify.md": "elbow"}  # of arm.urdf and robot.urdf; else "joint"
SIZE = "--size arm-none-eabi-gcc"  # a compiler that few machines have
UP = re.compile(r"ready: |gearwright: .* at http")


def lines(page: Path) -> Iterator[str]:
    """Commands, joined where they go on in the next line, without the prompt."""
    text = re.sub(r"\\\n\s*", "", page.read_text(encoding="utf-8"))
    for language, block in re.findall(r"^```(\w*)[^\n]*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        if language in ("", "bash", "sh"):
            yield from re.findall(r"^ ?(?:\$ )?(gearwright (?!with-bus).*)$", block, re.MULTILINE)


PAGES = {
    str(page.relative_to(DOCS)): found
    for page in sorted(DOCS.rglob("*.md"))
    if page.stem not in WITH_TESTS and page.parent.name not in ("how-to", "reference") and (found := list(lines(page)))
}


def stand_ins(page: str, folder: Path) -> None:
    for name in ("arm.urdf", "robot.urdf", "rover.urdf"):
        (folder / name).write_text(ARM.replace("JOINT", JOINTS.get(page, "joint")))
    for name, robot in STAND_INS.items():
        copy(next(FOLDER.glob(f"{robot}.*")), folder / name)
    wrist = (FOLDER / "wrist.urdf").read_text()
    (folder / "pan_tilt.urdf").write_text(wrist.replace("left_motor", "pan").replace("right_motor", "tilt"))
    (folder / "arm.urdf.xacro").write_text((folder / "arm.urdf").read_text())
    copy(FOLDER / "gripper.sdf", folder / "old.sdf")
    if page == "identify.md":
        t = np.arange(0.0, 1.0, 0.01)
        sim = gw.compile(folder / "arm.urdf")
        rec = sim.run(1.0, controller=lambda sim: {"motor": float(np.sin(9 * sim.time))})
        rows = np.stack([t, rec.position["elbow"][:1000:10], np.sin(9 * t)], axis=1)
        for day in ("monday", "tuesday", "friday"):
            np.savetxt(folder / f"{day}.csv", rows, delimiter=",", header="time,elbow.position,goal", comments="")


def ran(line: str, folder: Path, page: str) -> str | None:
    """What went wrong. A viewer or a server that waits for a person is ended once it is up."""
    if not which(SIZE.split()[1]):
        line = line.replace(SIZE, "")
    words = shlex.split(line.replace("29540", "0"), comments=True)[1:]  # the port may be another test's
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT / "src"), "MPLBACKEND": "Agg"}
    process = subprocess.Popen(
        [sys.executable, "-m", "gearwright", *words], cwd=folder, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert process.stdout is not None
    begun = ""
    if waits := words[0] in ("serve", "view") or "--view" in words:
        for text in process.stdout:
            begun += text
            if UP.match(text):
                break
        process.terminate()
    rest, _ = process.communicate(timeout=PATIENCE)
    failed = process.returncode not in ((0, 1) if words[0] == "diff" else (0,)) or (waits and not UP.search(begun))
    return f"{page}: {line}\n{begun}{rest}" if failed else None


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    pytest.importorskip("viser")
    stand_ins(page, tmp_path)
    assert [found for line in PAGES[page] if (found := ran(line, tmp_path, page))] == []


def test_most_pages_have_commands() -> None:
    assert len(PAGES) > 15 and sum(map(len, PAGES.values())) > 35


def test_blocks_that_wait_for_a_person_run_as_in_a_notebook(tmp_path: Path) -> None:
    """There `gw.view` does not block."""
    pytest.importorskip("viser")
    blocks = re.findall(r"^```py\n(.*?)^```$", (DOCS / "page.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    stand_ins("page.md", tmp_path)
    before = """import builtins, types
builtins.get_ipython = lambda: types.SimpleNamespace(kernel=True)
import gearwright as gw
robot = gw.load("robot.urdf")
sim = gw.compile(robot)
sim.run(0.1).save("run.mcap")
"""
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", before + "".join(blocks)], cwd=tmp_path, env=environment, capture_output=True,
        text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
