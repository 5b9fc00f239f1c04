"""Equalities that are eliminated along the tree: the dense solution in either order, and what a long finger costs."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from benchmarks.bench.trees import curl
from gearwright.compiler.backends.cpu.passes import optimise_program
from gearwright.dynamics import Equations
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.solve import switching
from gearwright.dynamics.solve.masked import Pivot
from gearwright.dynamics.solve.rows import COMPLIANCE, Equality
from gearwright.dynamics.solve.switching import Problem
from gearwright.dynamics.solve.tied import Tied, in_rings, schur_operations, solve_tied, tied
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.fronts import inertia
from gearwright.sim.programs.programs import step_program
from tests.dynamics.solve.test_switching import problems
from tests.dynamics.test_fronts import chain

N = 9
ORDERS = {"all before": Tied.all_before, "first before": Tied.first_before}


def in_order(order):
    return lambda H, n, rows: ORDERS[order](H, n, rows) if rows else None


@pytest.mark.parametrize(
    ("kind", "order"), [*(("mimics of one leader", order) for order in ORDERS), ("mimics in pairs", "all before")]
)
def test_ten_thousand_problems_in_either_order(kind, order, rng, monkeypatch):
    """Found: 1e-10 of complementarity (all before), 2e-10 of the equality (first before), 3e-13 of
    momentum where rows are blocked.

    First before, the reaction between a leader and a follower that are both held is known to the rounding of rates over
    the compliance, 1e-14/1e-9: one leader in 10,000 problems bears 2e-5 more than its friction. Velocities are exact.
    """
    monkeypatch.setattr(switching, "tied", in_order(order))
    bench, problem = problems(rng, kind, 10_000)
    end = bench.solved(*problem)
    errors = bench.errors(*problem, end)
    assert end.settled.all()
    assert errors["residual"].max() < 3e-12
    assert errors["complementarity"].max() < (4e-10 if order == "all before" else 1e-4)
    assert (errors["complementarity"] > 4e-10).sum() <= 3
    assert errors["equality"].max() < 1e-9


class Limb:
    """A chain's mass matrix in numbers, with fronts at the given bodies, and the same as an array."""

    def __init__(self, fronts):
        model = Equations(chain(N)).model
        rng = np.random.default_rng(1)
        tree = model.tree(State(rng.uniform(-1, 1, N).tolist(), [0.0] * N))
        at = model.configuration(tree)
        lines = [({k: 1.0}, 0.01 + 0.001 * k) for k in range(N)]
        self.H = numbers(inertia(at, tree.G, fronts).with_lines(lines))
        self.dense = np.zeros((N, N))
        for (i, j), x in numbers(inertia(at, tree.G, ()).with_lines(lines)).entries.items():
            self.dense[i, j] = self.dense[j, i] = x


def numbers(H: FrontalMatrix) -> FrontalMatrix:
    return H.mapped(float)


