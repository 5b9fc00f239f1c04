"""Which bodies of a tree become fronts: by counted operations.

Fronts are the bodies that carry at least a number of coordinates; the number with the fewest operations is taken. Below
it limbs are short, where a column an ancestor costs less than an inertia of 21 numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.tree.bodies import GROUND, Body

SOLUTIONS = 2.5  # of a step for one mass matrix: one or two of an Euler step, four or five of the midpoint's
MOVED_MASS, MOVED_COLUMN = 25.0, 14.0  # operations: a composite mass, or a force, to the parent's frame
MOVED_INERTIA = 105.0  # the same of 21 numbers, with the force and the velocity of each solution
ELIMINATED = 51.0  # a rank-one change of them, and its part of each solution
WORTHWHILE = 0.97  # of the operations without fronts


def chosen_fronts(bodies: Sequence[Body], G: Sequence[Sparse]) -> frozenset[int]:
    """None, where a mass matrix takes no more."""
    carried = coordinates_carried(bodies, G)
    counts = sorted({len(own) for own in carried})
    best: frozenset[int] = frozenset()
    least = WORTHWHILE * operations(bodies, G, best)
    for threshold in counts:
        fronts = frozenset(i for i, own in enumerate(carried) if len(own) >= threshold)
        count = operations(bodies, G, fronts)
        if count < least:
            best, least = fronts, count
    return best


def coordinates_carried(bodies: Sequence[Body], G: Sequence[Sparse]) -> list[set[int]]:
    """By each body, its own included."""
    carried: list[set[int]] = [set() for _ in bodies]
    for i, b in reversed([*enumerate(bodies)]):
        carried[i] |= {u for k in b.velocities for u in G[k]}
        if b.parent != GROUND:
            carried[b.parent] |= carried[i]
    return carried


def operations(bodies: Sequence[Body], G: Sequence[Sparse], fronts: Collection[int]) -> float:
    """About: of the mass matrix, and of its eliminations in a step."""
    columns: list[set[int]] = [set() for _ in bodies]  # that come to a body
    building = solving = 0.0
    for i, b in reversed([*enumerate(bodies)]):
        own = {u for k in b.velocities for u in G[k]}
        behind = columns[i] | own
        if i in fronts:
            solving += MOVED_INERTIA + ELIMINATED * len(behind) if b.parent != GROUND else 0.0
        elif b.parent != GROUND:
            building += MOVED_MASS + MOVED_COLUMN * len(behind)
            columns[b.parent] |= behind
    solving += sum(map(elimination, neighbours(bodies, G, fronts)))
    return building + SOLUTIONS * solving


def elimination(near: int) -> float:
    """Operations of a pivot with so many neighbours: its column, the change of their block, its part of a solution."""
    return 0.5 * near * (near + 1) + 4.0 * near


def neighbours(bodies: Sequence[Body], G: Sequence[Sparse], fronts: Collection[int]) -> list[int]:
    """By coordinate, when it is eliminated: those that carry it up to its front."""
    above: list[set[int]] = []  # coordinates from a body to its front, both included
    near: dict[int, set[int]] = {}
    for i, b in enumerate(bodies):
        own = {u for k in b.velocities for u in G[k]}
        carrying = above[b.parent] if b.parent != GROUND and i not in fronts else set()
        above.append(carrying | own)
        for n, u in enumerate(sorted(own)):
            near.setdefault(u, set()).update(carrying, sorted(own)[:n])
    return [len(each) for each in near.values()]
