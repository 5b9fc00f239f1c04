"""The same inputs give the same bits: in every lane, batch, thread count, way of stepping and process."""

import subprocess
import sys

import numpy as np
import pytest

from gearwright.dynamics import Equations
from gearwright.sim import compile
from gearwright.sim.programs.programs import step_program
from gearwright.sim.running.clock import Pace
from tests.cli.commands import CHECKOUT
from tests.compiler.interpreting import interpret_program
from tests.sim.robots import ARM
from tests.sim.test_passive import mechanism
from tests.tolerances import ROUNDING


def starts(sim, n, rng):
    return 0.5 * rng.normal(size=(n, sim.state.shape[-1]))


@pytest.fixture
def single(arm):
    return compile(arm)


def stepped_alone(single, states, effort, n):
    found = []
    for k, state in enumerate(states):
        single.state = state
        single.step(effort={"j1": float(effort[k])}, n=n)
        found.append(single.state)
    return np.array(found)


@pytest.mark.parametrize(("batch", "threads"), [(2, 1), (8, 1), (9, 2), (37, 3)])
def test_batches_and_threads(arm, single, rng, batch, threads):
    states, effort = starts(single, batch, rng), rng.normal(size=batch)
    many = compile(arm, batch=batch, threads=threads)
    many.state = states
    many.step(effort={"j1": effort}, n=50)
    assert np.array_equal(many.state, stepped_alone(single, states, effort, 50))


def test_interpreter_agrees_to_rounding(arm, single, rng):
    states, effort = starts(single, 3, rng), rng.normal(size=3)
    program = step_program(Equations(arm, integrator="midpoint"))
    efforts = np.zeros((3, 9))
    efforts[:, 1] = effort
    ends = np.cumsum(list(single.batch_state.parts.values()))[:-1]
    values = dict(zip(single.batch_state.parts, np.split(states, ends, axis=1), strict=True)) | {
        "effort": efforts,
        "dt": 1e-3,
    }
    told = interpret_program(program, values, steps=20, batch=3).values
    expected = np.concatenate([told[name] for name in single.batch_state.parts], axis=1)
    found = stepped_alone(single, states, effort, 20)
    assert np.abs(found - expected).max() < ROUNDING * np.abs(expected).max()
    assert np.abs(found - states).max() > 1e-3


def test_ways_of_stepping(single, rng):
    start = starts(single, 1, rng)[0]
    torque = rng.normal(size=60)
    results = []
    for way in range(4):
        single.reset()
        single.state = start
        if way == 0:
            for x in torque:
                single.step(effort={"j3": float(x)})
        elif way == 1:
            single.run(0.06, effort={"j3": torque})
        elif way == 2:
            single.run(0.06, controller=lambda sim: {"j3": torque[round(sim.time / sim.dt)]}, every=7)
        else:
            single.run(0.06, effort={"j3": lambda t: torque[np.rint(t / 1e-3).astype(int)]}, every=60)
        results.append(single.state)
    for other in results[1:]:
        assert np.array_equal(results[0], other)


def test_runs_in_pieces(single, rng, monkeypatch):
    """A long run is made in several calls; where they end does not show."""
    start, torque = starts(single, 1, rng)[0], rng.normal(size=100)
    recordings = []
    for steps in (10**9, 7):
        monkeypatch.setattr(single.clock, "pace", Pace(1))
        monkeypatch.setattr(single.clock.pace, "took", lambda *call: None)
        single.clock.pace.steps = steps
        single.reset()
        single.state = start
        recordings.append(single.run(0.1, effort={"j2": torque}, every=3))
    whole, pieces = recordings
    assert len(whole.chunks) == 2 < len(pieces.chunks)  # the start, and all steps
    assert np.array_equal(whole.time, pieces.time)
    for family in ("position", "velocity", "effort"):
        for name in getattr(whole, family):
            assert np.array_equal(getattr(whole, family)[name], getattr(pieces, family)[name])
    assert np.array_equal(whole.energy, pieces.energy)


def test_processes(single):
    code = (
        "from gearwright.sim import compile\n"
        f"sim = compile({str(ARM)!r})\n"
        "sim.reset(position={'j1': 0.4})\nsim.step(effort={'j0': 1.0}, n=500)\nprint(sim.state.tobytes().hex())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=CHECKOUT, check=True)
    single.reset(position={"j1": 0.4})
    single.step(effort={"j0": 1.0}, n=500)
    assert done.stdout.strip() == single.state.tobytes().hex()


def test_single_precision(arm, single):
    short = compile(arm, precision="single")
    for sim in (short, single):
        sim.reset(position={"j1": 0.4})
        sim.step(n=100)
    assert short.position["j1"] != single.position["j1"]
    assert short.position["j1"] == pytest.approx(single.position["j1"], abs=4e-7)  # single precision, over 100 steps


def test_a_random_tree_alone_and_in_a_batch() -> None:
    """Its limbs lie in packs where it is alone, with lanes that repeat each other, and in none in a batch."""
    robot = mechanism(86)
    alone, many = compile(robot), compile(robot, batch=2)
    for sim in (alone, many):
        sim.step(n=30)
    assert (np.ravel(alone.state) == many.state[1]).all()
