"""Exact couplings: followers are substituted, and the equations are those of the independent coordinates u.

`v = G·u`, `M_u = Gᵀ·M·G`, `τ_u = Gᵀ·(τ − h − M·Ġ·u)`. Chains and several leaders compose row by row, in the order of
leaders before followers; a follower's damping, spring and armature reach its leaders through the same G.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gearwright.dynamics.algorithms import Matrix, Row, accumulate
from gearwright.dynamics.scalar import Scalar, is_zero, minus, plus, times, total
from gearwright.model import AxisRef, Coupling, Mechanism, in_order


class Tie(NamedTuple):
    """A coupling by coordinates: the follower's and leaders' indices as positions and as velocities of the tree."""

    name: str
    follower: tuple[int, int]
    leaders: tuple[tuple[int, int], ...]
    multipliers: tuple[Scalar, ...]
    offset: Scalar
    reference: Scalar
    powers: tuple[Scalar, ...]

    def position(self, q: list[Scalar]) -> Scalar:
        x = [minus(q[i], self.reference) for i, _ in self.leaders]
        linear = total(*(times(m, xi) for m, xi in zip(self.multipliers, x, strict=True)))
        return total(linear, self._polynomial(x[0], [0.0, 0.0, *self.powers]), self.offset)

    def error(self, q: list[Scalar]) -> Scalar:
        """C."""
        return minus(q[self.follower[0]], self.position(q))

    def jacobian(self, q: list[Scalar]) -> Row:
        """∂C over the tree's velocities: 1 for the follower, −slope for each leader."""
        J: Row = {self.follower[1]: 1.0}
        for slope, (_, leader) in zip(self.slopes(q), self.leaders, strict=True):
            J[leader] = minus(J.get(leader, 0.0), slope)
        return J

    def slopes(self, q: list[Scalar]) -> list[Scalar]:
        """The follower's rate per leader's."""
        x = minus(q[self.leaders[0][0]], self.reference)
        bend = self._polynomial(x, [0.0, *(times(float(k), c) for k, c in enumerate(self.powers, start=2))])
        return [plus(m, bend) for m in self.multipliers]

    def curvature(self, q: list[Scalar]) -> Scalar:
        """The slope's rate per the only leader's."""
        x = minus(q[self.leaders[0][0]], self.reference)
        return self._polynomial(x, [times(float(k * (k - 1)), c) for k, c in enumerate(self.powers, start=2)])

    @staticmethod
    def _polynomial(x: Scalar, coefficients: list[Scalar]) -> Scalar:
        """Horner's rule, lowest power first."""
        value: Scalar = 0.0
        for c in reversed(coefficients):
            value = plus(times(value, x), c)
        return value


@dataclass(frozen=True)
class Tree:
    """The tree's coordinates for a state of the independent ones."""

    q: list[Scalar]
    v: list[Scalar]
    G: list[Row]  # v = G·u, one row a tree velocity
    vd: list[Scalar]  # Ġ·u: accelerations at u̇ = 0

    def accelerations(self, u_dot: list[Scalar]) -> list[Scalar]:
        """`v̇ = G·u̇ + Ġ·u`."""
        rows = zip(self.G, self.vd, strict=True)
        return [total(bias, *(times(g, u_dot[n]) for n, g in row.items())) for row, bias in rows]


