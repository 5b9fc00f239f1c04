"""Runs: what is recorded, how efforts vary, what controllers may do."""

import io
from contextlib import redirect_stderr

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import UnknownNameError
from gearwright.sim import compile
from tests.tolerances import ROUNDING


@pytest.fixture
def sim(double_pendulum):
    return compile(double_pendulum)


@pytest.fixture
def three(double_pendulum):
    return compile(double_pendulum, batch=3)


def test_rows_are_the_states_after_the_steps(sim):
    sim.reset(position={"shoulder": 1.0})
    rec = sim.run(0.05, every=10)
    sim.reset(position={"shoulder": 1.0})
    assert len(rec) == 6
    for row in range(6):
        sim.step(n=10 if row else 0)
        assert rec.time[row] == sim.time
        assert rec.position["shoulder"][row] == sim.position["shoulder"]
        assert rec.velocity["elbow"][row] == sim.velocity["elbow"]
        assert rec.energy[row] == sim.energy
        assert rec.kinetic_energy[row] == sim.kinetic_energy


def test_shapes(sim, three):
    for one, shape in ((sim, (21,)), (three, (21, 3))):
        rec = one.run(0.02)
        assert rec.time.shape == (21,)
        for values in (rec.position["elbow"], rec.velocity["elbow"], rec.effort["elbow"], rec.energy):
            assert values.shape == shape


def test_duration_is_rounded_to_a_step(sim):
    assert len(sim.run(0.0104)) == 11
    assert len(sim.run(0.0106)) == 12
    assert len(sim.run(0.0)) == 1
    assert len(sim.run(0.01, every=3)) == 4
    assert sim.time == pytest.approx(0.031, rel=ROUNDING)
    for wrong in (-1.0, float("nan"), float("inf"), "long"):
        with pytest.raises(gw.ModelError, match="duration"):
            sim.run(wrong)
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(gw.ModelError, match="every"):
            sim.run(0.01, every=wrong)


def test_efforts_that_vary(three, rng):
    over_time, both = rng.normal(size=20), rng.normal(size=(20, 3))
    rec = three.run(0.02, effort={"elbow": over_time, "shoulder": both})
    assert np.array_equal(rec.effort["elbow"][1:], np.repeat(over_time[:, None], 3, axis=1))
    assert np.array_equal(rec.effort["shoulder"][1:], both) and np.array_equal(rec.effort["shoulder"][0], both[0])
    assert np.array_equal(three.effort["shoulder"], both[-1])  # the last values stay held
    rec = three.run(0.02, effort={"elbow": [1.0, 2.0, 3.0]}, every=5)
    assert rec.effort["elbow"].tolist() == [[1.0, 2.0, 3.0]] * 5
    assert np.array_equal(rec.effort["shoulder"], np.repeat(both[-1:], 5, axis=0))


def test_functions_of_time(sim):
    sim.step(n=5)
    rec = sim.run(0.01, effort={"elbow": np.sin})
    assert rec.effort["elbow"][1:] == pytest.approx(np.sin(0.005 + 1e-3 * np.arange(10)), rel=1e-12)
    again = sim.run(0.01, effort=lambda t: {"elbow": np.cos(t), "shoulder": 0.25})
    assert again.effort["elbow"][1:] == pytest.approx(np.cos(0.015 + 1e-3 * np.arange(10)), rel=1e-12)
    assert again.effort["shoulder"].tolist() == [0.25] * 11


def test_a_run_can_be_repeated(sim, rng):
    sim.reset(position={"elbow": 0.5})
    rec = sim.run(0.05, effort={"elbow": rng.normal(size=50), "shoulder": 0.1})
    end = sim.state
    sim.reset(position={"elbow": 0.5})
    sim.run(0.05, effort=rec.effort)
    assert np.array_equal(sim.state, end)


