"""The same problems by another method: a convex quadratic program, solved by qpOASES (it comes with CasADi).

    min ½·uᵀ·H·u − bᵀ·u + Σ φ(J·u)

Friction is f·(a + b) with `J·u − turn = a − b`; a stop is a bound; a limited drive is Huber's function, the least of
½·p² + limit·(a + b) with `J·u − rate = p/√slope + a − b`; an equality with compliance is ½·r² with
`J·u + bias = √cfm·r`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import casadi
import numpy as np

from gearwright.dynamics.solve.laws import VERTICAL, ForceLaw
from gearwright.dynamics.solve.rows import Equality
from gearwright.dynamics.solve.terms import Polyline
from tests.dynamics.solve.bench import Bench

FAR = 1e20


class Constraint(NamedTuple):
    """`lower ≤ J·u + Σ share·x ≤ upper` over new unknowns x, each with a square's weight, a cost and a lower bound."""

    J: dict[int, float]
    lower: float
    upper: float
    unknowns: tuple[tuple[float, float, float, float], ...] = ()  # share, weight, cost, least


def of_law(J: dict[int, float], law: ForceLaw, vertices: np.ndarray, slopes: np.ndarray) -> Iterator[Constraint]:
    inside = range(1, len(law.slopes) - 1)
    if all(slope is not VERTICAL for slope in law.slopes):  # a limited drive
        (low, most), (high, _) = vertices
        root = np.sqrt(slopes[1])
        size = ((-1.0 / root, 1.0, 0.0, -FAR), (-1.0, 0.0, most, 0.0), (1.0, 0.0, most, 0.0))
        yield Constraint(J, 0.5 * (low + high), 0.5 * (low + high), size)
        return
    stops = [vertices[k][0] if law.slopes[end] is VERTICAL else far for k, end, far in ((0, 0, -FAR), (-1, -1, FAR))]
    if stops[0] > -FAR or stops[1] < FAR:
        yield Constraint(J, *stops)
    for k in (k for k in inside if law.slopes[k] is VERTICAL):
        turn, most = vertices[k - 1]
        yield Constraint(J, turn, turn, ((-1.0, 0.0, most, 0.0), (1.0, 0.0, most, 0.0)))


def of_equality(J: dict[int, float], bias: float, cfm: float) -> Constraint:
    return Constraint(J, -bias, -bias, ((-np.sqrt(cfm), 1.0, 0.0, -FAR),) if cfm else ())


class Reference:
    """Solves problems of a bench one by one."""

    def __init__(self, bench: Bench, leave_out: tuple[int, ...] = ()) -> None:
        """`leave_out`: equalities that others imply."""
        self.bench, self.leave_out = bench, leave_out
        self._solver: casadi.Function | None = None

    def solved(self, H: np.ndarray, b: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        numbers = self.bench.numbers.map(len(b))(parameters.T)
        columns = [np.array(x).T for x in numbers]
        return np.array([self._one(H[k], b[k], [x[k] for x in columns]) for k in range(len(b))])

    def _one(self, H: np.ndarray, b: np.ndarray, numbers: list[np.ndarray]) -> np.ndarray:
        rows = list(self._constraints(*numbers))
        n, extra = len(b), sum(len(row.unknowns) for row in rows)
        P, c = np.zeros((n + extra, n + extra)), np.concatenate([-b, np.zeros(extra)])
        A, low, high, least = np.zeros((len(rows), n + extra)), [], [], np.full(n + extra, -FAR)
        P[:n, :n], place = H, n
        for i, row in enumerate(rows):
            for k, x in row.J.items():
                A[i, k] = x
            for share, weight, cost, bound in row.unknowns:
                A[i, place], P[place, place], c[place], least[place] = share, weight, cost, bound
                place += 1
            low.append(row.lower)
            high.append(row.upper)
        if self._solver is None:
            dense = {"h": casadi.Sparsity.dense(*P.shape), "a": casadi.Sparsity.dense(*A.shape)}
            quiet = {"printLevel": "none", "error_on_fail": False, "sparse": False, "nWSR": 1000}
            self._solver = casadi.conic("reference", "qpoases", dense, quiet)
        found = self._solver(h=P, g=c, a=A, lba=low, uba=high, lbx=least, ubx=FAR)
        u = np.array(found["x"]).ravel()[:n]
        return u if self._solver.stats()["success"] else np.full(n, np.nan)

    def _constraints(
        self, vertices: np.ndarray, slopes: np.ndarray, directions: np.ndarray, given: np.ndarray
    ) -> Iterator[Constraint]:
        place = corner = segment = 0
        for acting in self.bench.polylines:
            assert isinstance(acting, Polyline)
            law = acting.law
            assert isinstance(law, ForceLaw)
            J = dict(zip(acting.J, directions[place:].tolist()))  # noqa: B905
            own = vertices[corner : corner + 2 * len(law.vertices)].reshape(-1, 2)
            yield from of_law(J, law, own, slopes[segment : segment + len(law.slopes)])
            place, corner, segment = place + len(J), corner + own.size, segment + len(law.slopes)
        for i, equality in enumerate(self.bench.equalities):
            assert isinstance(equality, Equality)
            J = dict(zip(equality.J, directions[place:].tolist()))  # noqa: B905
            place += len(J)
            if i not in self.leave_out:
                yield of_equality(J, *given[2 * i : 2 * i + 2].tolist())
