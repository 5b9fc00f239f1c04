"""Velocities are those of a quadratic program, to 1e-10: ten thousand random problems of each kind of law."""

from __future__ import annotations

import numpy as np
import pytest

from tests.dynamics.solve.bench import Bench, Ended
from tests.dynamics.solve.kinds import ALONG, KINDS, N
from tests.dynamics.solve.reference import Reference
from tests.dynamics.solve.test_switching import problems

IMPLIED = {"redundant couplings": (1,)}  # equalities that others imply
ALLOWED = 1e-10  # found: at most 6e-11, where rounding is not more


def rounding(bench: Bench, parameters: np.ndarray, H: np.ndarray, end: Ended) -> np.ndarray:
    """By problem, what velocities may be off by in any method that has impulses.

    A velocity is off by eps of those on its inertia, and others by as much more as their part in a row is less.
    """
    directions = np.array(bench.numbers.map(len(H))(parameters.T)[2])
    ends = np.cumsum([len(row.J) for row in bench.polylines] + [len(e.J) for e in bench.equalities])
    worst, least = np.zeros(len(H)), np.full(len(H), np.inf)
    for e, last, impulse in zip(bench.equalities, ends[len(bench.polylines) :], end.equalities, strict=True):
        own = np.abs(directions[last - len(e.J) : last])
        worst = np.maximum(worst, (own * np.abs(impulse) / H[:, list(e.J), list(e.J)].T).max(axis=0))
        least = np.minimum(least, own.min(axis=0) / own.max(axis=0))
    return 2.0**-52 * worst / least


@pytest.mark.parametrize("count", [50, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_velocities_are_those_of_a_quadratic_program(kind: str, count: int, rng: np.random.Generator) -> None:
    bench, problem = problems(rng, kind, count)
    end = bench.solved(*problem)
    expected = Reference(bench, IMPLIED.get(kind, ())).solved(*problem)
    solved = ~np.isnan(expected).any(axis=1) & end.settled
    assert solved.mean() >= 0.999
    errors = np.abs(end.u.T - expected).max(axis=1)
    allowed = np.full(count, ALLOWED)
    if kind in IMPLIED:  # one of the ten thousand has ratios of 1 : 12,000, and rounding of 1e-7
        allowed += rounding(bench, problem[2], problem[0], end)
        assert (allowed < 2 * ALLOWED).mean() > 0.99
    assert (errors < allowed)[solved].all()


@pytest.mark.parametrize("ratio", [2e-3, -5e-3, 0.02])
def test_couplings_that_nearly_depend_on_each_other_are_refined(ratio: float) -> None:
    """Two axes are held, and couplings leave the others no way: one that takes part by a ratio alone is still, too."""
    make, _ = KINDS["redundant couplings"]
    p = np.concatenate([np.zeros(ALONG), [0.7, -1.3, ratio]])
    for free in (0, 3, 4, 5):
        p[3 * free : 3 * free + 3] = 0.0, -10.0, 10.0
    H, b = np.diag([0.5, 1.0, 2.0, 1.5, 1.0, 1.0]), np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    end = Bench(N, len(p), make).solved(H[None], b[None], p[None])
    assert end.settled.all()
    assert np.abs(end.u).max() < ALLOWED  # with one step of refinement 1e-8
