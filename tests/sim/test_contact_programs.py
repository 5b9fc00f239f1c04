"""The same contacts in batches, threads, single precision, saved and exported code, substeps of a loop's step, and
linearized.
"""

import subprocess

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiler.program import Branch, nodes_of, stages_of
from gearwright.model.geometry import Box
from tests.dynamics.contact.scenes import G, body, scene, still
from tests.export.test_c import built

BOTH = ["midpoint", pytest.param("euler", marks=pytest.mark.slow)]


def robot():
    box = body("box", Box(size=(0.2, 0.2, 0.1)), friction=0.5)
    return scene([box], [still("ground", friction=1.0)], slope=0.2)


START = {"position": {"box.z": 0.1, "box.qw": 0.99, "box.qx": 0.1}, "velocity": {"box.x": 0.5, "box.ry": 2.0}}


@pytest.mark.parametrize("integrator", BOTH)
def test_the_same_bits_in_any_batch_lane_and_thread(integrator):
    single = gw.compile(robot(), integrator=integrator)
    single.reset(**START)
    batches = [gw.compile(robot(), integrator=integrator, batch=n, threads=t) for n, t in ((3, 1), (37, 2))]
    for sim in batches:
        speed = np.linspace(-1.0, 1.0, sim.batch)
        speed[1] = 0.5
        sim.reset(position=START["position"], velocity=START["velocity"] | {"box.x": speed})
    again = gw.compile(robot(), integrator=integrator, batch=37, threads=1)
    again.reset(position=START["position"], velocity=START["velocity"] | {"box.x": np.linspace(-1.0, 1.0, 37)[::-1]})
    for _ in range(5):
        for sim in (single, *batches, again):
            sim.step(n=60)
        states = [sim.batch_state.get("position") for sim in (*batches, again)]
        assert np.array_equal(states[0][1], states[1][1])
        assert np.array_equal(states[1][5], states[2][36 - 5])
        own = np.array([single.position[f"box.{c}"] for c in "xyz"])
        assert own == pytest.approx(np.array([batches[0].position[f"box.{c}"][1] for c in "xyz"]), abs=1e-9)
    assert np.mean(again.unsettled) < 1e-3 * 300


@pytest.mark.parametrize("integrator", BOTH)
def test_single_precision(integrator):
    level = scene([body("box", Box(size=(0.2, 0.2, 0.1)), friction=0.5)], [still("ground")])
    sim = gw.compile(level, precision="single", integrator=integrator)
    sim.reset(position={"box.z": 0.1}, velocity={"box.x": 1.0})
    sim.step(n=2000)
    assert sim.position["box.z"] == pytest.approx(0.05, abs=1e-6)
    assert abs(sim.velocity["box.x"]) < 1e-6
    assert sim.contact_force["box"][2] == pytest.approx(G, rel=1e-3)
    assert sim.unsettled <= 2


def test_saved_and_opened(tmp_path):
    sim = gw.compile(robot())
    sim.reset(**START)
    sim.save(tmp_path / "box.gw")
    opened = gw.open(tmp_path / "box.gw")
    opened.reset(**START)
    for each in (sim, opened):
        each.step(n=200)
    assert np.array_equal(sim.state, opened.state)
    assert [c.pair for c in opened.contacts] == [("box", "ground")] * len(opened.contacts)
    assert opened.contact_force["box"] == pytest.approx(sim.contact_force["box"], abs=0.0)


@pytest.mark.parametrize("integrator", BOTH)
def test_as_c(integrator, tmp_path):
    """The harness makes a thousand steps and compares them to the simulation's."""
    sim = gw.compile(robot(), integrator=integrator)
    exported = gw.export_c(sim.robot, tmp_path / "box", integrator=integrator)
    done = subprocess.run([built(exported, tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("integrator", BOTH)
def test_linearized_on_the_active_set(integrator):
    """Beside differences of steps, along the ground; the way it slides turns with what pushes it."""
    sim = gw.compile(
        scene([body("box", Box(size=(0.2, 0.2, 0.1)), friction=0.5)], [still("ground")]), integrator=integrator
    )
    sim.reset(position={"box.z": 0.05}, velocity={"box.y": 1.0})
    sim.step(n=50)
    A, B = sim.linearize()
    start, push = sim.state.copy(), 0.1

    def after(i, change):
        sim.state = start
        sim.step(effort={("box.x", "box.y")[i]: change})
        return np.array([sim.velocity["box.x"], sim.velocity["box.y"]])

    rows = [len(A) - 6 + k for k in range(2)]
    for i in range(2):
        difference = (after(i, push) - after(i, -push)) / (2 * push)
        assert B[rows, i] == pytest.approx(difference, abs=1e-5)
    assert abs(B[len(A) - 4, 2]) < 1e-4  # it stays on the ground


def branches(sim, slot):
    """Stages inside of the branches that a slot ends, and their lengths."""
    body = sim.kernels._program("step").body
    return [{s.name: len(s.tape.instructions) for s in stages_of(n.body)}
            for n in nodes_of(body) if isinstance(n, Branch) and n.unless == slot]  # fmt: skip


@pytest.mark.filterwarnings("ignore:contacts do not act")
@pytest.mark.parametrize("integrator", BOTH)
def test_what_touches_nothing_is_solved_for_without_contacts(integrator):
    """A box in the air takes the short stage alone, and moves as one that has no contacts."""
    sims = [gw.compile(robot(), integrator=integrator, contacts=contacts) for contacts in (None, [])]
    (free, *_), (switch, *_) = branches(sims[0], "may_touch"), branches(sims[0], "is_free")
    assert free["free"] < 0.5 * switch["switch"]
    for sim in sims:
        sim.reset(position={"box.z": 2.0}, velocity={"box.x": 1.0, "box.rx": 5.0, "box.ry": 1.0})
        sim.step(n=200)
    assert sims[0].q == pytest.approx(sims[1].q, abs=1e-13)


@pytest.mark.parametrize("integrator", BOTH)
def test_some_fly_and_some_touch(integrator):
    """In one block, each to the bits that it has alone, also while one comes down on the ground."""
    starts = np.array([0.05, 2.0, 0.2, 0.05, 0.06, 0.5, 1.0])
    sim = gw.compile(robot(), integrator=integrator, batch=len(starts))
    sim.reset(position={"box.z": starts}, velocity={"box.ry": 3.0})
    sim.step(n=300)
    alone = gw.compile(robot(), integrator=integrator)
    for i, z in enumerate(starts):
        alone.reset(position={"box.z": z}, velocity={"box.ry": 3.0})
        alone.step(n=300)
        assert np.array_equal(alone.q.ravel(), sim.q[:, i])
