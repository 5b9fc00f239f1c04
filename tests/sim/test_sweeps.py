"""What sweeps make of rows that `direct` solves at once: the more, the nearer."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiler.program import Branch, Loop
from gearwright.sim import compile
from tests.dynamics.test_reduce import follow, wheels
from tests.sim.test_limits_and_friction import fingers
from tests.tolerances import ROUNDING

# followers whose limits are tighter than their leader's are what these tests are about
pytestmark = pytest.mark.filterwarnings("ignore:.*the limits of:gearwright.LoadWarning")

DELTA = Path(__file__).parents[2] / "examples" / "gallery" / "delta.sdf"


def chain(heavier=1.0):
    """Eight wheels, each following the one before, every second one so much heavier."""
    inertias = [0.1 * (heavier if k % 2 else 1.0) for k in range(8)]
    return wheels(inertias, [follow(f"w{k}", (f"w{k - 1}", 1.0), mode="hard") for k in range(1, 8)])


def path(robot, names, effort, **solver):
    sim = compile(robot, **solver)
    rec = sim.run(0.2, effort=effort)
    return np.array([rec.position[name] for name in names])


LOADS = {"w0": lambda t: np.sin(30 * t), "w7": lambda t: 0.5 * np.cos(50 * t)}


def errors(solver, counts, heavier=1.0):
    robot, ends = chain(heavier), ("w0", "w3", "w7")
    want = path(robot, ends, LOADS, integrator="euler")
    return [np.abs(path(robot, ends, LOADS, solver=solver, iterations=n) - want).max() for n in counts]


def test_pgs_converges_to_direct_geometrically():
    """Gauss–Seidel: each further sweep leaves a share of the error, until 1e-10 rad/s ends the sweeps."""
    found = errors("pgs", (1, 4, 16, 32, 64, 128))
    assert all(b < a for a, b in pairwise(found))
    assert found[-2] < 1e-2 * found[-3] < 1e-3 * found[-4]
    assert found[-1] < ROUNDING


def test_tgs_converges_to_direct():
    """Each sweep takes its share of the error off in its own time: geometrically, too, on hard couplings."""
    found = errors("tgs", (4, 16, 64, 256))
    assert all(b < a for a, b in pairwise(found))
    assert found[-2] < 5e-9  # what 64 sweeps leave, a factor each
    assert found[-1] < 1e-15


def test_tgs_beats_pgs_at_equal_sweeps_where_rows_are_stiff():
    """Inertias that differ a hundredfold, and sweeps that are too few: errors are looked at again after each."""
    counts = (4, 8, 12, 16)
    for pgs, tgs in zip(errors("pgs", counts, 100.0), errors("tgs", counts, 100.0), strict=True):
        assert tgs < 0.8 * pgs


def test_tgs_beats_pgs_at_equal_sweeps_on_a_stiff_loop():
    """A gear train that comes round to its first wheel: eight hard rows in a ring, one of them implied by the rest."""
    ring = [follow(f"w{k}", (f"w{k - 1}", 1.0), mode="hard") for k in range(1, 8)]
    ring.append(replace(follow("w7", ("w0", 1.0), mode="hard"), name="closing"))
    robot, ends = wheels([0.1 if k % 2 else 10.0 for k in range(8)], ring), ("w0", "w3", "w7")
    want = path(robot, ends, LOADS, integrator="euler")
    for n in (4, 8, 16):
        pgs, tgs = (np.abs(path(robot, ends, LOADS, solver=s, iterations=n) - want).max() for s in ("pgs", "tgs"))
        assert tgs < 0.8 * pgs, n


@pytest.mark.slow
def test_both_converge_to_direct_on_loops_of_joints():
    """The delta: two loops, rods of grams between arms and platform. Projection closes the loops whatever sweeps leave,
    so there is no error for tgs to look at again: its first sweeps move the robot too, and it converges as 1/n."""
    robot, names = gw.load(DELTA), ("shoulder_1", "elbow_2_shear")
    push = {"shoulder_1": lambda t: 0.5 * np.sin(20 * t)}
    want = path(robot, names, push, integrator="euler")

    def error(solver, n):
        return np.abs(path(robot, names, push, solver=solver, iterations=n) - want).max()

    # positions are brought back in the metric of M in direct, of M with dampers in pgs: 9e-6 rad found
    assert error("pgs", 64) < 2e-5
    assert error("tgs", 32) / error("tgs", 64) == pytest.approx(2.0, rel=0.1)


def loops(body):
    """How often each loop may run, those inside others and inside branches too."""
    nested = [node for node in body if isinstance(node, Loop | Branch)]
    return [n for node in nested for n in (*([node.count] if isinstance(node, Loop) else []), *loops(node.body))]


@pytest.mark.parametrize("solver", ["pgs", "tgs"])
def test_sweeps_are_a_loop_and_not_written_out(solver):
    """Ten times the sweeps, the same size: fingers with stops, friction and a limited drive, where every solver sweeps.

    Constants are not counted: 5, and tgs's share of a step, 1/5, are others' numbers too, and kept once.
    """
    robot, drives = fingers("hard"), {"left": gw.Drive(stiffness=1e3, effort=5.0)}
    programs = [compile(robot, solver=solver, iterations=n, drives=drives).kernels["step"].program for n in (5, 50)]
    few, many = (sum(i.op != "const" for stage in p.stages for i in stage.tape.instructions) for p in programs)
    assert few == many > 100
    assert [(a, b) for a, b in zip(*(loops(p.body) for p in programs), strict=True) if a != b] == [(5, 50)]
