"""Robots of MuJoCo's menagerie, with stand-ins for their meshes, where a copy of it is beside the repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from tests.corpus.files import corpus
from tests.formats.mjcf.against_mujoco import (
    actuator_errors,
    both,
    dynamics_errors,
    pose_error,
    random_state,
    without_constraints,
)

HOME = (corpus() or Path("nowhere")) / "menagerie"
pytestmark = [
    pytest.mark.skipif(not HOME.is_dir(), reason="the menagerie is not here"),
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),
]
MUSCLES = "ms_human"  # 700 of them; as a tree alone, 85 joints


@pytest.fixture(scope="module")
def menagerie(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("menagerie") / "copy"
    shutil.copytree(HOME, folder, copy_function=shutil.copyfile)
    subprocess.run([sys.executable, HOME / "stub_assets.py", folder], check=True)
    yield folder
    shutil.rmtree(folder)


def robots(folder: Path) -> list[Path]:
    """One file of each: the first that is no scene, and not for another engine."""
    found = []
    for robot in sorted(p for p in folder.iterdir() if p.is_dir()):
        files = sorted(f for f in robot.glob("*.xml") if "scene" not in f.name and "mjx" not in f.name)
        found += [f for f in files if _is_robot(f)][:1]
    return found


def _is_robot(f: Path) -> bool:
    text = f.read_text(errors="replace")
    return "<worldbody" in text and ("<inertial" in text or "<geom" in text)


def test_nine_tenths_load_and_agree(menagerie: Path) -> None:
    loaded, refused = [], []
    for f in robots(menagerie):
        try:
            pair = both(f)
        except gw.LoadError as error:
            refused.append(f)
            assert any(d.code == "element-refused" for d in error.diagnostics), f
            continue
        loaded.append(f)
        rng = np.random.default_rng(0)
        states = [random_state(pair, rng) for _ in range(3)]
        assert max(pose_error(pair, s) for s in states) < 1e-9, f
        assert max(max(actuator_errors(pair, s).values(), default=0.0) for s in states) < 1e-9, f
        if MUSCLES not in str(f):
            sim = gw.compile(without_constraints(pair.robot), contacts=[])
            assert max(max(dynamics_errors(pair, sim, s)) for s in states) < 1e-9, f
    assert len(loaded) >= 0.9 * (len(loaded) + len(refused)), refused
