"""Bounded Gauss–Newton steps with Levenberg's and Marquardt's damping, from many starts in one batch.

    (JᵀJ + λ·D)·δ = −Jᵀr,   D = diag JᵀJ

Unknowns that are at a bound, and whose gradient points out of it, stay there in this step; the others move, and stop at
theirs. A start on a bound so leaves it as soon as that helps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gearwright.errors import ModelError
from gearwright.identification.residuals import Fits
from gearwright.identification.uncertainty import squared
from gearwright.sim.state.values import Array

FIRST_DAMPING = 1e-2
LEAST_DAMPING, MOST_DAMPING = 1e-9, 1e6
TRIED = (0.03, 1.0, 30.0)  # times the last damping: all are tried at once, and the best step is taken
MORE = 300.0  # times the damping where none is a step down
ENOUGH = 0.02  # of the variance of one residual: a step that takes less off the squares changes nothing that is known
ROUGHLY = 0.5  # the same of a search whose end another one sets out from
SMALL = 1e-9  # share of the unknowns' scales that the last step moves
ITERATIONS = 60
ROUND = 4  # iterations after which the worse half of the starts is given up


@dataclass
class Search:
    """One start on its way."""

    z: Array
    cost: float = np.inf
    damping: float = FIRST_DAMPING
    residuals: Array = field(default_factory=lambda: np.zeros(0))
    information: Array = field(default_factory=lambda: np.zeros((0, 0)))  # JᵀJ
    gradient: Array = field(default_factory=lambda: np.zeros(0))  # Jᵀr
    done: bool = False


@dataclass(frozen=True, kw_only=True)
class Bounds:
    lower: Array
    upper: Array
    scale: Array


Evaluate = Callable[..., Fits]  # (candidates, differentiated=…)
Report = Callable[[int, float, int], None]  # iteration, cost, starts that are left


def minimise(
    evaluate: Evaluate, starts: Array, bounds: Bounds, *, possible: Callable[[Array], bool] = lambda z: True,
    report: Report = lambda iteration, cost, left: None, iterations: int = ITERATIONS, enough: float = ENOUGH,
    until: float = 0.0,
) -> tuple[Search, bool]:  # fmt: skip
    """The best of all starts (S, z), and whether the search was finished: Ctrl-C ends it with the best so far.

    `evaluate` gives weighted residuals. Each iteration is one call for all starts that are left. A search is done where
    an iteration takes less than `enough` off the squares, and all are where one of them has `until`.
    """
    clipped = [np.clip(z, bounds.lower, bounds.upper) for z in starts]
    searches = [Search(z) for z in clipped if possible(z)]
    if not searches:
        raise ModelError(
            "the search cannot begin: neither the bounds nor the robot's file give inertias that a body can have"
        )
    try:
        _differentiated(evaluate, searches)
        for iteration in range(1, iterations + 1):
            left = [s for s in searches if not s.done]
            if not left or min(s.cost for s in searches) <= until:
                break
            tried = np.array([[_step(search, bounds, possible, times) for times in TRIED] for search in left])
            found = evaluate(tried.reshape(-1, tried.shape[-1]), differentiated=False).residuals
            costs = (found * found).sum(axis=1).reshape(len(left), len(TRIED))
            better = [s for s, own, c in zip(left, tried, costs, strict=True) if _goes_down(s, own, c, bounds, enough)]
            _differentiated(evaluate, [search for search in better if not search.done])
            if iteration % ROUND == 0 and len(left) > 1:
                _give_up_half(left)
            report(iteration, min(s.cost for s in searches), len(left))
    except KeyboardInterrupt:
        best = min(searches, key=lambda s: s.cost)
        if not np.isfinite(best.cost):
            raise
        return best, False
    return min(searches, key=lambda s: s.cost), True


def _differentiated(evaluate: Evaluate, searches: Sequence[Search]) -> None:
    """Residuals and derivatives where the searches are now."""
    if not searches:
        return
    fits = evaluate(np.array([search.z for search in searches]), differentiated=True)
    for search, residuals, jacobian in zip(searches, fits.residuals, fits.jacobian, strict=True):
        search.residuals = residuals
        search.information, search.gradient = squared(jacobian), jacobian.T @ residuals
        search.cost = float(residuals @ residuals) if np.isfinite(residuals).all() else np.inf
        search.done = not np.isfinite(search.cost)  # a start that diverges leads nowhere


def _step(search: Search, bounds: Bounds, possible: Callable[[Array], bool], times: float) -> Array:
    """A candidate, with so many times the last damping. One that cannot be is taken back by half, until it can."""
    z, scale = search.z, bounds.scale
    H, gradient = scale[:, None] * search.information * scale, scale * search.gradient
    out = ((z <= bounds.lower) & (gradient > 0)) | ((z >= bounds.upper) & (gradient < 0))
    free = np.flatnonzero(~out & (np.diag(H) > 0))
    step = np.zeros_like(z)
    if len(free):
        unit = 1.0 / np.sqrt(np.diag(H)[free])  # so that the diagonal is 1
        damped = H[np.ix_(free, free)] * np.outer(unit, unit) + times * search.damping * np.eye(len(free))
        step[free] = -np.linalg.solve(damped, gradient[free] * unit) * unit * scale[free]
    for _ in range(20):
        candidate = np.clip(z + step, bounds.lower, bounds.upper)
        if possible(candidate):
            return np.asarray(candidate)
        step = 0.5 * step
    return z


def _goes_down(search: Search, tried: Array, costs: Array, bounds: Bounds, enough: float) -> bool:
    """Takes the best of the steps, if it goes down."""
    costs = np.where(np.isfinite(costs), costs, np.inf)
    best = int(np.argmin(costs))
    small = float(np.abs((tried - search.z) / bounds.scale).max(initial=0.0)) < SMALL
    if costs[best] >= search.cost:
        search.damping *= MORE
        search.done = small or search.damping > MOST_DAMPING
        return False
    search.done = search.cost - costs[best] < enough * search.cost / max(1, len(search.residuals)) or small
    search.damping = min(max(TRIED[best] * search.damping, LEAST_DAMPING), MOST_DAMPING)
    search.z, search.cost = tried[best], float(costs[best])
    return True


def _give_up_half(left: Sequence[Search]) -> None:
    """Starts that lie behind the better half."""
    order = sorted(left, key=lambda s: s.cost)
    for search in order[(len(order) + 1) // 2 :]:
        search.done = True


def spread_starts(nominal: Array, bounds: Bounds, count: int, seed: int, fixed: Sequence[bool]) -> Array:
    """`count` starts: the nominal one, and others spread over the bounds, or a factor of 3 either way without any.

    Sizes that are bounded above 0 are spread by their logarithm. What is `fixed` starts as it is.
    """
    rng = np.random.default_rng(seed)
    found = np.repeat(nominal[None], max(1, count), axis=0)
    for k in range(1, len(found)):
        for i, value in enumerate(nominal):
            if fixed[i]:
                continue
            low, high = bounds.lower[i], bounds.upper[i]
            if not np.isfinite(high):
                high = value + 2.0 * bounds.scale[i]
            if not np.isfinite(low):
                low = value - 2.0 * bounds.scale[i]
            if low > 0 and high > 10 * low:
                found[k, i] = np.exp(rng.uniform(np.log(low), np.log(high)))
            else:
                found[k, i] = rng.uniform(low, high)
    return found
