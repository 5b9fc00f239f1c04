"""Many problems of one structure at once: iterations as a CasADi Function in a Python loop, and their errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import casadi
import numpy as np
from casadi import SX, Function

from gearwright.dynamics.algebra.scalar import column, scalars, without_simplification
from gearwright.dynamics.solve.choosing import STARTED, Choice, Progress, choose
from gearwright.dynamics.solve.laws import VERTICAL, ForceLaw
from gearwright.dynamics.solve.rows import Equality
from gearwright.dynamics.solve.switching import Iteration, Problem, started
from gearwright.dynamics.solve.terms import Polyline, rate

Make = Callable[[list], tuple[Sequence[Polyline], Sequence[Equality]]]


class Ended(NamedTuple):
    """Columns are problems."""

    u: np.ndarray
    impulses: np.ndarray
    equalities: np.ndarray
    segments: np.ndarray
    solves: np.ndarray
    settled: np.ndarray


def places(laws: Sequence[Polyline], u: Sequence, impulses: Sequence) -> list:
    """How far along its polyline each law is."""
    return [rate(acting.J, u) - x for acting, x in zip(laws, impulses, strict=True)]


def iterated(problem: Problem, segments: Sequence, progress: Progress, way: Sequence) -> tuple[Iteration, Choice]:
    """One solution, and which laws switch: as stages of a step do it."""
    found = problem.iterate(segments, progress.tolerance)
    now = places(problem.polylines, found.u, found.impulses)
    return found, choose(problem.polylines, segments, found.segments, now, way, progress)


class Bench:
    """Problems with n coordinates; `make` gives laws and equalities from a list of parameters."""

    def __init__(self, n: int, size: int, make: Make, pattern: Sequence[tuple[int, int]] | None = None) -> None:
        self.n = n
        self.pattern = [*pattern] if pattern is not None else [(i, j) for i in range(n) for j in range(i + 1)]
        H, b, parameters = SX.sym("H", len(self.pattern)), SX.sym("b", n), SX.sym("parameters", size)
        self.polylines, self.equalities = make(scalars(parameters))
        k = len(self.polylines)
        segments, way, progress = (SX.sym(n, m) for n, m in (("segments", k), ("way", k), ("progress", len(STARTED))))
        problem = Problem(dict(zip(self.pattern, scalars(H), strict=True)), scalars(b), self.polylines, self.equalities)
        found, choice = iterated(problem, scalars(segments), Progress(*scalars(progress)), scalars(way))
        values = [
            found.u, found.impulses, found.equalities, choice.segments, [*choice.progress], choice.way, [found.settled]
        ]  # fmt: skip
        with without_simplification():
            outputs = casadi.cse([column(x) for x in values])
        self.iteration = Function("iteration", [H, b, parameters, segments, progress, way], outputs)
        u = SX.sym("u", n)
        begun = started(self.polylines, scalars(segments))
        self.begin = Function("begin", [parameters, segments, u], [column(begun)])
        along = column(places(self.polylines, scalars(u), scalars(way)))
        self.places = Function("places", [parameters, u, way], [along])
        self.numbers = Function("numbers", [parameters], [column(x) for x in self._numbers()])

    def _numbers(self) -> list[list]:
        """What laws and equalities are made of."""
        vertices = [x for p in self.polylines for v in p.law.vertices for x in v]
        slopes = [
            0.0 if s is VERTICAL else s for a in self.polylines if isinstance(a.law, ForceLaw) for s in a.law.slopes
        ]
        rows = [row.J for row in (*self.polylines, *self.equalities)]
        directions = [x for row in rows for x in row.values()]
        return [vertices, slopes, directions, [x for e in self.equalities for x in (e.bias, e.cfm)]]

    def solved(self, H: np.ndarray, b: np.ndarray, parameters: np.ndarray, last: Ended | None = None) -> Ended:
        """H (problems, n, n), b (problems, n), parameters (problems, size)."""
        count = len(b)
        given = [np.array([H[:, i, j] for i, j in self.pattern]), b.T, parameters.T]
        segments, u, way = (np.zeros((size, count)) for size in (len(self.polylines), self.n, len(self.polylines)))
        if last is not None:
            segments, u, way = last.segments, last.u, np.array(self.places.map(count)(given[2], last.u, last.impulses))
        begun = np.array(self.begin.map(count)(given[2], segments, u))
        passed = [begun, np.tile(np.array(STARTED)[:, None], (1, count)), way]
        found = [np.zeros((self.iteration.size1_out(k), count)) for k in range(7)]
        solves, left = np.zeros(count, int), np.arange(count)
        for _ in range(300):
            results = [np.array(x) for x in self.iteration.map(len(left))(*given, *passed)]
            for whole, part in zip(found, results, strict=True):
                whole[:, left] = part
            solves[left] += 1
            going = results[6][0] == 0
            if not going.any():
                break
            left, given = left[going], [x[:, going] for x in given]
            passed = [x[:, going] for x in results[3:6]]
        return Ended(*found[:4], solves, found[6][0] != 0)

    def errors(self, H: np.ndarray, b: np.ndarray, parameters: np.ndarray, end: Ended) -> dict[str, np.ndarray]:
        """Of each problem, relative: what is left of `H·u = b + Jᵀ·λ`, how far points are from their polylines, and by
        how much equalities are missed."""
        count = len(b)
        vertices, slopes, directions, given = (np.array(x) for x in self.numbers.map(count)(parameters.T))
        left = np.einsum("kij,jk->ik", H, end.u) - b.T
        size = np.einsum("kij,jk->ik", np.abs(H), np.abs(end.u)) + np.abs(b.T)
        fastest = np.abs(end.u).max(axis=0) + 1e-3
        off, missed, place, corner, segment = np.zeros(count), np.zeros(count), 0, 0, 0
        for n, row in enumerate((*self.polylines, *self.equalities)):
            law = n < len(self.polylines)
            impulse = end.impulses[n] if law else end.equalities[n - len(self.polylines)]
            rate, scale, response = np.zeros((3, count))
            for k, a in zip(row.J, directions[place : place + len(row.J)], strict=True):
                rate, scale, response = rate + a * end.u[k], scale + np.abs(a) * fastest, response + a**2 / H[:, k, k]
                left[k] -= a * impulse
                size[k] += np.abs(a * impulse)
            place += len(row.J)
            if law:
                own = vertices[corner : corner + 2 * len(row.law.vertices)].reshape(-1, 2, count)
                tilt = slopes[segment : segment + len(row.law.slopes)]
                inertia = 1 / response
                apart = distance(row.law, own, tilt, rate, impulse, inertia)
                off = np.maximum(off, apart / scale)
                corner, segment = corner + 2 * len(own), segment + len(tilt)
            else:
                bias, cfm = given[2 * (n - len(self.polylines)) : 2 * (n - len(self.polylines)) + 2]
                missed = np.maximum(missed, np.abs(rate + bias + cfm * impulse) / (scale + np.abs(bias)))
        return {"residual": np.max(np.abs(left) / size, axis=0), "complementarity": off, "equality": missed}


def distance(law, vertices, slopes, rate, impulse, inertia):
    """From the point to where the line of the inertia's slope through it meets the polyline, as a rate."""
    push = inertia * rate - impulse
    ends = inertia * vertices[:, 0] - vertices[:, 1]
    met = np.zeros(len(rate))
    for j, slope in enumerate(law.slopes):
        x, y = vertices[min(j, len(vertices) - 1)]
        there = x if slope is VERTICAL else (push + y + slopes[j] * x) / (inertia + slopes[j])
        above = push >= ends[j - 1] if j > 0 else True
        below = push <= ends[j] if j < len(ends) else True
        met = np.where(np.logical_and(above, below), there, met)
    return np.abs(met - rate)


def random_matrices(rng, count: int, n: int, decades: float = 0.5) -> np.ndarray:
    """Positive definite, with diagonals over so many decades either way."""
    A = rng.normal(size=(count, n, n))
    scale = 10 ** rng.uniform(-decades / 2, decades / 2, (count, n))
    return (A @ A.transpose(0, 2, 1) / n + 0.02 * np.eye(n)) * scale[:, :, None] * scale[:, None, :]
