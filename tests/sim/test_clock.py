"""The stepping clock: time, steps, and who listens to them."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from gearwright.sim.running.clock import Pace


@pytest.fixture
def sim(double_pendulum):
    sim = compile(double_pendulum, batch=3)
    sim.reset(position={"shoulder": [0.1, 0.2, 0.3]})
    return sim


def test_advance_is_step(sim):
    sim.step(n=40)
    expected = sim.state
    sim.reset(position={"shoulder": [0.1, 0.2, 0.3]})
    sim.clock.advance(15)
    sim.clock.advance()
    sim.clock.advance(24)
    assert np.array_equal(sim.state, expected)
    assert sim.clock.steps == 40 and sim.clock.time == sim.time == 40 * sim.dt


def test_time_is_set_without_steps(sim):
    sim.clock.advance(3)
    sim.time = 2.5
    assert (sim.clock.start, sim.clock.steps, sim.time) == (2.5, 0, 2.5)
    sim.clock.advance(2)
    assert sim.time == 2.5 + 2 * sim.dt


@pytest.mark.parametrize("time", [float("nan"), float("inf"), "1", True, None, [1.0]])
def test_no_time(sim, time):
    with pytest.raises(gw.ModelError, match="a finite number of seconds"):
        sim.time = time


def steps_heard(sim, **options):
    heard = []
    stop = sim.clock.listen(lambda clock: heard.append(clock.steps), **options)
    return heard, stop


@pytest.mark.parametrize("how", ["advance", "steps", "run", "controller"])
def test_listeners_hear_every_so_many_steps(sim, how):
    heard, stop = steps_heard(sim, every=3)
    other, _ = steps_heard(sim, every=4)
    make = {
        "advance": lambda: sim.clock.advance(10),
        "steps": lambda: [sim.step() for _ in range(10)],
        "run": lambda: sim.run(0.01),
        "controller": lambda: sim.run(0.01, controller=lambda sim: {"elbow": 0.1}),
    }
    make[how]()
    assert heard == [3, 6, 9] and other == [4, 8]
    stop()
    sim.clock.advance(10)
    assert heard == [3, 6, 9] and other == [4, 8, 12, 16, 20]


def test_listeners_without_a_count_hear_every_call(sim, monkeypatch):
    monkeypatch.setattr(sim.clock, "pace", Pace(10**9))  # one step per call at first
    monkeypatch.setattr(sim.clock.pace, "took", lambda *call: None)
    heard, stop = steps_heard(sim)
    sim.clock.advance(4)
    sim.step()
    assert heard == [1, 2, 3, 4, 5]
    stop()
    sim.step()
    assert heard == [1, 2, 3, 4, 5]


def test_listening_changes_no_bit(sim):
    sim.step(n=30)
    expected = sim.state
    sim.reset(position={"shoulder": [0.1, 0.2, 0.3]})
    steps_heard(sim, every=7)
    recording = sim.run(0.03, every=5)
    assert np.array_equal(sim.state, expected)
    assert np.array_equal(recording.position["elbow"][-1], sim.position["elbow"]) and len(recording) == 7


def test_a_listener_reads_and_commands(sim):
    """As a device does: what it writes acts from the next step on."""
    port = sim.port(robot=1)
    angle, push = port.position("shoulder"), port.effort("elbow")
    sim.clock.listen(lambda clock: push.write(angle()), every=5)
    recording = sim.run(0.012)
    assert not recording.effort["elbow"][:6].any()
    assert (recording.effort["elbow"][6:11, 1] == recording.position["shoulder"][5, 1]).all()
    assert (recording.effort["elbow"][11:, 1] == recording.position["shoulder"][10, 1]).all()
    assert not recording.effort["elbow"][:, [0, 2]].any()


@pytest.mark.parametrize("step", [lambda sim: sim.step(), lambda sim: sim.step(n=2), lambda sim: sim.run(0.01)])
def test_a_listener_cannot_step(sim, step):
    sim.clock.listen(lambda clock: step(sim))
    with pytest.raises(gw.ModelError, match="a listener of the clock cannot step"):
        sim.step()
    assert sim.clock.steps == 1


def test_an_error_of_a_listener_ends_the_run_with_a_consistent_clock(sim):
    def fails(clock):
        raise KeyError("device")

    stop = sim.clock.listen(fails, every=6)
    with pytest.raises(KeyError, match="device"):
        sim.run(0.02)
    assert sim.clock.steps == 6
    stop()
    sim.step(n=14)
    assert sim.clock.steps == 20


@pytest.mark.parametrize(("every", "problem"), [(0, "1 or more"), (1.5, "whole number"), (-1, "0 or more")])
def test_every_is_a_number_of_steps(sim, every, problem):
    with pytest.raises(gw.ModelError, match=problem):
        sim.clock.listen(print, every=every)


def test_a_robot_that_diverges_is_reported(double_pendulum):
    sim = compile(double_pendulum, integrator="euler")
    sim.step(effort={"elbow": 1e12}, n=0)
    with pytest.raises(gw.SimulationError, match="the run diverges, after step 1"):
        sim.clock.advance(100)
