"""The gallery: its scripts draw, its page is current, and its robots keep what they promise for a minute."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from tests.sim.test_loops import drift_in

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "examples" / "gallery"
ROBOTS = sorted(p for p in GALLERY.iterdir() if p.suffix in (".sdf", ".urdf"))
PAGE = runpy.run_path(str(GALLERY / "page.py"))
SCRIPTS = list(PAGE["ORDER"])
LARGEST = 120_000  # bytes of a picture

DT, MINUTE, HELD = 1e-3, 60.0, 100  # steps for which an effort is held


def random_efforts(sim, rng):
    """On every joint, followers too: twice what gravity does there, and what accelerates it by 20 rad/s² or m/s²."""
    strength = 2.0 * np.abs(sim.bias()) + 20.0 * np.diag(sim.mass_matrix())
    steps = round(MINUTE / DT)
    return {
        name: np.repeat(s * rng.normal(size=steps // HELD), HELD)
        for name, s in zip(sim.coordinates, strength, strict=True)
    }


@pytest.mark.filterwarnings("ignore::gearwright.UnsettledWarning")
@pytest.mark.parametrize("path", ROBOTS, ids=lambda p: p.stem)
def test_exact_couplings_hold_for_a_minute(path, rng):
    """|C| ≤ 1e-12 under gravity and random efforts, from recorded positions by the coupling's own formula.

    A follower is computed from its leaders, so that what is left is rounding: 1e-16 of angles of up to some hundred.
    """
    sim = compile(gw.load(path), dt=DT, coupling="exact")
    rec = sim.run(MINUTE, effort=random_efforts(sim, rng), every=20)
    # random efforts drive the pantograph through its flat pose, in which its rows depend on each other: 0 to 200 steps
    assert sim.unsettled <= (0.01 * MINUTE / DT if path.stem == "pantograph" else 0)
    moved = max(np.ptp(rec.position[name]) for name in sim.coordinates)
    assert moved > 0.05
    for c in sim.robot.couplings.values():
        leaders = [rec.position[str(t.axis)] for t in c.leaders]
        assert np.abs(rec.position[str(c.follower)] - c.position(leaders)).max() <= 1e-12
    if sim.robot.tree.cuts:
        assert drift_in(sim, rec) < 1e-10  # at every 20th step of the minute


@pytest.mark.parametrize("path", ROBOTS, ids=lambda p: p.stem)
def test_a_robot_loads_without_warnings(path):
    assert [str(d) for d in gw.load(path).diagnostics if d.severity != "info"] == []


def test_every_robot_has_a_script_and_is_on_the_page():
    assert sorted(SCRIPTS) == [p.stem for p in ROBOTS]
    drawn = {p.stem for p in (ROOT / "docs/figures/gallery").glob("*.png")}
    assert drawn == set(SCRIPTS)
    assert (ROOT / "docs/gallery.md").read_text(encoding="utf-8") == PAGE["page"](), (
        "run: python examples/gallery/page.py"
    )


@pytest.mark.parametrize(
    ("script", "names"), [("four_bar", ["four_bar"]), pytest.param("page", SCRIPTS, marks=pytest.mark.slow)]
)
def test_pictures_are_drawn(tmp_path, script, names):
    """One, or all scripts in one process, without a display: a picture each, none larger than a page should carry."""
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("matplotlib")
    command = [sys.executable, str(GALLERY / f"{script}.py"), str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in names:
        picture = tmp_path / f"{name}.png"
        assert 10_000 < picture.stat().st_size < LARGEST
        with image.open(picture) as opened:
            assert min(opened.size) > 500
