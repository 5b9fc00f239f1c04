"""Agreement of two engines: mass matrix and bias at random states, then the end of a short motion.

Engines that disagree are not timed: their physics is different.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.bench.contestant import Array, Contestant
from benchmarks.bench.ours import Gearwright
from gearwright.errors import GearwrightError

MATRIX_TOLERANCE = 1e-8  # of the largest entry
STATES, STEPS = 5, 100  # random states; steps of the motion
SPREAD = 3.0  # rad or m: far enough from home that gravity would pull every coupling apart


class DisagreementError(GearwrightError):
    """Two engines that were given the same mechanism compute different things."""


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Largest differences, relative to the largest value."""

    mass_matrix: float
    bias: float
    trajectory: float  # after STEPS steps, as a share of the largest motion


def agreement(ours: Gearwright, theirs: Contestant) -> Agreement:
    """Compares, and raises `DisagreementError` where the difference is more than rounding and solvers explain."""
    order = _order(ours, theirs)
    mass_matrix, bias = _matrices(ours, theirs, order)
    moved = _trajectory(ours, theirs, order)
    found = Agreement(mass_matrix=mass_matrix, bias=bias, trajectory=moved)
    _judge(theirs, found)
    return found


def agreement_of(ours: Gearwright, theirs: Contestant, expected: Array, found: Array, scale: Array) -> Agreement:
    """The same for a motion that both have made already; positions in each one's order, seen beside `scale`."""
    order = _order(ours, theirs)
    mass_matrix, bias = _matrices(ours, theirs, order)
    apart = float((np.abs(expected - found[order]) / scale).max())
    agreed = Agreement(mass_matrix=mass_matrix, bias=bias, trajectory=apart)
    _judge(theirs, agreed)
    return agreed


def _order(ours: Contestant, theirs: Contestant) -> list[int]:
    missing = set(ours.names) ^ set(theirs.names)
    if missing:
        raise DisagreementError(f"{theirs.title} has other joints: {', '.join(sorted(missing))}")
    return [theirs.names.index(name) for name in ours.names]


def _judge(theirs: Contestant, found: Agreement) -> None:
    checks = {
        "mass matrix": (found.mass_matrix, MATRIX_TOLERANCE),
        "bias": (found.bias, MATRIX_TOLERANCE),
        "motion": (found.trajectory, theirs.trajectory_tolerance),
    }
    for what, (value, tolerance) in checks.items():
        if not value <= tolerance:
            raise DisagreementError(f"{theirs.title}: the {what} differs by {value:.1e} (at most {tolerance:.0e})")


def start(ours: Gearwright, rng: np.random.Generator) -> Array:
    """A random position with the followers where their leaders put them."""
    ours.reset(SPREAD * rng.uniform(-1, 1, len(ours.names)), np.zeros(len(ours.names)))
    return ours.position()


def _matrices(ours: Gearwright, theirs: Contestant, order: list[int]) -> tuple[float, float]:
    rng, worst = np.random.default_rng(0), [0.0, 0.0]
    for _ in range(STATES):
        mine = ours.mass_matrix_and_bias(*rng.uniform(-1, 1, (2, len(order))))
        q, v = ours.position(), ours.velocity()
        M, h = theirs.mass_matrix_and_bias(_reordered(q, order), _reordered(v, order))
        others = M[np.ix_(order, order)], h[order]
        worst = [max(w, _relative(a, b)) for w, a, b in zip(worst, mine, others, strict=True)]
    return worst[0], worst[1]


def _trajectory(ours: Gearwright, theirs: Contestant, order: list[int]) -> float:
    begin = start(ours, np.random.default_rng(1))
    still = np.zeros_like(begin)
    ours.reset(begin, still)
    theirs.reset(_reordered(begin, order), still)
    for contestant in (ours, theirs):
        contestant.step(STEPS)
    mine, other = ours.position(), theirs.position()[order]
    return float(np.abs(mine - other).max() / np.abs(mine - begin).max())


def _reordered(values: Array, order: list[int]) -> Array:
    """From our order into theirs."""
    out = np.empty_like(values)
    out[order] = values
    return out


def _relative(found: Array, expected: Array) -> float:
    return float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-300))
