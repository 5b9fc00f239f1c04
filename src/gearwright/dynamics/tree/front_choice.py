"""Which bodies of a tree become fronts: by counted operations."""

from __future__ import annotations

import os
from collections.abc import Sequence

from gearwright.dynamics.tree.algorithms import Row
from gearwright.dynamics.tree.bodies import GROUND, Body


def chosen_fronts(bodies: Sequence[Body], G: Sequence[Row]) -> frozenset[int]:
    """Fronts at all bodies that carry at least so many coordinates, their own included; none, where that is least."""
    threshold = int(os.environ.get("FRONTS", "0"))
    if not threshold:
        return frozenset()
    return carrying(bodies, G, threshold)


def carrying(bodies: Sequence[Body], G: Sequence[Row], threshold: int) -> frozenset[int]:
    moved: list[set[int]] = [set() for _ in bodies]
    for i, b in reversed([*enumerate(bodies)]):
        moved[i] |= {u for k in b.velocities for u in G[k]}
        if b.parent != GROUND:
            moved[b.parent] |= moved[i]
    return frozenset(i for i, own in enumerate(moved) if len(own) >= threshold)
