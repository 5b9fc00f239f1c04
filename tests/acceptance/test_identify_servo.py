"""The example that identifies a servo: from simulated recordings, and from those of a real one where they are."""

import os
import runpy
from pathlib import Path

import pytest

import gearwright as gw

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "identify_servo.py"
LOGS = sorted(Path(os.environ.get("GEARWRIGHT_CORPUS", ROOT.parent / "shared" / "corpus")).glob("logs/sts3250/*.json"))


def test_simulated_recordings(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    example = runpy.run_path(str(EXAMPLE))
    fit = example["main"]([])
    assert "mean error" in capsys.readouterr().out
    assert {n: fit.values[n] for n in example["TRUE"]} == pytest.approx(example["TRUE"], rel=0.03)
    assert fit.values["servo.delay"] == pytest.approx(example["DELAY"], abs=5e-4)
    assert fit.holdout_error < 1e-3 and fit.residuals[-1].held_back
    assert (tmp_path / "identify_servo.png").stat().st_size > 10_000
    assert (tmp_path / "identify_servo.json").exists()


@pytest.mark.slow
@pytest.mark.skipif(len(LOGS) < 3, reason="needs the recordings of an STS3250")
def test_one_recording_of_an_sts3250_is_predicted_by_the_others():
    example = runpy.run_path(str(EXAMPLE))
    sines, *others = LOGS
    fit = example["identified"]([gw.read_log(file) for file in (*others, sines)], 2e-3)
    assert fit.holdout_error < 6e-3


@pytest.mark.slow
@pytest.mark.skipif(len(LOGS) < 3, reason="needs the recordings of an STS3250")
def test_recordings_of_an_sts3250():
    """M1 with a delay: mean error, and the limit that no motion reaches."""
    example = runpy.run_path(str(EXAMPLE))
    fit = gw.identify(
        example["servo_pendulum"](), LOGS, tuple(example["BOUNDS"]), bounds=example["BOUNDS"],
        signals=example["COLUMNS"], outputs="shoulder.position", dt=2e-3,
    )  # fmt: skip
    assert fit.error < 6e-3
    assert [c.names for c in fit.undetermined] == [("servo.goal_speed",)]
    assert fit.values["servo.delay"] == pytest.approx(0.0141, abs=0.001)
