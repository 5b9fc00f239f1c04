"""Joints that close loops are signals like others: in plots, tables, files, metrics and observations."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim.recordings.signal_names import find, label
from tests.sim.test_loops import ring


@pytest.fixture(scope="module")
def recording():
    return gw.compile("four_bar").run(0.02, effort={"pin_a": 0.05})


@pytest.mark.parametrize("ending", ["mcap", "parquet", "npz", "csv"])
def test_every_format_has_them(recording, tmp_path, ending):
    path = tmp_path / f"run.{ending}"
    recording.save(path)
    again = gw.Recording.open(path)
    assert np.ptp(recording.position["pin_c"]) > 1e-4
    assert (again.position["pin_c"] == recording.position["pin_c"]).all()
    assert (again.velocity["pin_c"] == recording.velocity["pin_c"]).all()
    assert list(again.position) == list(recording.position)  # as before: those that can be given
    assert [label(s) for s in find(again.schema, "pin_c")] == ["pin_c.position", "pin_c.velocity"]
    assert [s.unit for s in find(again.schema, "pin_c")] == ["rad", "rad/s"]


def test_one_name_everywhere(recording):
    assert [label(s) for s in find(recording.schema, ["pin_c.position"])] == ["pin_c.position"]
    assert "pin_c.position" in [label(s) for s in find(recording.schema, "position")]
    frame = recording.to_polars()
    assert (frame["pin_c.velocity"].to_numpy() == recording.velocity["pin_c"]).all()
    assert recording.plot(["pin_c.position"]) is not None


def test_coordinates_of_a_ball_that_closes_a_loop(tmp_path):
    recording = gw.compile(ring("ball")).run(0.01)
    recording.save(tmp_path / "ring.npz")
    again = gw.Recording.open(tmp_path / "ring.npz")
    assert (again.position["cut"] == recording.position["cut"]).all()
    assert again.position["cut"].shape == (11, 4)
    assert [label(s) for s in find(again.schema, "cut.velocity")] == [f"cut.r{x}.velocity" for x in "xyz"]
    assert [s.unit for s in find(again.schema, "cut.position")] == ["1"] * 4


def test_policies_see_them():
    env = gw.Env(
        "four_bar", observe=("pin_c.position", "sin(pin_c.velocity)"), act={"crank_motor": (-1, 1)},
        reward=lambda seen, action: seen[:, 0], period=0.005,
    )  # fmt: skip
    env.reset(seed=1)
    seen, *_ = env.step(np.array([1.0]))
    sim = env.sim
    assert seen == pytest.approx([sim.position["pin_c"], np.sin(sim.velocity["pin_c"])], abs=1e-15)
