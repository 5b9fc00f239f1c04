"""Exact couplings: followers are substituted, and the equations are those of the independent coordinates u.

`v = G·u`, `M_u = Gᵀ·M·G`, `τ_u = Gᵀ·(τ − h − M·Ġ·u)`. Chains and several leaders compose row by row, in the order of
leaders before followers; a follower's damping, spring and armature reach its leaders through the same G.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.scalar import Scalar, total
from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.tree.couplings import Follower, follower_of
from gearwright.model import Mechanism, in_order


@dataclass(frozen=True)
class TreeState:
    """The tree's coordinates for a state of the independent ones."""

    q: list[Scalar]
    v: list[Scalar]
    G: list[Sparse]  # v = G·u, one row per tree velocity
    vd: list[Scalar]  # Ġ·u: accelerations at u̇ = 0

    def accelerations(self, u_dot: list[Scalar]) -> list[Scalar]:
        """`v̇ = G·u̇ + Ġ·u`."""
        rows = zip(self.G, self.vd, strict=True)
        return [total(bias, *(g * u_dot[n] for n, g in row.items())) for row, bias in rows]


@dataclass(frozen=True)
class Reduction:
    """Which coordinates of the tree are independent, and how the others follow."""

    ties: Sequence[Follower]
    positions: list[int]  # of the tree, independent
    velocities: list[int]

    def expand(self, q_u: list[Scalar], u: list[Scalar], nq: int, nv: int) -> TreeState:
        q: list[Scalar] = [0.0] * nq
        v: list[Scalar] = [0.0] * nv
        vd: list[Scalar] = [0.0] * nv
        G: list[Sparse] = [{} for _ in range(nv)]
        for i, x in zip(self.positions, q_u, strict=True):
            q[i] = x
        for n, (k, x) in enumerate(zip(self.velocities, u, strict=True)):
            v[k], G[k] = x, {n: 1.0}
        for tie in self.ties:
            (i, k), slopes = tie.follower, tie.slopes(q)
            q[i] = tie.position(q)
            for slope, (_, leader) in zip(slopes, tie.leaders, strict=True):
                v[k] = v[k] + slope * v[leader]
                vd[k] = vd[k] + slope * vd[leader]
                for n, g in G[leader].items():
                    G[k][n] = G[k].get(n, 0.0) + slope * g
            if tie.curved:
                vd[k] = vd[k] + tie.drift(q, v)
        return TreeState(q, v, G, vd)

    def efforts(self, q: list[Scalar], missing: list[Scalar]) -> list[Scalar]:
        """λ of each coupling, the effort it puts on its follower, from what the tree's equations miss along each axis.

        A follower that leads others hands their reactions on, so the last in a chain is known first.
        """
        missing = list(missing)
        efforts = []
        for tie in reversed(self.ties):
            effort = missing[tie.follower[1]]
            for slope, (_, leader) in zip(tie.slopes(q), tie.leaders, strict=True):
                missing[leader] = missing[leader] + slope * effort
            efforts.append(effort)
        return efforts[::-1]

    def gradient(self, tree: TreeState, p: list[Scalar], f: list[Scalar]) -> tuple[Column, Column]:
        """∂L/∂u and ∂L/∂q of the independent coordinates, from those of the tree: followers' go to leaders."""
        p, f = list(p), list(f)
        for tie in reversed(self.ties):
            k = tie.follower[1]
            for slope, (_, leader) in zip(tie.slopes(tree.q), tie.leaders, strict=True):
                p[leader] = p[leader] + slope * p[k]
                f[leader] = f[leader] + slope * f[k]
            if tie.curved:
                for bend, (_, leader) in zip(tie.bend(tree.q, tree.v), tie.leaders, strict=True):
                    f[leader] = f[leader] + bend * p[k]
        return Column(p[k] for k in self.velocities), Column(f[k] for k in self.velocities)


def reduction(mechanism: Mechanism, values: Mapping[str, Scalar]) -> Reduction:
    """By the exact couplings; the others are constraint rows."""
    layout, exact = mechanism.layout, in_order(mechanism.couplings.exact)
    ties = [follower_of(c, mechanism, values) for c in exact]
    return Reduction(ties, [*layout.independent_positions], [*layout.independent_velocities])