ROWS = {
    "each after the last": [Equality({k: 1.0, k - 1: -0.8}, 0.02 * k) for k in range(1, N)],
    "all after the first": [Equality({k: 1.0, 0: -0.5 - 0.1 * k}, 0.02 * k) for k in range(1, 6)],
    "two and two": [Equality({k: 1.0, k - 1: -0.8}, 0.02 * k) for k in (2, 4, 8)],
    "compliant": [Equality({k: 1.0, 1: -0.7}, 0.02 * k, 3.0 + k) for k in (3, 5, 8)],
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("held", [(), (5,), (0, 8)])
@pytest.mark.parametrize("fronts", [(), range(N), range(5)])
def test_rows_of_a_limb_are_the_dense_solution(order, rows, held, fronts, rng):
    """Some coordinates held at a rate; where that leaves less freedom than rows ask for, it is no such problem."""
    limb, ties = Limb(fronts), ROWS[rows]
    if rows == "each after the last" and held:
        ties = ties[:3] if 0 not in held else ties[3:-2]
    held = [k for k in held if not (rows == "all after the first" and k == 0)]
    pivots = {k: Pivot(held=True, value=0.3) for k in held}
    b = rng.normal(size=N).tolist()
    made = ORDERS[order](limb.H, N, ties)
    _, u, w, found = solve_tied(made, limb.H, pivots, b)
    size = N + len(ties)
    kkt, right = np.zeros((size, size)), np.zeros(size)
    kkt[:N, :N], right[:N] = limb.dense, b
    for i, e in enumerate(ties, start=N):
        for k, x in e.J.items():
            kkt[i, k], kkt[k, i] = x, -x
        kkt[i, i], right[i] = e.cfm, -e.bias
    for k in held:
        kkt[k], right[k] = np.eye(size)[k], 0.3
    expected = np.linalg.solve(kkt, right)
    assert u == pytest.approx(expected[:N], abs=1e-12)  # found: 2e-11
    assert found.impulses == pytest.approx(expected[N:], abs=1e-12)
    assert len(w) == N


@pytest.mark.parametrize("rows", ["two and two", "all after the first"])
def test_a_row_that_nothing_can_follow_grows_until_something_lets_go(rows):
    """Both ends of the first row are held at rates that contradict it: it pushes with all that E allows."""
    limb, ties = Limb(()), ROWS[rows]
    first = ties[0]
    pivots = {k: Pivot(held=True, value=0.3) for k in first.J}
    made = Tied.all_before(limb.H, N, ties)
    assert made.refined == (rows == "all after the first")
    _, _, w, found = solve_tied(made, limb.H, pivots, [0.0] * N)
    residual = sum(0.3 * x for x in first.J.values()) + first.bias
    strongest = abs(residual) * max(limb.H.diagonal(N)) / COMPLIANCE
    assert 1e-3 * strongest < abs(found.impulses[0]) < 1e3 * strongest
    assert np.sign(found.impulses[0]) == -np.sign(residual)
    assert max(map(abs, w)) > 1e-3 * strongest  # which the laws of its coordinates see


def test_rows_that_may_depend_on_each_other_are_left_to_the_schur_complement():
    limb = Limb(range(N))
    ring = [Equality({0: 1.0, 1: -1.0}), Equality({1: 1.0, 2: -1.0}), Equality({2: 1.0, 0: -1.0})]
    assert in_rings(ring)
    assert not in_rings(ring[:2])
    assert tied(limb.H, N, ring) is None
    assert tied(limb.H, N, [Equality({0: 1.0, 1: -1.0}, group="loop")]) is None


def test_rows_that_share_no_coordinate_come_after_all_of_theirs():
    """Of 20,000 such problems in the other order, 69 do not end."""
    limb = Limb(())
    made = tied(limb.H, N, ROWS["two and two"])
    assert made is not None
    assert not made.early


def test_the_cheaper_way_is_taken():
    """One row beside nine coordinates is a Schur complement of one number; eight in a row are eliminated along them."""
    limb = Limb(())
    assert tied(limb.H, N, ROWS["each after the last"]) is not None
    one = [Equality({3: 1.0, 7: -1.0})]
    least = min(make(limb.H, N, one).operations(limb.H) for make in ORDERS.values())
    assert (tied(limb.H, N, one) is None) == (schur_operations(limb.H, N, one, least) <= least)


def finger(joints: int, mode: str, leader: str | None = None) -> gw.Mechanism:
    text = curl(joints).urdf
    for k in range(joints if leader else 0):
        text = text.replace(f'<mimic joint="j{k}"', f'<mimic joint="{leader}"')
    robot = gw.loads(text)
    softness = {"natural_frequency": 100.0, "damping_ratio": 1.0} if mode == "compliant" else {}
    for name in robot.couplings:
        robot = robot.with_coupling(name, mode=mode, **softness)
    return robot


def instructions(robot: gw.Mechanism) -> int:
    program = optimise_program(step_program(Equations(robot, integrator="euler")))
    return sum(len(stage.tape.instructions) for stage in program.stages)


@pytest.mark.parametrize("mode", ["hard", "compliant"])
@pytest.mark.parametrize("leader", [None, "j0"])
def test_a_curling_finger_costs_what_its_length_does(mode, leader):
    """Links that carry each other, each bending with the one before or all with the first. Found 2.17 and 285 each."""
    short, long = (instructions(finger(n, mode, leader)) for n in (24, 48))
    assert long < 2.3 * short
    assert long < 320 * 48


def test_a_finger_of_mimics_moves_as_with_the_schur_complement(monkeypatch, tmp_path):
    """The same bends after 0.1 s, to what refinement leaves (found 6e-17 of 0.3 rad)."""
    ends = []
    for number, way in enumerate((tied, lambda *_: None)):
        monkeypatch.setattr(switching, "tied", way)
        monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path / str(number)))
        sim = gw.compile(finger(12, "hard"), dt=1e-3, integrator="euler")
        sim.reset(position={"j0": 0.3})
        sim.step(n=100)
        ends.append([sim.position[f"j{k}"] for k in range(12)])
    assert ends[0] == pytest.approx(ends[1], abs=5e-16)
    assert abs(ends[0][0] - 0.3) > 0.02


def test_a_row_over_one_coordinate_is_no_ring():
    assert not in_rings([Equality({0: 1.0}), Equality({1: 1.0, 0: 2.0})])
    H = {(0, 0): 2.0}
    found = Problem(H, [1.0], (), [Equality({0: 1.0}, -0.7)]).iterate([])
    assert found.u == pytest.approx([0.7], abs=1e-15)
    assert found.equalities == pytest.approx([0.4], abs=1e-14)
