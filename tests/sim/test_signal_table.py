"""A signal is one row of a table: views, recordings, files, plots, policies and sweeps follow. So is a state."""

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.dynamics.steps import guess
from gearwright.model import AxisRef
from gearwright.model.layout.slots import SLOTS
from gearwright.page.history import History
from gearwright.sim import signals
from gearwright.sim.signals import Derived, Family, SignalPlace


@pytest.fixture
def momentum(monkeypatch):
    """One row for a family of three signals, and one for a single quantity."""
    row = Family(
        name="momentum", of="axis",
        each=lambda layout: (SignalPlace(x, "N·s", Derived("momentum", "linear", i)) for i, x in enumerate("xyz")),
    )  # fmt: skip
    monkeypatch.setitem(signals.FAMILIES, "momentum", row)
    monkeypatch.setattr(signals, "SINGLE", [*signals.SINGLE, ("spin", "N·m·s", Derived("momentum", "angular", 1))])


def test_a_new_row_is_read_now_and_over_time(momentum, double_pendulum):
    sim = gw.compile(double_pendulum)
    read, page = sim.reader(sim.signals.family("momentum").signals["x"]), History(sim)
    rec = sim.run(0.1, effort={"elbow": 0.5})
    assert read() == sim.momentum.linear[0] != 0.0
    assert page[-1][1]["x.momentum"] == read() and page.signals["spin"].unit == "N·m·s"
    x, spin = (rec.read(rec.schema.signal(*key)) for key in (("momentum", "x"), ("", "spin")))
    assert x[-1] == pytest.approx(read(), rel=1e-12) and spin[-1] == pytest.approx(sim.momentum.angular[1], rel=1e-12)
    with pytest.raises(gw.GearwrightError, match="no axis named 'w'"):
        rec.schema.signal("momentum", "w")


def test_policies_see_it(momentum, double_pendulum):
    motor = gw.ElectricMotor(name="motor", joint=AxisRef("elbow"), effort_limit=1.0)
    env = gw.Env(
        double_pendulum.with_actuator(motor), observe=("x.momentum", "spin"), act=("motor",),
        reward=lambda seen, action: seen[:, 0], period=0.01,
    )  # fmt: skip
    env.reset(seed=1)
    seen, *_ = env.step(np.array([1.0]))
    momentum = env.sim.momentum
    assert seen == pytest.approx([momentum.linear[0], momentum.angular[1]], rel=1e-12) and seen.all()


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet", "mcap"])
def test_files_plots_and_sweeps_have_it(momentum, double_pendulum, tmp_path, ending):
    rec = gw.compile(double_pendulum).run(0.01, effort={"elbow": 0.5})
    rec.save(tmp_path / f"run.{ending}")
    again = gw.Recording.open(tmp_path / f"run.{ending}")
    key = again.schema.signal("momentum", "x")
    assert key.unit == "N·s" and np.array_equal(again.read(key), rec.read(rec.schema.signal("momentum", "x")))
    if ending == "csv":
        assert rec.plot(["x.momentum"]).axes[0].get_ylabel() == "[N·s]"
        table = gw.sweep(
            double_pendulum, vary={"elbow.damping": [0.1, 0.2]}, duration=0.01, effort={"elbow": 0.5},
            metrics={"last": "x.momentum:last"},
        )  # fmt: skip
        assert np.abs(table["last"].to_numpy()).min() > 0.0


def test_a_state_is_one_line(monkeypatch, double_pendulum, tmp_path):
    """With its line, a stage may write it: programs, resets, states, files and the exported header have it."""
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path))  # code that nobody else shall find
    turned = replace(SLOTS["mean_velocity"], name="turned", unit="rad, m", start="0", meaning="way since the reset")
    monkeypatch.setitem(SLOTS, "turned", turned)
    remember = guess.remember

    def measured(build, w, at_end):
        remember(build, w, at_end)
        build["turned"] = [x + build.dt[0] * abs(rate) for x, rate in zip(build["turned"], w, strict=True)]

    monkeypatch.setattr(guess, "remember", measured)
    sim = gw.compile(double_pendulum)
    sim.reset(velocity={"elbow": 1.0})
    path = [np.array([*sim.position.values()])]
    for _ in range(50):
        sim.step()
        path.append(np.array([*sim.position.values()]))
    way, state = np.abs(np.diff(path, axis=0)).sum(axis=0), sim.state
    assert sim.batch_state.get("turned")[0] == pytest.approx(way, rel=1e-9) and way.min() > 1e-4
    sim.save(tmp_path / "sim.gw", questions=())
    sim.reset()
    assert not sim.batch_state.get("turned").any()
    sim.state = state
    assert sim.batch_state.get("turned")[0] == pytest.approx(way, rel=1e-9)
    assert gw.open(tmp_path / "sim.gw").batch_state.get("turned")[0] == pytest.approx(way, rel=1e-9)
    gw.export_c(double_pendulum, tmp_path / "arm")
    assert "state: way since the reset [rad, m]" in (tmp_path / "arm.h").read_text()
