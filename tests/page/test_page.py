"""The page without a browser: what its parts do to the simulation, and what they send."""

from __future__ import annotations

import socket
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.page.meshes import RobotMeshes
from tests.sim.robots import FOLDER, GRIPPER
from tests.tolerances import ROUNDING

pytest.importorskip("viser")
trimesh = pytest.importorskip("trimesh")


@pytest.fixture
def page():
    with gw.view(gw.load(GRIPPER, base="fixed"), port=0, block=False) as page:
        yield page


def test_it_listens_on_this_machine_only(page) -> None:
    assert page.url.startswith("http://127.0.0.1:")
    port = page._server.get_port()
    socket.create_connection(("127.0.0.1", port), timeout=10).close()
    if sys.platform == "linux":  # where all of 127/8 is this machine: a server of all addresses would answer here, too
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port), timeout=10)


def test_followers_come_along(page) -> None:
    page.player.reset({"right_finger": 0.02})
    assert page.sim.position["left_finger"] == pytest.approx(0.02, abs=1e-15)
    assert page.player.error == ""


def test_play_makes_steps_and_keeps_what_plots_show(page) -> None:
    page.player.command["motor"] = 0.5
    page.player.playing = True
    until = time.monotonic() + 10
    while (page.sim.time < 0.05 or not page.player.history) and time.monotonic() < until:
        time.sleep(0.02)
    page.player.playing = False
    assert page.sim.time >= 0.05 and page.sim.position["right_finger"] > 1e-4
    assert "motor.torque" in page.player.history[-1][1]


def test_the_button_says_play_after_the_program_has_paused(page) -> None:
    button = page._panel._parts[0]._play
    for playing, label in ((True, "Pause"), (False, "Play")):
        page.player.playing = playing
        until = time.monotonic() + 10
        while button.label != label and time.monotonic() < until:
            time.sleep(0.02)
        assert button.label == label


def test_a_pulled_link_comes(page) -> None:
    X = page.sim.pose["right_finger_link"]
    point, direction = X[:3, 3] + X[:3, :3] @ (0.0, 0.0, 0.03), page.sim.jacobian("right_finger_link")[:3, 0]
    page.player.grab("right_finger_link", point)
    page.player.pull(point + 0.02 * direction)
    page.player.step(200)
    moved = page.sim.pose["right_finger_link"][:3, 3] - X[:3, 3]
    assert moved @ direction > 1e-3
    page.player.release()
    assert page.player.stretch() is None


@pytest.mark.parametrize("which", [0, -1])
def test_the_spring_holds_still_whatever_it_pulls(which: int) -> None:
    """The heaviest and the lightest part of an arm: after a second of pull nothing swings up."""
    with gw.view(FOLDER / "desk_arm.urdf", port=0, block=False) as page:
        link = page.sim.options.wrenches[which]
        start = page.sim.pose[link][:3, 3].copy()
        page.player.grab(link, start)
        page.player.pull(start + np.array([0.0, 0.05, 0.05]))
        page.player.step(1000)
        speeds = np.abs([page.sim.velocity[name] for name in page.sim.coordinates])
        assert speeds.max() < 5.0 and page.player.error == ""


def test_what_cannot_be_reached_is_said_and_not_raised(page) -> None:
    page.player.reset({"nothing": 1.0})
    assert "nothing" in page.player.error


@pytest.mark.parametrize("robot", ["four_bar.sdf", "hand.urdf"])
def test_other_robots_are_shown(robot: str) -> None:
    with gw.view(FOLDER / robot, port=0, block=False) as page:
        page.player.step(3)
        assert page.sim.time == pytest.approx(3e-3, rel=ROUNDING)


def test_a_batch_is_refused() -> None:
    with pytest.raises(gw.GearwrightError, match="one robot"):
        gw.view(gw.compile(GRIPPER, batch=2), block=False)


def test_meshes_are_found_and_missing_ones_are_boxes(tmp_path: Path) -> None:
    package = tmp_path / "my_robot"
    (package / "meshes").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>my_robot</name></package>")
    trimesh.creation.box((0.1, 0.2, 0.3)).export(package / "meshes" / "a.stl")
    (package / "meshes" / "bad.stl").write_bytes(b"solid nothing")
    (package / "urdf").mkdir()
    file = package / "urdf" / "robot.urdf"
    inside = "package://my_robot/meshes"
    uris = [f"{inside}/a.stl", "../meshes/a.stl", f"{inside}/none.stl", "../meshes/bad.stl", "http://x/y.stl"]
    links = "".join(f'<visual><geometry><mesh filename="{u}"/></geometry></visual>' for u in uris)
    file.write_text(f'<robot name="r"><link name="a">{links}</link></robot>')
    meshes = RobotMeshes(str(file))
    assert np.allclose(
        np.ptp(meshes.load(uris[0]).bounds, axis=0), (0.1, 0.2, 0.3), rtol=3e-7, atol=0
    )  # single precision
    assert meshes.load(uris[1]) is not None
    assert meshes.load(uris[2]) is None and meshes.load(uris[4]) is None
    assert [d.code for d in meshes.diagnostics] == ["mesh-missing"] * 2
    meshes.close()
    with gw.view(file, port=0, block=False) as page:
        codes = [d.code for d in page.diagnostics]
        assert codes.count("mesh-missing") == 3
