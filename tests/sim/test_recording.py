"""Recordings as files and as pictures."""

import csv
import sys
from urllib.parse import unquote

import numpy as np
import pytest

import gearwright as gw
from gearwright.display.plots import panels
from gearwright.sim import compile
from gearwright.sim.recordings.npz import member
from gearwright.sim.signals import Signal
from tests.sim.robots import FOLLOWING, FREE


@pytest.fixture(scope="module")
def recording():
    sim = compile(gw.loads(FOLLOWING))
    sim.reset(position={"leader": 0.5})
    return sim.run(0.05, effort={"leader": np.linspace(0, 1, 50)}, every=5)


def test_one_sample_is_singular():
    sim = compile(gw.loads(FOLLOWING))
    assert repr(gw.Recording(sim.run(0.01).schema)) == "<Recording of 'following': 0 samples>"
    assert repr(sim.run(0.01, every=100)) == "<Recording of 'following': 1 sample, until 0.01 s>"


@pytest.fixture(scope="module")
def batch():
    sim = compile(gw.loads(FREE), batch=3)
    sim.reset(velocity={"spin": [1.0, 2.0, 3.0], "socket.rx": 2.0})
    return sim.run(0.02)


def test_npz(recording, tmp_path):
    recording.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as data:
        assert np.array_equal(data["time"], recording.time)
        assert np.array_equal(data["position/follower"], recording.position["follower"])
        assert np.array_equal(data["velocity/leader"], recording.velocity["leader"])
        assert np.array_equal(data["effort/leader"], recording.effort["leader"])
        assert np.array_equal(data["coupling_error/follower"], recording.coupling_error["follower"])
        assert np.array_equal(data["energy"], recording.energy)


def test_npz_of_a_batch(batch, tmp_path):
    batch.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as data:
        assert data["position/socket.qw"].shape == (21, 3)
        assert np.array_equal(data["velocity/spin"], batch.velocity["spin"])


def test_csv_reads_back_exactly(recording, tmp_path):
    recording.save(tmp_path / "run.csv")
    with open(tmp_path / "run.csv", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    table = dict(zip(header, np.array(rows, float).T, strict=True))
    assert header[:3] == ["time [s]", "position leader [rad]", "position follower [rad]"]
    assert np.array_equal(table["time [s]"], recording.time)
    assert np.array_equal(table["position follower [rad]"], recording.position["follower"])
    assert np.array_equal(table["effort leader [N·m]"], recording.effort["leader"])
    assert np.array_equal(table["energy [J]"], recording.energy)


def test_csv_of_a_batch(batch, tmp_path):
    batch.save(tmp_path / "run.csv")
    with open(tmp_path / "run.csv", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert {"position base.z #2 [m]", "velocity base.z #0 [m/s]", "velocity spin #1 [rad/s]"} <= set(header)
    assert "position socket.qw #0 [1]" in header
    assert len(rows) == 21


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("run.xls", "'.xls' is not a recording format; valid: .npz, .csv, .mcap, .parquet"),
        ("run", "is not a recording format"),
    ],
)
def test_other_endings(recording, tmp_path, name, message):
    with pytest.raises(gw.GearwrightError, match=message):
        recording.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_names_cannot_leave_the_archive(tmp_path):
    sim = compile(gw.loads(FOLLOWING.replace("'follower'", "'../../follower'")))
    sim.run(0.01).save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as data:
        assert "position/%2E%2E/%2E%2E/follower" in data.files


HARD_NAMES = [
    "a/b",
    "a\\b",
    "a//b",
    "a/./b",
    "a/b/",
    "/a/b",
    "a%2Fb",
    "a%b",
    "../a/b",
    "..",
    ".",
    "",
    "a\0b",
    "a:b",
    "ä",
    "/",
]


def test_names_that_could_be_one_file_are_kept_apart():
    members = [member(Signal(family="position", name=name, unit="rad")) for name in HARD_NAMES]
    files = {tuple(part for part in m.split("/") if part not in ("", ".")) for m in members}
    assert len(files) == len(HARD_NAMES)
    assert [unquote(m.removeprefix("position/")) for m in members] == HARD_NAMES
    assert not any(set(m) & set('\\:*?"<>|\0') or ".." in m.split("/") for m in members)


def test_names_that_could_be_one_file_in_a_file(tmp_path):
    sim = compile(gw.loads(FOLLOWING.replace("'leader'", "'a/b'").replace("'follower'", "'a\\b'")))
    recording = sim.run(0.01, effort={"a/b": 0.1})
    recording.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as data:
        assert np.array_equal(data["position/a/b"], recording.position["a/b"])
        assert np.array_equal(data["position/a%5Cb"], recording.position["a\\b"])
        assert not np.array_equal(data["position/a/b"], data["position/a%5Cb"])


@pytest.mark.parametrize("ending", ["svg", *(pytest.param(e, marks=pytest.mark.slow) for e in ("png", "pdf", "html"))])
def test_plot(recording, batch, tmp_path, ending):
    pytest.importorskip("matplotlib")
    for n, rec in enumerate((recording, batch)):
        rec.plot(tmp_path / f"{n}.{ending}")
        assert (tmp_path / f"{n}.{ending}").stat().st_size > 5000


def test_plot_says_what_is_drawn(recording, tmp_path):
    pytest.importorskip("matplotlib")
    recording.plot(tmp_path / "run.svg")
    text = (tmp_path / "run.svg").read_text(encoding="utf-8")
    for word in ("following", "[rad]", "[rad/s]", "[N·m]", "[J]", "time [s]", "leader", "follower"):
        assert word in text, word


def test_panels(batch):
    found = {(p.title, p.unit): list(p.lines) for p in panels(batch, robots=2)}
    assert ("effort", "N·m") not in found  # there was none
    assert found[("position", "m")] == ["base.x", "base.y", "base.z"]
    assert "socket.qw" in found[("orientation", "quaternion")]
    assert found[("energy", "J")] == ["kinetic", "potential", "total"]
    assert panels(batch, robots=2)[0].lines["base.x"].values.shape == (21, 2)


def test_names_that_matplotlib_would_read_otherwise(tmp_path):
    pytest.importorskip("matplotlib")
    text = FOLLOWING.replace("'follower'", "'$\\frac{$'").replace("'leader'", "'_hidden'")
    sim = compile(gw.loads(text))
    sim.run(0.01, effort={"_hidden": 1.0}).plot(tmp_path / "run.svg")
    assert "_hidden" in (tmp_path / "run.svg").read_text(encoding="utf-8")


def test_plot_without_matplotlib(recording, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(gw.GearwrightError, match=r"a plot needs matplotlib.* -m pip install matplotlib"):
        recording.plot(tmp_path / "run.png")


def test_plot_of_nothing(recording, tmp_path):
    with pytest.raises(gw.GearwrightError, match=r"must end in \.png, \.svg, \.pdf, \.html"):
        recording.plot(tmp_path / "run.gif")
    with pytest.raises(gw.GearwrightError, match="empty"):
        gw.Recording(recording.schema).plot(tmp_path / "run.png")
