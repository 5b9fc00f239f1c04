"""Which rows of cut joints say something that the others do not: found once, with the numbers of the file.

A planar loop of hinges in space has three rows that look out of its plane. The file's rounding makes them almost, but
not quite, implied: taken for real they would lock the loop, or put what is 1e-6 of a radian over what is 1e-6 of a
metre. So a row that is the same combination of others wherever the loops close, to within `ALIGNED`, is left out. So is
one that couplings hold already, exact or hard, as in a gripper that has a mimic and a loop. What it is off by then is
the file's own misfit; it depends on the pose alone and does not grow.

Rows that depend on each other in some poses only, as at a dead centre, stay: the step's elimination skips a pivot that
vanishes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.sparse import combined
from gearwright.dynamics.algebra.spatial import ZERO, Motion, Vector
from gearwright.dynamics.tree.coordinates import Coordinates, State
from gearwright.dynamics.tree.couplings import Follower
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.model.freedom import independent
from gearwright.model.tangle import ALIGNED, ATTEMPTS, POSES, STILL, STRAY

Array = Any  # a NumPy array of floats


class Closure(Protocol):
    @property
    def conditions(self) -> list[Any]: ...
    def seen(self, at: Configuration) -> tuple[Any, dict[int, Motion]]: ...


def independent_rows(
    closures: Sequence[Closure], model: Coordinates, start: Sequence[float], hard: Sequence[Follower] = ()
) -> list[list[int]]:
    """By closure, the rows that are kept beside hard couplings. All if the loops do not close from the start."""
    sizes = [len(c.conditions) for c in closures]
    pose = _closed(closures, model, list(start))
    if pose is None:
        return [list(range(n)) for n in sizes]
    rng = np.random.default_rng(0)
    poses = [pose]
    for _ in range(POSES):
        away = _closed(closures, model, _strayed(closures, model, pose, rng))
        poses += [away] if away is not None else []
    kept = independent([_with_couplings(closures, model, q, hard) for q in poses], len(hard))
    starts = np.cumsum([0, *sizes]).tolist()
    return [[i - first for i in kept if first <= i < first + n] for first, n in zip(starts, sizes, strict=False)]


class _Rows(NamedTuple):
    """C and ∂C over the independent velocities, without units: lengths by the loop's, velocities by what they move.

    A velocity that moves several joints of a loop so that nothing is left of it does not look along any row.
    """

    error: Array
    J: Array
    unit: Array  # of each velocity

    @staticmethod
    def at(closures: Sequence[Closure], model: Coordinates, q: list[Scalar]) -> _Rows:
        tree = model.tree(State(q, [0.0] * model.dof))
        at = model.configuration(tree)
        errors, rows, unit = [], [], np.zeros(model.dof)
        for closure in closures:
            apart, twists = closure.seen(at)
            size = max((_length(V.linear) for V in twists.values() if _length(V.angular)), default=1.0) or 1.0
            moved: dict[int, Motion] = {}
            much = np.zeros(model.dof)
            for k, V in twists.items():
                for n, g in tree.G[k].items():
                    moved[n] = moved.get(n, Motion(ZERO, ZERO)) + V * g
                    much[n] += abs(g) * np.hypot(_length(V.angular), _length(V.linear) / size)
            unit = np.maximum(unit, much)
            for condition in closure.conditions:
                scale = size if condition.slides else 1.0
                row = np.zeros(model.dof)
                row[list(moved)] = [float(condition.rate(apart, V)) / scale for V in moved.values()]
                errors.append(float(condition.error(apart)) / scale)
                rows.append(row)
        unit = np.where(unit > 0, unit, 1.0)
        return _Rows(np.array(errors), np.array(rows).reshape(len(rows), model.dof) / unit, unit)

    def solved(self, error: Array) -> Array:
        """The least move that takes an error off, in the directions that the rows surely look along."""
        U, s, V = np.linalg.svd(self.J, full_matrices=False)
        sure = s > ALIGNED * max(1.0, s.max(initial=0.0))
        return V[sure].T @ ((U[:, sure].T @ error) / s[sure])


def _with_couplings(
    closures: Sequence[Closure], model: Coordinates, q: list[Scalar], hard: Sequence[Follower]
) -> Array:
    """The loops' rows, then those of hard couplings, of unit length."""
    rows = _Rows.at(closures, model, q)
    tree = model.tree(State(q, [0.0] * model.dof))
    tied = np.array([_coupling_row(tie, model, tree) for tie in hard]).reshape(len(hard), model.dof) / rows.unit
    tied /= np.maximum(np.linalg.norm(tied, axis=1, keepdims=True), STILL)
    return np.vstack([rows.J, tied])


def _coupling_row(tie: Follower, model: Coordinates, tree: Any) -> Array:
    row = np.zeros(model.dof)
    for n, g in combined(tie.jacobian(tree.q), tree.G).items():
        row[n] = g
    return row


def _length(a: Vector) -> float:
    return float(np.linalg.norm([float(x) for x in a]))


def _closed(closures: Sequence[Closure], model: Coordinates, q: list[Scalar]) -> list[Scalar] | None:
    """By Newton's method."""
    for _ in range(ATTEMPTS):
        rows = _Rows.at(closures, model, q)
        if not (np.isfinite(rows.error).all() and np.isfinite(rows.J).all()):
            return None
        move = -rows.solved(rows.error)
        largest = np.abs(move).max(initial=0.0)
        q = model.advanced(q, (move / rows.unit * min(1.0, STRAY / max(largest, STILL))).tolist(), 1.0)
        if largest < STILL:  # what is left is the file's rounding, or there is no way on
            return q if np.abs(rows.error).max(initial=0.0) < ALIGNED else None
    return None


def _strayed(
    closures: Sequence[Closure], model: Coordinates, q: list[Scalar], rng: np.random.Generator
) -> list[Scalar]:
    rows = _Rows.at(closures, model, q)
    away = rng.uniform(-STRAY, STRAY, model.dof)
    away -= rows.solved(rows.J @ away)
    return model.advanced(q, (away / rows.unit).tolist(), 1.0)
