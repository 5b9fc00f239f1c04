"""Cones: the law, its gradient, random problems solved to their end, and two problems of ContactBench."""

from types import SimpleNamespace

import numpy as np
import pytest
from casadi import SX

from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import expression
from gearwright.dynamics.solve.cones import Cone
from gearwright.dynamics.solve.laws import friction_and_stops
from gearwright.dynamics.solve.terms import Collected, Polyline
from gearwright.dynamics.steps import cone_points
from gearwright.dynamics.steps.builder import StepBuilder
from gearwright.dynamics.steps.direct import DirectSolver
from tests.dynamics.solve.bench import random_matrices
from tests.dynamics.solve.test_curves import run_stages

EPS = 2.0**-52
R = 2.5e-4


def cone(rows, target=0.0, offset=(0.0, 0.0), give=R, friction_give=4 * R):
    return Cone(rows, target, offset, give, friction_give)


def numbers(values):
    return np.array([float(x) for x in values])


# --- the law --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_the_law_is_the_gradient_of_a_potential(seed):
    """Its impulses stay in the cone, and its derivative is symmetric, not negative, and what the affine law has."""
    rng = np.random.default_rng(seed)
    law = cone(({0: 1.0}, {1: 1.0}, {2: 1.0}), *rng.normal(size=1), tuple(rng.normal(size=2)), *rng.uniform(0.1, 1, 2))
    point, shift, h = rng.normal(size=3), float(abs(rng.normal())), 1e-6
    impulse = numbers(law.at(point.tolist(), shift).impulse)
    assert impulse[0] >= 0.0
    assert np.hypot(*impulse[1:]) <= impulse[0] * (1 + 1e-12)
    affine = law.touching(point.tolist(), shift)
    G = np.array([[float(x) for x in row] for row in affine.gradient])
    ways = np.eye(3) * h
    slopes = [
        (numbers(law.at((point + d).tolist(), shift).impulse) - numbers(law.at((point - d).tolist(), shift).impulse))
        for d in ways
    ]
    assert pytest.approx(-np.array(slopes).T / (2 * h), abs=1e-5 * (1 + abs(G).max())) == G
    assert np.linalg.eigvalsh(G).min() > -1e-12
    assert numbers(affine.impulse(point.tolist())) == pytest.approx(impulse, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_the_next_point_is_where_a_mass_meets_the_law(seed):
    rng = np.random.default_rng(seed)
    law = cone(({0: 1.0}, {1: 1.0}, {2: 1.0}), 0.3, (0.1, -0.2))
    D = rng.uniform(0.5, 2.0, 2)
    rates, impulse = rng.normal(size=(2, 3))
    shift = float(abs(rng.normal()))
    point = numbers(law.next_point(rates.tolist(), impulse.tolist(), shift, tuple(D.tolist())))
    there = numbers(law.at(point.tolist(), shift).impulse)
    masses = np.array([D[0], D[1], D[1]])
    assert masses * point - there == pytest.approx(masses * rates - impulse, abs=1e-9)


# --- problems -------------------------------------------------------------------------------------------------------


class Phase:
    """One phase with `count` cones over n velocities, and friction along the last ones."""

    def __init__(self, n, count, laws=0, give=None):
        sizes = {
            "H": n * (n + 1) // 2,
            "b": n,
            "J": 3 * count * n,
            "target": count,
            "offset": 2 * count,
            "segment_tried": laws,
            "velocity": n,
        }
        sizes |= {"impulse": laws + 3 * count, "dt": 1}
        self.n, self.count = n, count
        self.build = build = StepBuilder({slot: SX.sym(slot, size) for slot, size in sizes.items()})
        self.pairs = [(i, j) for i in range(n) for j in range(i + 1)]
        H = dict(zip(self.pairs, build["H"], strict=True))
        rows = [dict(enumerate(build["J"][n * k : n * (k + 1)])) for k in range(3 * count)]
        cones = [
            cone(
                tuple(rows[3 * k : 3 * k + 3]), build["target"][k], tuple(build["offset"][2 * k : 2 * k + 2]), r, 4 * r
            )
            for k, r in enumerate(give or [R] * count)
        ]
        rest = [Polyline({k: 1.0}, friction_and_stops(0.3, None, None)) for k in range(n - laws, n)]
        places = [*(("polyline", i) for i in range(laws)), *(("cone", i) for i in range(count))]
        acting = Collected([], rest, [], [], places, cones=cones)
        solver = DirectSolver(build, SimpleNamespace(dof=n), EPS)
        guess = [expression(x) for x in build["velocity"]]
        solver.solved(FrontalMatrix.of(H), build["b"], acting, "one", build["segment_tried"], guess)
        self.stages = build.body

    def run(self, H, b, J, target, offset=None):
        """Columns are problems; velocities, impulses and shifts, whether they settled, and the number of solutions."""
        count = len(b)
        slots = {"H": np.array([H[:, i, j] for i, j in self.pairs]), "b": b.T, "target": target.T}
        slots["J"] = J.reshape(count, -1).T
        slots["offset"] = np.zeros((2 * self.count, count)) if offset is None else offset.T
        for slot in ("segment_tried", "velocity", "impulse", "dt"):
            slots[slot] = np.zeros((len(self.build[slot]), count))
        solutions = run_stages(self.stages, slots, count)
        return slots["u"].T, slots["cone"].T, slots["shift"].T, slots["settled"].all(), solutions


@pytest.mark.parametrize(("n", "cones", "laws"), [(3, 1, 0), (6, 4, 0), (9, 3, 3)])
def test_random_problems_are_solved_to_their_end(n, cones, laws):
    """Momentum is balanced by impulses that are those of the law at the velocities found."""
    rng, count = np.random.default_rng(n), 60
    H, b = random_matrices(rng, count, n), rng.normal(size=(count, n))
    J, target = rng.normal(size=(count, 3 * cones, n)), 0.1 * rng.normal(size=(count, cones))
    u, impulse, shift, settled, solutions = Phase(n, cones, laws).run(H, b, J, target)
    assert settled
    assert solutions <= 120  # of the one problem that takes the most
    left = np.einsum("kij,kj->ki", H, u) - b - np.einsum("kij,ki->kj", J, impulse)
    free = left[:, : n - laws]
    assert abs(free).max() < 1e-8
    assert abs(left).max() < 0.3 + 1e-8
    for k in range(count):
        rates = J[k] @ u[k]
        for c in range(cones):
            law = cone(({0: 1.0}, {1: 1.0}, {2: 1.0}), target[k, c])
            own = numbers(law.at(rates[3 * c : 3 * c + 3].tolist(), float(shift[k, c])).impulse)
            assert own == pytest.approx(impulse[k, 3 * c : 3 * c + 3], abs=1e-7)


def residuals(G, g, mu, impulse):
    """ContactBench's: of Signorini's law, of the cone, and of the greatest dissipation."""
    v = (G @ impulse + g).reshape(-1, 3)
    f = impulse.reshape(-1, 3)
    slip, push = np.linalg.norm(v[:, :2], axis=1), np.linalg.norm(f[:, :2], axis=1)
    signorini = max(abs(v[:, 2] * f[:, 2]).max(), -v[:, 2].min(), 0.0)
    dissipation = abs((v[:, :2] * f[:, :2]).sum(1) + mu * f[:, 2] * slip).max()
    return signorini, max(0.0, (push - mu * f[:, 2]).max()), dissipation


@pytest.mark.parametrize(("name", "share"), [("sliding_cube", R), ("2cubes_t0", 1e-8)])
def test_problems_of_contactbench(name, share, corpus_folder, monkeypatch):
    """Springs of contacts are stretched by what they carried before, as from step to step. Under a load of a thousand
    times the mass they are stiffer: `share` of a contact's own answer."""
    monkeypatch.setattr(cone_points, "SLIP", 1e-10)
    path = corpus_folder / "contact" / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"no {path}")
    data = np.load(path)
    G, g, mu = data["G"], data["g"].ravel(), data["mus"].ravel()
    values, vectors = np.linalg.eigh(0.5 * (G + G.T))
    kept = values > 1e-9 * values.max()
    J = vectors[:, kept] * np.sqrt(values[kept])  # G = J·Jᵀ, of unit masses
    n, count = J.shape[1], len(mu)
    b = np.linalg.lstsq(J, g, rcond=None)[0]
    assert pytest.approx(g, abs=1e-6) == J @ b
    coefficients = np.stack([np.ones(count), mu, mu], axis=1)
    rows = J.reshape(count, 3, n)[:, [2, 0, 1]] * coefficients[:, :, None]
    give = share * np.diag(G)[2::3]
    phase, carried = Phase(n, count, give=give.tolist()), np.zeros((count, 3))
    for _ in range(60):
        target, offset = give * carried[:, 0], -4 * give[:, None] * carried[:, 1:]
        _, impulse, _, settled, _ = phase.run(np.eye(n)[None], b[None], rows[None], target[None], offset.reshape(1, -1))
        assert settled
        carried = impulse.reshape(count, 3)
    found = residuals(J @ J.T, J @ b, mu, (carried * coefficients)[:, [1, 2, 0]].ravel())
    print(name, found)
    assert max(found) < 1e-8
