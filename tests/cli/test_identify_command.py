"""`gearwright identify`, and the numbers that it finds in other commands."""

import json

import numpy as np
import pytest

from tests.cli.commands import gearwright
from tests.identification.logs import ARM, TRUE, swinging


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A log in degrees."""
    log, path = swinging(duration=2.0), tmp_path_factory.mktemp("logs") / "log.csv"
    rows = np.stack([log.time, np.rad2deg(log.column("elbow.position")), log.column("motor.command")], axis=1)
    np.savetxt(path, rows, delimiter=",", header="time,angle,u", comments="")
    return path


NAMES = ("--signal", "angle=elbow.position", "--signal", "u=motor.command", "--unit", "angle=deg")


def test_values_report_and_a_run_with_them(table, tmp_path):
    fit = [word for name in ("motor.friction=0:0.1", "elbow.damping", "arm.mass") for word in ("--fit", name)]
    out, page = tmp_path / "fit.json", tmp_path / "fit.html"
    ran = gearwright("identify", ARM, table, *NAMES, *fit, "--out", out, "--report", page)
    assert ran.code == 0, ran.err
    assert "mean error" in ran.out and f"wrote {out}" in ran.out and page.read_text().startswith("<!doctype html>")
    values = {n: row["value"] for n, row in json.loads(out.read_text())["parameters"].items()}
    assert values == pytest.approx(TRUE, rel=0.05)
    shown = gearwright("show", ARM, "--json", "--fit", out)
    assert f"{values['arm.mass']:.6}" in shown.out
    assert gearwright("run", ARM, "--fit", out, "--duration", "0.01").code == 0
    assert gearwright("run", ARM, "--fit", table, "--duration", "0.01").code == 1


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--fit", "arm.mas"), 2, "did you mean 'arm.mass'"),
        (("--fit", "arm.mass=3"), 2, "NAME=LO:HI"),
        (("--fit", "arm.mass=3:1"), 2, "contradict"),
        (("--fit", "arm.mass", "--unit", "angle"), 2, "COLUMN"),
        (("--fit", "arm.mass", "--out", "fit.txt"), 1, ".json"),
    ],
)
def test_mistakes(words, code, says, table):
    ran = gearwright("identify", ARM, table, *NAMES, *words)
    assert (ran.code, says in ran.err) == (code, True), ran.err
