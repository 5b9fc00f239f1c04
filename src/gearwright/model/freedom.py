"""How many independent freedoms a mechanism has.

The rows of all loop closures and couplings are stacked over the velocities of the tree and of the cut joints;
freedoms are the columns less the rank. At a special pose (a flat four-bar) the rank drops, so that it is taken at
poses in general position, too. As in a simulation, rows that others imply wherever the loops close, but for the file's
rounding, do not count.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from gearwright.model.couplings import Coupling
from gearwright.model.kinematics import Configuration
from gearwright.model.poses import Array
from gearwright.model.rings import groups, taken_by
from gearwright.model.tangle import ALIGNED, Tangle
from gearwright.model.topology import Tree

_RANK_TOLERANCE = 1e-7  # relative; central differences are good to 1e-10


def degrees_of_freedom(tree: Tree, couplings: Collection[Coupling], q: Configuration) -> int:
    columns = sum(j.dof for j in (*tree.joints, *tree.cuts))
    tangle = Tangle.of(tree, list(couplings))
    free = [c for c in couplings if c.follower.joint not in tangle.first]
    return columns - sum(taken_by(part, q) for part in groups(free)) - sum(_taken(part, q) for part in tangle.parts())


def _taken(tangle: Tangle, q: Configuration) -> int:
    """By the loops and couplings of a tangle."""
    if not tangle.cuts:
        return sum(taken_by(group, q) for group in groups(tangle.couplings))
    start = tangle.closed(q, tangle.couplings)
    poses = [q] if start is None else tangle.general_positions(start, tangle.couplings)
    stacks = [tangle.scaled_rows(pose, tangle.couplings)[1] for pose in poses]
    kept = independent(stacks, len(tangle.couplings))
    return max(_rank(J[kept]) for J in stacks)


def _rank(J: Array) -> int:
    if not J.size:
        return 0
    scale = np.linalg.norm(J, axis=1, keepdims=True)
    return int(np.linalg.matrix_rank(J / np.where(scale > 0, scale, 1.0), tol=_RANK_TOLERANCE))


def independent(stacks: Sequence[Array], last: int = 0) -> list[int]:
    """Rows that are not the same combination of others in every pose; the `last` ones are kept in any case.

    Pivoted Gram–Schmidt: rows in the order of what the ones before leave of them, as long as that is something.
    """
    left = np.hstack(stacks)
    rows = len(left) - last
    kept = list(range(rows, len(left)))
    scale = max(1.0, *np.linalg.norm(left[:rows], axis=1), 0.0) if rows else 1.0
    for row in kept:
        _take_off(left, row)
    while rows:
        size = np.linalg.norm(left[:rows], axis=1)
        best = int(np.argmax(size))
        if not size[best] > ALIGNED * scale:
            break
        kept.append(best)
        _take_off(left, best)
    return sorted(kept)


def _take_off(left: Array, row: int) -> None:
    """Components of all rows along one of them."""
    size = np.linalg.norm(left[row])
    if size > _RANK_TOLERANCE:
        along = left[row] / size
        left -= np.outer(left @ along, along)
    left[row] = 0.0
