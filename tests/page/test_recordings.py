"""Recordings on the page: positions, time, the robot that belongs to them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.page.replay import Replay
from gearwright.page.subject import subject
from tests.sim.robots import FOLDER, GRIPPER
from tests.tolerances import ROUNDING

pytest.importorskip("viser")


def nothing() -> None:
    pass


@pytest.fixture(scope="module")
def run() -> gw.Recording:
    return gw.compile(gw.load(GRIPPER, base="fixed")).run(0.2, command={"motor": 0.012})


def test_poses_and_operating_points_are_the_recordings(run) -> None:
    replay = Replay(run, run.robot, nothing)
    replay.seek(0.1)
    row = int(np.argmin(np.abs(run.time - 0.1)))
    assert replay.position("left_finger") == pytest.approx(run.position["left_finger"][row], abs=1e-15)
    expected = run.robot.forward_kinematics({"right_finger": run.position["right_finger"][row]})
    assert np.allclose(replay.poses()["left_finger_link"], expected["left_finger_link"], atol=ROUNDING, rtol=ROUNDING)
    speed, torque = replay.operating_point("motor")
    assert torque == pytest.approx(run.actuator["motor"].torque[row], rel=ROUNDING) and speed > 1.0


def test_it_goes_to_the_end_and_begins_again(run) -> None:
    replay = Replay(run, run.robot, nothing)
    replay.playing = True
    replay.advance(99.0)
    assert replay.time == run.time[-1] and not replay.playing
    replay.play_on()
    assert replay.time == run.time[0]
    replay.step(3)
    assert replay.time == run.time[3]


def test_the_slider_of_time_and_plots_are_on_the_page(run) -> None:
    with gw.view(run, port=0, block=False) as page:
        page.motion.seek(0.05)
        assert page.motion.time == 0.05
        times, values = page.motion.series("right_finger.position")
        assert len(times) == len(values) == len(run)
        with pytest.raises(gw.GearwrightError, match="not simulated"):
            _ = page.sim


@pytest.mark.parametrize("ending", [".mcap", ".npz", ".parquet"])
def test_a_file_finds_its_robot(tmp_path: Path, run, ending: str) -> None:
    """Where it was, then beside the recording; by name where it is bundled."""
    pytest.importorskip({".mcap": "mcap", ".parquet": "polars"}.get(ending, "numpy"))
    model = tmp_path / "models" / "mine.sdf"
    model.parent.mkdir()
    model.write_text(Path(GRIPPER).read_text())
    path = tmp_path / f"run{ending}"
    gw.compile(gw.load(model, base="fixed")).run(0.01).save(path)
    assert subject(path, None, (), {})[1].links.keys() == run.robot.links.keys()
    shutil.move(model, tmp_path / "mine.sdf")
    assert subject(path, None, (), {})[1].name == "gripper"
    os.remove(tmp_path / "mine.sdf")
    with pytest.raises(gw.GearwrightError, match=r"its file .*mine\.sdf' was not found.*--robot"):
        subject(path, None, (), {})
    assert subject(path, gw.load("gripper"), (), {})[1].name == "gripper"


def test_a_bundled_robot_is_found_by_its_name(tmp_path: Path) -> None:
    gw.compile(gw.load("gripper")).run(0.01).save(tmp_path / "run.npz")
    assert subject(tmp_path / "run.npz", None, (), {})[1].name == "gripper"


def test_a_csv_names_no_robot(tmp_path: Path, run) -> None:
    run.save(tmp_path / "run.csv")
    with pytest.raises(gw.GearwrightError, match="names no file"):
        subject(tmp_path / "run.csv", None, (), {})
    recording, robot = subject(tmp_path / "run.csv", run.robot, (), {})
    assert Replay(recording, robot, nothing).position("right_finger") == run.position["right_finger"][0]


def test_another_robot_is_refused(run) -> None:
    with pytest.raises(gw.GearwrightError, match=r"does not fit the robot 'four_bar'.*'left_finger'"):
        gw.view(run, robot=FOLDER / "four_bar.sdf", block=False)


def test_of_a_batch_one_is_shown(run) -> None:
    sim = gw.compile(run.robot, batch=2)
    sim.reset(position={"right_finger": np.array([0.0, 0.03])})
    replay = Replay(sim.run(0.01), run.robot, nothing)
    assert replay.position("right_finger") == 0.0
    replay.index = 1
    assert replay.position("right_finger") == pytest.approx(0.03, rel=ROUNDING)
    with pytest.raises(gw.GearwrightError, match="bands"):
        Replay(sim.run(0.01).bands(), run.robot, nothing)


def test_a_floating_base_stays_a_rotation_between_rows() -> None:
    sim = gw.compile(gw.load(FOLDER / "hand.urdf", base="floating"))
    sim.reset(velocity={"base.rx": 30.0})
    run = sim.run(0.2, every=50)
    replay = Replay(run, run.robot, nothing)
    replay.seek(0.5 * (run.time[1] + run.time[2]))
    R = next(iter(replay.poses().values()))[:3, :3]
    assert np.allclose(R @ R.T, np.eye(3), atol=ROUNDING, rtol=ROUNDING)