@pytest.mark.parametrize("wrong", [np.zeros(19), np.zeros((20, 2)), np.zeros((20, 3, 1)), [np.nan] * 20, "x"])
def test_efforts_that_do_not_fit(three, wrong):
    with pytest.raises(gw.ModelError):
        three.run(0.02, effort={"elbow": wrong})
    assert three.time == 0.0


def test_steps_and_robots_may_not_be_confused(three):
    with pytest.raises(gw.ModelError, match=r"\(3, 1\) for the steps or \(1, 3\) for the robots"):
        three.run(0.003, effort={"elbow": [1.0, 2.0, 3.0]})
    rec = three.run(0.003, effort={"elbow": [[1.0, 2.0, 3.0]]})
    assert rec.effort["elbow"].tolist() == [[1.0, 2.0, 3.0]] * 4
    rec = three.run(0.003, effort={"elbow": [[1.0], [2.0], [3.0]]})
    assert rec.effort["elbow"].tolist() == [[1.0] * 3, [1.0] * 3, [2.0] * 3, [3.0] * 3]


def test_controller_is_called_before_each_step(sim):
    times = []

    def controller(seen):
        times.append(seen.time)
        return {"elbow": -2.0 * seen.position["elbow"]} if len(times) > 3 else None

    sim.reset(position={"elbow": 0.5})
    rec = sim.run(0.01, controller=controller, every=2)
    assert times == pytest.approx(1e-3 * np.arange(10), rel=ROUNDING)
    assert rec.effort["elbow"][0] == 0.0
    assert rec.effort["elbow"][-1] == pytest.approx(-1.0, abs=1e-2)  # it has moved on for two steps
    with pytest.raises(gw.ModelError, match="a controller returns a mapping"):
        sim.run(0.01, controller=lambda _: 0.3)


def test_controller_for_a_batch(three):
    three.reset(position={"elbow": [0.1, 0.2, 0.3]})
    rec = three.run(0.01, controller=lambda sim: {"elbow": -sim.position["elbow"]})
    assert rec.effort["elbow"].shape == (11, 3)
    assert rec.effort["elbow"][1] == pytest.approx([-0.1, -0.2, -0.3], rel=ROUNDING)


def test_controller_that_changes_parameters(double_pendulum):
    """Energies of a recording are those of the parameters at that time."""
    sim = compile(double_pendulum, parameters=("lower.mass",))
    energies = []

    def controller(seen):
        seen.set_parameters({"lower.mass": 1.0 + seen.time})

    def watched(seen):
        energies.append(seen.energy)
        controller(seen)

    sim.reset(position={"shoulder": 1.0})
    rec = sim.run(0.01, controller=watched)
    assert rec.energy[:-1] == pytest.approx(energies, rel=ROUNDING)
    assert np.ptp(rec.energy) > 0.01


def test_recording_that_does_not_fit_into_memory(three):
    with pytest.raises(gw.ModelError, match=r"needs .* TB, but only .* is free.*every="):
        three.run(1e9)
    assert three.time == 0.0


def test_progress(sim):
    shown = io.StringIO()
    with redirect_stderr(shown):
        sim.run(0.01, progress=True)
        sim.run(0.01, controller=lambda _: None, progress=True)
    assert sim.time == pytest.approx(0.02, rel=ROUNDING)


def test_commands_to_actuators(gripper):
    """Constant, as a function of time, and from a controller: the same."""
    sim = compile(gripper)
    ends = []
    for given in (
        {"command": {"motor": 0.01}},
        {"command": {"motor": lambda t: 0.01 + 0 * t}},
        {"controller": lambda _: {"motor": 0.01}},
    ):
        sim.reset()
        rec = sim.run(0.01, **given)
        assert rec.command["motor"].tolist()[1:] == [0.01] * 10
        ends.append(sim.state.tobytes())
    assert ends[0] == ends[1] == ends[2]
    assert sim.position["right_finger"] > 0
    with pytest.raises(UnknownNameError, match="no actuator"):
        sim.run(0.01, command={"motr": 1.0})
