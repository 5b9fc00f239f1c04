"""A tree's inertia with fronts is the mass matrix: its product, diagonal and masked solutions, wherever fronts are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import casadi
import numpy as np
import pytest
from casadi import SX, Function

import gearwright as gw
from gearwright.dynamics import Equations
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import column, scalars
from gearwright.dynamics.solve.masked import Pivot, masked
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.front_choice import chosen_fronts, coordinates_carried
from gearwright.dynamics.tree.fronts import inertia
from gearwright.model import AxisRef, Coupling, Couplings, Term
from gearwright.sim.programs.programs import step_program
from tests.dynamics.random_mechanisms import KINDS, random_state, random_tree

# Two orders of elimination round differently: found 3e-14 of the largest number.
ROUNDING = 3e-13


def link(n: int, parent: int, axis: str = "0 1 0") -> str:
    return f"""<link name="l{n}"><inertial><origin xyz="0.05 0 0.01"/><mass value="0.2"/>
<inertia ixx="2e-5" iyy="2e-4" izz="2e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j{n}" type="revolute"><parent link="l{parent}"/><child link="l{n}"/><origin xyz="0.1 0 0"/>
<axis xyz="{axis}"/><limit lower="-0.35" upper="0.28" effort="0" velocity="0"/>
<dynamics damping="0.002" friction="0.01"/></joint>"""


def chain(n: int) -> gw.Mechanism:
    links = "".join(link(i + 1, i, ("0 1 0", "0 0 1")[i % 2]) for i in range(n))
    return gw.loads(f'<robot name="chain"><link name="l0"/>{links}</robot>')


def coupled_tree(seed: int) -> gw.Mechanism:
    """With two followers, one of them on another branch than its leader as often as not."""
    tree = random_tree(
        seed, kinds=("revolute", "prismatic", "screw", "continuous", "revolute", "floating", "universal")
    )
    single = [j.name for j in tree.tree.joints if j.dof == 1]
    pairs = ((single[0], single[2], 0.7), (single[3], single[1], -1.3))
    couplings = (
        Coupling(name=follower, follower=AxisRef(follower), leaders=(Term(AxisRef(leader), ratio),))
        for leader, follower, ratio in pairs
    )
    return replace(tree, couplings=Couplings(couplings))


class Solved:
    """Both matrices at one random configuration, with some coordinates held."""

    def __init__(self, mechanism: gw.Mechanism, seed: int, threshold: int, line: float = 0.3) -> None:
        rng = np.random.default_rng(seed)
        model = Equations(mechanism).model
        q = random_state(mechanism, rng)[0]
        n = model.dof
        state = State([float(q[i]) for i in model.reduction.positions], [0.0] * n)
        position = SX.sym("q", len(state.q))
        tree = model.tree(State(scalars(position), [0.0] * n))
        at = model.configuration(tree)
        carried = coordinates_carried(model.bodies.bodies, tree.G)
        fronts = [i for i, own in enumerate(carried) if len(own) >= threshold]
        self.fronts = len(fronts)
        J = {0: 1.0, n - 1: -0.4}
        slopes = [({k: 1.0}, 0.1 + 0.05 * k) for k in range(n)] + [(J, line)] * (line > 0.0)
        pivots = {k: Pivot(bool(k % 3 == 1), 0.2 if k % 3 == 1 else 0.0, 0.1 * k, 0.01 * k) for k in range(n)}
        b = [float(x) for x in rng.normal(size=n)]
        self.numbers = []
        for where in ((), fronts):
            M = inertia(at, tree.G, where).with_lines(slopes)
            factors = masked(M, n, pivots)
            u, w = factors.backward(factors.forward(b))
            y = factors.sparse_forward(J)
            rows = [y.get(k, 0.0) for k in range(n)]
            own = [table[k] for table in (factors.inertias, factors.reciprocals) for k in range(n)]
            parts = (u, w, own, rows, M.diagonal(n), M @ b)
            values = Function("f", [position], [column(part) for part in parts])(state.q)
            self.numbers.append([x.full().ravel() for x in values])


@pytest.mark.parametrize("threshold", [1, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_random_trees(seed: int, threshold: int) -> None:
    found = Solved(random_tree(seed, kinds=KINDS), seed, threshold)
    assert found.fronts > 1
    check(found)


@pytest.mark.parametrize("threshold", [1, 2, 4])
@pytest.mark.parametrize("seed", range(4))
def test_followers(seed: int, threshold: int) -> None:
    """A coordinate that moves joints on two branches is eliminated where these meet."""
    check(Solved(coupled_tree(seed), seed, threshold))


def check(found: Solved) -> None:
    names = ("u", "w", "pivots", "row", "diagonal", "product")
    for name, plain, with_fronts in zip(names, *found.numbers, strict=True):
        if name not in ("pivots", "row", "w"):  # these depend on the order of elimination where branches are coupled
            assert np.abs(plain - with_fronts).max() < ROUNDING * max(1.0, np.abs(plain).max()), name


def test_pivots_are_those_of_the_matrix() -> None:
    """A chain is eliminated in the same order either way, so that laws see the same inertias."""
    found = Solved(chain(12), 3, 4, line=0.0)
    for plain, with_fronts in zip(*found.numbers, strict=True):
        assert np.abs(plain - with_fronts).max() < ROUNDING * max(1.0, np.abs(plain).max())


def test_short_limbs_have_no_fronts() -> None:
    assert not fronts_of(chain(8))


def test_a_long_chain_has_fronts_but_at_its_end() -> None:
    chosen = fronts_of(chain(60))
    assert chosen == frozenset(range(len(chosen)))
    assert 48 <= len(chosen) < 60


def fronts_of(mechanism: gw.Mechanism) -> frozenset[int]:
    model = Equations(mechanism).model
    tree = model.tree(State([0.0] * model.dof, [0.0] * model.dof))
    return chosen_fronts(model.bodies.bodies, tree.G)


def test_code_grows_with_the_length() -> None:
    """Instructions of all stages: as many for every further joint (one more or less by what is shared)."""

    def instructions(n: int) -> int:
        program = step_program(Equations(chain(n), integrator="euler"))
        return sum(len(stage.tape.instructions) for stage in program.stages)

    short, middle, long = map(instructions, (24, 40, 56))
    assert long - middle == pytest.approx(middle - short, rel=1e-3)  # found 1.5e-4: one of 6880


@pytest.mark.parametrize("integrator", ["midpoint", "euler"])
def test_a_dropped_chain_is_the_same_with_fronts(
    integrator: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """0.1 s of 9 links on their stops; chaotic, so that rounding grows."""
    plain = dropped(chain(9), integrator)
    monkeypatch.setattr("gearwright.dynamics.motion.chosen_fronts", lambda *_: frozenset(range(6)))
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path))  # code of its own
    assert np.abs(plain - dropped(chain(9), integrator)).max() < 4e-12


def dropped(robot: gw.Mechanism, integrator: str) -> np.ndarray:
    sim = gw.compile(robot, dt=1e-3, integrator=integrator)
    sim.step(n=100)
    return np.array(sim.state)


def test_no_front_is_the_matrix() -> None:
    M = {(0, 0): 2.0, (1, 0): 0.5, (1, 1): 1.0}
    assert FrontalMatrix.of(M) @ [1.0, 2.0] == [3.0, 2.5]
    assert FrontalMatrix.of(M).diagonal(2) == [2.0, 1.0]
    assert casadi.DM(masked(M, 2, {}).solve([3.0, 2.5])).full().ravel() == pytest.approx([1.0, 2.0], rel=1e-12)
