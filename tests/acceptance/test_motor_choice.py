"""The example over a million designs, with a few of them."""

import runpy
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("polars")
EXAMPLE = Path(__file__).parents[2] / "examples" / "motor_choice.py"


def test_the_front_is_what_no_other_one_beats():
    front = runpy.run_path(str(EXAMPLE))["front"]
    rng = np.random.default_rng(0)
    points = rng.integers(0, 30, (400, 3)).astype(float)  # with ties
    points[::50] = np.nan
    beaten = [bool(((points >= p).all(axis=1) & (points > p).any(axis=1)).any()) for p in points]
    best = {tuple(points[i]) for i in front(points)}
    expected = {tuple(p) for p, is_beaten in zip(points, beaten, strict=True) if not is_beaten and np.isfinite(p).all()}
    assert best == expected and len(best) > 1


def test_it_runs_and_draws(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLE))["main"](256)
    assert "256 designs in" in capsys.readouterr().out
    assert (tmp_path / "motor_choice.png").stat().st_size > 10_000
