"""The inertia of a tree with fronts at given bodies (`algebra.fronts`), by the composite-rigid-body algorithm."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from gearwright.dynamics.algebra.fronts import Front, FrontalMatrix, common
from gearwright.dynamics.algebra.scalar import Scalar, is_zero
from gearwright.dynamics.algebra.sparse import Matrix, Sparse
from gearwright.dynamics.algebra.spatial import Force, Mass, Motion
from gearwright.dynamics.tree.algorithms import propagate_to_parent, unit_accelerations
from gearwright.dynamics.tree.bodies import GROUND
from gearwright.dynamics.tree.kinematics import Configuration


def inertia(at: Configuration, G: Sequence[Sparse], chosen: Collection[int]) -> FrontalMatrix:
    """`Gᵀ·M·G` without armature, with fronts at the chosen bodies (parents of chosen ones are chosen)."""
    bodies = at.system.bodies
    place = {i: c for c, i in enumerate(sorted(chosen))}
    M: Matrix = {}
    composite = [b.mass for b in bodies]
    columns: list[dict[int, Force]] = [{} for _ in bodies]
    fronts: dict[int, Front] = {}
    for i, b in reversed([*enumerate(bodies)]):
        unit_accelerations(at, i, G, M, composite, columns)
        if i in place:
            motions = tuple((dict(G[k]), s) for s, k in zip(at.S[i], b.velocities, strict=True))
            parent = GROUND if b.parent == GROUND else place[b.parent]
            fronts[place[i]] = Front(parent, at.X[i], composite[i], columns[i], motions)
        elif b.parent != GROUND:
            propagate_to_parent(at, i, composite, columns)
    entries = {entry: value for entry, value in M.items() if not is_zero(value)}
    if not fronts:
        return FrontalMatrix(entries)
    n = 1 + max(u for row in G for u in row)
    ordered = tuple(fronts[c] for c in sorted(fronts))
    return FrontalMatrix(entries, ordered, homes(at, G, place, ordered), tuple(whole_diagonal(at, G, n)))


def homes(at: Configuration, G: Sequence[Sparse], place: Mapping[int, int], fronts: Sequence[Front]) -> dict[int, int]:
    """By coordinate, the front that carries all that it moves directly."""
    found: dict[int, int] = {}
    nearest: list[int] = []
    for i, b in enumerate(at.system.bodies):
        behind = GROUND if b.parent == GROUND else nearest[b.parent]
        nearest.append(place.get(i, behind))
        for k in b.velocities:
            for u in G[k]:
                found[u] = common(fronts, found.get(u, nearest[i]), nearest[i])
    return found


def whole_diagonal(at: Configuration, G: Sequence[Sparse], n: int) -> list[Scalar]:
    """`Gᵀ·M·G`: by composite masses where a coordinate moves one joint, else by what it makes all bodies do."""
    bodies = at.system.bodies
    composite = [b.mass for b in bodies]
    for i, b in reversed([*enumerate(bodies)]):
        if b.parent != GROUND:
            composite[b.parent] = composite[b.parent] + at.X[i].mass(composite[i])
    joints: list[list[tuple[int, int, Motion]]] = [[] for _ in range(n)]
    for i, b in enumerate(bodies):
        for s, k in zip(at.S[i], b.velocities, strict=True):
            for u in G[k]:
                joints[u].append((i, k, s))
    return [_own_inertia(at, G, u, own, composite) for u, own in enumerate(joints)]


def _own_inertia(
    at: Configuration, G: Sequence[Sparse], u: int, own: Sequence[tuple[int, int, Motion]], composite: Sequence[Mass]
) -> Scalar:
    """`Σ gᵢ·gⱼ·sᵢ·Xᵢⱼ·Iⱼ·sⱼ` over the joints that a coordinate moves: pairs where one carries the other."""
    d: Scalar = 0.0
    for i, k, s in own:
        F = composite[i].momentum(s) * G[k][u]
        d = d + G[k][u] * s.dot(F)
        others = {j: (m, t) for j, m, t in own if j < i}
        carrier = i
        while others and carrier != GROUND:
            F, carrier = at.X[carrier].force(F), at.system.bodies[carrier].parent
            if carrier in others:
                m, t = others.pop(carrier)
                d = d + 2.0 * (G[m][u] * t.dot(F))
    return d
