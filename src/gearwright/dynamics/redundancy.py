"""Which rows of a cut joint say something that the others do not: found once, with the numbers of the file.

A planar loop of hinges in space has three rows that look out of its plane. The file's rounding makes them almost, but
not quite, implied: taken for real they would lock the loop, or put what is 1e-6 of a radian over what is 1e-6 of a
metre. So a row that is the same combination of others wherever the loops close, to within `ALIGNED`, is left out. What
it is off by then is the file's own misfit; it depends on the pose alone and does not grow.

Rows that depend on each other in some poses only, as at a dead centre, stay: the step's elimination skips a pivot that
vanishes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from gearwright.dynamics.kinematics import Configuration
from gearwright.dynamics.motion import Model, State
from gearwright.dynamics.spatial import ZERO, Motion, Vector

Array = Any  # a NumPy array of floats

# Files write π/2 as 1.57, which is 8e-4 off, and no mechanism's freedom hangs on an angle of a milliradian.
ALIGNED = 1e-3  # of the unit that a joint moves by [rad, or lengths of the loop]
POSES = 4  # beside the start: a combination that holds in general poses holds in all
STRAY = 0.3  # how far they are from the start [rad, lengths of the loop]
ATTEMPTS = 60
STILL = 1e-10  # a Newton move that ends them


class Closure(Protocol):
    @property
    def conditions(self) -> list[Any]: ...
    def seen(self, at: Configuration) -> tuple[Any, dict[int, Motion]]: ...


def telling(closures: Sequence[Closure], model: Model, start: Sequence[float]) -> list[list[int]]:
    """Of each closure, the rows that are kept. All of them if the loops do not close from the start."""
    pose = _closed(closures, model, list(start))
    if pose is None:
        return [list(range(len(c.conditions))) for c in closures]
    rng = np.random.default_rng(0)
    found = [_scaled(c, model, pose) for c in closures]
    for _ in range(POSES):
        away = _closed(closures, model, _strayed(closures, model, pose, rng))
        if away is not None:
            found = [np.hstack([J, _scaled(c, model, away)]) for J, c in zip(found, closures, strict=True)]
    return [_independent(J) for J in found]


def _independent(J: Array) -> list[int]:
    """Rows in the order of what the ones before leave of them, as long as that is something (pivoted Gram–Schmidt)."""
    left = J.copy()
    kept: list[int] = []
    scale = np.linalg.norm(left, axis=1).max(initial=0.0)
    while len(kept) < len(left):
        size = np.linalg.norm(left, axis=1)
        best = int(np.argmax(size))
        if size[best] <= ALIGNED * scale:
            break
        kept.append(best)
        along = left[best] / size[best]
        left -= np.outer(left @ along, along)
        left[best] = 0.0
    return sorted(kept)


def _scaled(closure: Closure, model: Model, q: list[float]) -> Array:
    """The rows over the independent velocities without units: lengths by the loop's, each velocity by what it moves."""
    tree = model.tree(State(q, [0.0] * model.dof))
    apart, twists = closure.seen(model.configuration(tree))
    size = max((_length(V.linear) for V in twists.values() if _length(V.angular)), default=1.0) or 1.0
    moved: dict[int, Motion] = {}
    for k, V in twists.items():
        for n, g in tree.G[k].items():
            moved[n] = moved.get(n, Motion(ZERO, ZERO)) + V * g
    J = np.zeros((len(closure.conditions), model.dof))
    for i, condition in enumerate(closure.conditions):
        unit = size if condition.slides else 1.0
        for n, V in moved.items():
            much = np.hypot(_length(V.angular), _length(V.linear) / size)
            J[i, n] = condition.rate(apart, V) / unit / much if much else 0.0
    return J


def _length(a: Vector) -> float:
    return float(np.linalg.norm([a.x, a.y, a.z]))


def _errors(closures: Sequence[Closure], model: Model, q: list[float]) -> tuple[Array, Array]:
    """C and ∂C over the independent velocities."""
    tree = model.tree(State(q, [0.0] * model.dof))
    at = model.configuration(tree)
    errors, rows = [], []
    for closure in closures:
        apart, twists = closure.seen(at)
        for condition in closure.conditions:
            row = np.zeros(model.dof)
            for k, V in twists.items():
                for n, g in tree.G[k].items():
                    row[n] += g * condition.rate(apart, V)
            errors.append(condition.error(apart))
            rows.append(row)
    return np.array(errors, dtype=float), np.array(rows).reshape(len(errors), model.dof)


def _closed(closures: Sequence[Closure], model: Model, q: list[float]) -> list[float] | None:
    """Newton's method in the directions that the rows surely look along."""
    for _ in range(ATTEMPTS):
        error, J = _errors(closures, model, q)
        move = -np.linalg.lstsq(J, error, rcond=ALIGNED)[0]
        largest = np.abs(move).max(initial=0.0)
        q = model.advanced(q, (move * min(1.0, STRAY / max(largest, STILL))).tolist(), 1.0)
        if largest < STILL:
            return q
    return None


def _strayed(closures: Sequence[Closure], model: Model, q: list[float], rng: np.random.Generator) -> list[float]:
    _, J = _errors(closures, model, q)
    away = rng.uniform(-STRAY, STRAY, model.dof)
    away -= np.linalg.lstsq(J, J @ away, rcond=ALIGNED)[0]
    return model.advanced(q, away.tolist(), 1.0)
