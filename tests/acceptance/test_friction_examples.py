"""The examples on friction leave their pictures, and what their words claim holds; so do the pages."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from tests.acceptance.forked import Script, run_scripts

pytest.importorskip("matplotlib")
Image = pytest.importorskip("PIL.Image")
ROOT = Path(__file__).parents[2]
EXAMPLES = ("hunting", "lost_motion", "servo_step", "servo_arm")
LARGEST = 150_000  # bytes of a picture that is kept


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    return lambda name: runpy.run_path(str(ROOT / "examples" / f"{name}.py"))


@pytest.mark.slow
def test_they_leave_their_pictures(tmp_path):
    files = {name: ROOT / "examples" / f"{name}.py" for name in EXAMPLES}
    scripts = {name: Script(f.read_text(encoding="utf-8"), str(f), [str(tmp_path)]) for name, f in files.items()}
    for name, done in run_scripts(scripts, tmp_path, python=()).items():
        assert done.code == 0, done.err
        with Image.open(tmp_path / f"{name}.png") as picture:
            assert picture.width > 800 and len(picture.getcolors(1 << 20)) > 20
        assert (ROOT / "docs/figures/examples" / f"{name}.png").stat().st_size < LARGEST


def test_only_static_friction_hunts(example):
    motions = example("hunting")["motions"]()
    swings = {}
    for name, run in motions.items():
        late = run.time > 20.0
        swings[name] = np.ptp(run.position["turn"][late])
    assert swings["Coulomb"] < 1e-3
    assert swings["static above kinetic"] == pytest.approx(swings["LuGre"], rel=0.1)
    assert swings["LuGre"] > 0.02


def test_a_weight_tells_play_from_friction(example):
    own = example("lost_motion")
    for weight, play in ((1e-6, 0.02), (own["WEIGHT"], 0.0)):
        lost = {name: own["lost"](own["motion"](gear, f, weight)) for name, (_, gear, f) in own["GEARS"].items()}
        assert lost["play"] == pytest.approx(play, abs=3e-4)
        assert lost["friction"] == pytest.approx(0.02, abs=3e-4)


def test_an_arm_of_servos_lags_and_droops(example):
    """While it moves, by what the page says; at rest, by its weight over the firmware's stiffness, within friction."""
    own = example("servo_arm")
    robot = own["arm"]()
    off = own["errors"](own["tracked"](robot))
    assert 11.5 < np.rad2deg(np.abs(off).max()) < 13.0
    sim = gw.compile(robot)
    sim.reset(position=dict(zip(own["JOINTS"], own["POSES"][-1], strict=True)))
    weight = dict(zip(sim.coordinates, -sim.bias(), strict=True))
    for joint, last in zip(own["JOINTS"], off[-1], strict=True):
        servo = robot.actuators[joint]
        stiffness = servo.position_gain * 7.4 * servo.torque_constant / servo.resistance  # [N·m/rad]
        slack = servo.friction_model.kinetic / stiffness
        assert abs(-last - weight[joint] / stiffness) < 1.05 * slack, joint
