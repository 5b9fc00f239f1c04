"""`gearwright convert` and `gearwright diff`: exit codes, tables and JSON."""

import json

import pytest

import gearwright as gw
from tests.cli.commands import gearwright as run


def test_convert_verify_and_diff(tmp_path):
    out = tmp_path / "gripper.urdf"
    done = run("convert", "gripper", out, "--verify")
    assert done.code == 0, done.err
    assert "verified" in done.out and "Gearwright" in done.out
    assert gw.load(out).dof == gw.load("gripper").dof
    assert run("diff", "gripper", out).code == 1  # the spindle of screws is written as a reduction
    assert run("diff", out, out).out.strip() == "no difference"


def test_json(tmp_path):
    done = run("convert", "gripper", tmp_path / "g.xml", "--json")
    data = json.loads(done.out)
    assert data["verified"] is None
    assert {"part", "field", "reason"} == set(data["lost"][0])
    found = json.loads(run("diff", "gripper", "wrist", "--json").out)
    assert {"kind", "name", "field", "before", "after"} == set(found[0])


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("convert", "gripper", "out.dae"), 2, "the ending must be one of"),
        (("convert", "gripper", "out.sdf", "--tolerance", "-1"), 2, "--tolerance"),
        (("convert", "no_such.sdf", "out.sdf"), 1, "does not exist"),
        (("diff", "gripper", "no_such.sdf"), 1, "does not exist"),
    ],
)
def test_wrong_words(words, code, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*words)
    assert done.code == code
    assert said in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_difference_above_the_tolerance(tmp_path):
    """Rounding is above a tolerance of 0."""
    done = run("convert", "reference_arm", tmp_path / "a.xml", "--verify", "--tolerance", "0")
    assert done.code == 1
    assert "above" in done.out