@dataclass(frozen=True)
class Reduction:
    """Which coordinates of the tree are independent, and how the others follow."""

    ties: list[Tie]
    positions: list[int]  # of the tree, independent
    velocities: list[int]

    def expand(self, q_u: list[Scalar], u: list[Scalar], nq: int, nv: int) -> Tree:
        q, v, vd = [0.0] * nq, [0.0] * nv, [0.0] * nv
        G: list[Row] = [{} for _ in range(nv)]
        for i, x in zip(self.positions, q_u, strict=True):
            q[i] = x
        for n, (k, x) in enumerate(zip(self.velocities, u, strict=True)):
            v[k], G[k] = x, {n: 1.0}
        for tie in self.ties:
            (i, k), slopes = tie.follower, tie.slopes(q)
            q[i] = tie.position(q)
            for slope, (_, leader) in zip(slopes, tie.leaders, strict=True):
                v[k] = plus(v[k], times(slope, v[leader]))
                vd[k] = plus(vd[k], times(slope, vd[leader]))
                for n, g in G[leader].items():
                    G[k][n] = plus(G[k].get(n, 0.0), times(slope, g))
            if tie.powers:
                leader = tie.leaders[0][1]
                vd[k] = plus(vd[k], times(tie.curvature(q), times(v[leader], v[leader])))
        return Tree(q, v, G, vd)

    def efforts(self, q: list[Scalar], missing: list[Scalar]) -> list[Scalar]:
        """λ of each coupling, the effort it puts on its follower, from what the tree's equations miss along each axis.

        A follower that leads others hands their reactions on, so the last in a chain is known first.
        """
        missing = list(missing)
        efforts = []
        for tie in reversed(self.ties):
            effort = missing[tie.follower[1]]
            for slope, (_, leader) in zip(tie.slopes(q), tie.leaders, strict=True):
                missing[leader] = plus(missing[leader], times(slope, effort))
            efforts.append(effort)
        return efforts[::-1]

    def gradient(self, tree: Tree, p: list[Scalar], f: list[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        """∂L/∂u and ∂L/∂q of the independent coordinates, from those of the tree: followers' go to leaders."""
        p, f = list(p), list(f)
        for tie in reversed(self.ties):
            k = tie.follower[1]
            for slope, (_, leader) in zip(tie.slopes(tree.q), tie.leaders, strict=True):
                p[leader] = plus(p[leader], times(slope, p[k]))
                f[leader] = plus(f[leader], times(slope, f[k]))
            if tie.powers:
                leader = tie.leaders[0][1]
                f[leader] = plus(f[leader], times(times(tie.curvature(tree.q), tree.v[leader]), p[k]))
        return [p[k] for k in self.velocities], [f[k] for k in self.velocities]


def reduction(mechanism: Mechanism, values: Mapping[str, Scalar]) -> Reduction:
    """By the exact couplings; the others are constraint rows."""
    exact = in_order(c for c in mechanism.couplings.values() if c.mode == "exact")
    ties = [tie_of(c, mechanism, values) for c in exact]
    nq, nv = (sum(len(names) for names in each) for each in _coordinates(mechanism))
    following = {tie.follower for tie in ties}
    return Reduction(
        ties=ties,
        positions=[i for i in range(nq) if i not in {i for i, _ in following}],
        velocities=[k for k in range(nv) if k not in {k for _, k in following}],
    )


def _coordinates(mechanism: Mechanism) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    joints = mechanism.tree.joints
    return [j.positions for j in joints], [j.coordinates for j in joints]


def tie_of(c: Coupling, mechanism: Mechanism, values: Mapping[str, Scalar]) -> Tie:
    """The coupling with coordinates for names."""
    positions, velocities = ([n for own in each for n in own] for each in _coordinates(mechanism))

    def at(axis: AxisRef) -> tuple[int, int]:
        joint = mechanism.joint(axis.joint)
        return positions.index(joint.positions[axis.index]), velocities.index(joint.coordinates[axis.index])

    only = len(c.leaders) == 1
    return Tie(
        name=c.name,
        follower=at(c.follower),
        leaders=tuple(at(t.axis) for t in c.leaders),
        multipliers=tuple(values[f"{c.name}.multiplier" + ("" if only else f".{t.axis}")] for t in c.leaders),
        offset=values[f"{c.name}.offset"],
        reference=values[f"{c.name}.reference"],
        powers=tuple(values[f"{c.name}.power{k}"] for k in range(2, 2 + len(c.powers))),
    )


def combined(J: Row, G: list[Row]) -> Row:
    """A row over the tree's velocities as one over the independent ones: `J·G`."""
    row: Row = {}
    for k, x in J.items():
        for n, g in G[k].items():
            row[n] = plus(row.get(n, 0.0), times(x, g))
    return {n: x for n, x in row.items() if not is_zero(x)}


def transposed(G: list[Row], x: list[Scalar], n: int) -> list[Scalar]:
    """Gᵀ·x."""
    y: list[Scalar] = [0.0] * n
    for row, value in zip(G, x, strict=True):
        for u, g in row.items():
            y[u] = plus(y[u], times(g, value))
    return y


def add_diagonal(M: Matrix, G: list[Row], d: list[Scalar]) -> Matrix:
    """`M + Gᵀ·diag(d)·G`."""
    M = dict(M)
    for row, value in zip(G, d, strict=True):
        if not is_zero(value):
            accumulate(M, row, {u: times(g, value) for u, g in row.items()}, twice=False)
    return M
