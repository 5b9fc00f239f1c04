"""What sweeps make of rows that `direct` solves at once: the more, the nearer."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from tests.dynamics.test_reduce import follow, wheels

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
    want = path(robot, ends, LOADS)
    return [np.abs(path(robot, ends, LOADS, solver=solver, iterations=n) - want).max() for n in counts]


def test_pgs_converges_to_direct_geometrically():
    """Gauss–Seidel: each further sweep leaves a share of the error, until 1e-10 rad/s ends the sweeps."""
    found = errors("pgs", (1, 4, 16, 32, 64, 128))
    assert all(b < a for a, b in pairwise(found))
    assert found[-2] < 1e-2 * found[-3] < 1e-3 * found[-4]
    assert found[-1] < 1e-11


def test_tgs_converges_to_direct_in_proportion_to_the_sweeps():
    """What the first sweeps drift, 1/n of a step each, comes back through erp: the error is O(1/n)."""
    found = errors("tgs", (4, 64, 1024, 16384))
    assert [a / b for a, b in pairwise(found[1:])] == pytest.approx([16.0, 16.0], rel=0.1)
    assert found[0] > 8 * found[1]
    assert found[-1] < 1e-9


def test_tgs_beats_pgs_at_equal_sweeps_where_rows_are_stiff():
    """Inertias that differ a hundredfold, and sweeps that are too few: errors are looked at again after each."""
    counts = (4, 8, 12, 16)
    for pgs, tgs in zip(errors("pgs", counts, 100.0), errors("tgs", counts, 100.0), strict=True):
        assert tgs < 0.8 * pgs


def test_tgs_beats_pgs_at_equal_sweeps_on_a_stiff_loop():
    """The delta: two loops, rods of grams between arms and platform."""
    robot, names = gw.load(DELTA), ("shoulder_1", "elbow_2_shear")
    push = {"shoulder_1": lambda t: 0.5 * np.sin(20 * t)}
    want = path(robot, names, push)
    pgs, tgs = (np.abs(path(robot, names, push, solver=s, iterations=4) - want).max() for s in ("pgs", "tgs"))
    assert tgs < 0.8 * pgs
