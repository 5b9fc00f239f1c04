"""Examples in which robots touch things: they leave their pictures, and what they claim holds."""

from __future__ import annotations

import runpy
import warnings
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("matplotlib")

ROOT = Path(__file__).parents[2]
LARGEST = 150_000  # bytes of a picture that is kept


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    return lambda name: runpy.run_path(str(ROOT / "examples" / f"{name}.py"))


def test_friction_takes_boxes_along_and_no_further(example, tmp_path, monkeypatch):
    """μ·g·t until the belt's speed; then they move with it."""
    own = example("conveyor")
    monkeypatch.setattr("sys.argv", ["conveyor.py", str(tmp_path)])
    own["main"]()
    with Image.open(tmp_path / "conveyor.png") as picture:
        assert picture.width > 800
    sim = gw.compile(own["scene"](), dt=own["DT"], contacts=[("parcel", "belt"), ("crate", "belt")])
    run = sim.run(own["DURATION"])
    for name, friction in own["FRICTION"].items():
        speed = np.minimum(friction * own["G"] * run.time, own["SPEED"])
        assert run.velocity[f"{name}.x"] == pytest.approx(speed, abs=2 * friction * own["G"] * own["DT"])
        assert run.velocity[f"{name}.x"][-1] == pytest.approx(own["SPEED"], abs=1e-6)


@pytest.mark.slow
def test_the_cube_is_lifted_and_dropped_when_the_motor_lets_go(example):
    """It begins to slide within a tenth of the torque at which friction can no longer carry it."""
    own = example("lift")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gw.UnsettledWarning)  # of the slide, on eight points at once
        run = own["lifted"](own["scene"]()).run(own["DURATION"], controller=own["commanded"])
    up = run.position["cube.z"][np.searchsorted(run.time, own["LIFTED"])] - 0.015
    assert up == pytest.approx(0.08, abs=1e-3)
    assert run.position["cube.z"][-1] < 0.02
    assert own["torque"](own["drop"](run)) == pytest.approx(own["least_torque"](), rel=0.1)


@pytest.mark.parametrize("name", ["conveyor", "lift"])
def test_the_pictures_that_are_kept(name):
    kept = ROOT / "docs" / "figures" / "examples" / f"{name}.png"
    assert kept.stat().st_size < LARGEST
    assert f"figures/examples/{name}.png" in (ROOT / "docs" / "worlds.md").read_text(encoding="utf-8")
