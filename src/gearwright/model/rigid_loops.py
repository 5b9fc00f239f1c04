"""Loops that move to first order only: drawn where their rows lose rank, and held by what those say to second order.

    two links on parallel hinges of one body, and a slider between them, across the line through the hinges:

        ○───╫───○      both turned by θ, the slider is off by l·θ²/2 along that line: so θ = 0, and it does not slide

Such a row vanishes where the loop closes: in a step it holds nothing, and pushes without end a little beside it. The
joint that closes the loop does not move, and is as good as fixed.

With N the directions that the rows J do not see, and u a combination of rows that sees none, u·C is a quadratic form
over N. Where it has one sign, what it sees is held; where it has two, ways go on from there, as at the dead centre of a
parallelogram. Forms of loops that are alike come mixed, each of two signs; their sum, signs by their traces, has one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np

from gearwright.model.couplings import Coupling
from gearwright.model.joints import Joint
from gearwright.model.kinematics import Configuration
from gearwright.model.poses import Array
from gearwright.model.tangle import ALIGNED, Tangle
from gearwright.model.topology import Tree

NUDGE = 1e-3  # [rad, lengths of the loop] of second differences: these are good to 1e-10 then
MOST_FREE = 12  # directions: a loop of more freedoms is none that holds itself
WEAK = 0.1 * ALIGNED  # of the largest row: what sees less is surely rounding
SEEN = 5 * ALIGNED  # what a form or an axis has of a direction, if it has any: more than rounding


def rigid_loops(tree: Tree, couplings: Collection[Coupling], q: Configuration) -> tuple[str, ...]:
    """The joints that close such loops, by name; of loops that are drawn closed, with these joints at zero."""
    if not tree.cuts:
        return ()
    parts = Tangle.of(tree, list(couplings)).parts()
    return tuple(dict.fromkeys(joint.name for part in parts if part.cuts for joint in _held(part, q)))


def fixed(joint: Joint) -> Joint:
    """The same, if it is held."""
    return replace(joint, kind="fixed", axes=(), thread_pitch=0.0)


def _held(part: Tangle, q: Configuration) -> Iterator[Joint]:
    if part.closed(q, part.couplings) is not q:
        return
    _, J, unit = part.scaled_rows(q, part.couplings)
    U, s, V = np.linalg.svd(J)
    sure, felt = (int((s > share * s.max(initial=0.0)).sum()) for share in (ALIGNED, WEAK))
    free = _normalized(V[sure:], np.abs(J[: 6 * len(part.cuts)]).max(axis=0) > ALIGNED)
    if not 0 < len(free) <= MOST_FREE or felt == len(U):
        return
    for form in _forms(U.T[felt:], _second_derivatives(part, q, free / unit)):
        stays = _held_directions(form)
        if stays is None:
            continue
        goes_on = (np.eye(len(free)) - stays.T @ stays) @ free
        yield from (cut for cut in part.cuts if _is_held(part, cut, q, stays @ free, goes_on))


def _normalized(free: Array, in_loops: Array) -> Array:
    """N, a direction each, of unit length in what moves loops: a gear's input turns fifty times as far."""
    A, s, _ = np.linalg.svd(free[:, in_loops], full_matrices=False)
    sure = s > ALIGNED
    directions: Array = (A.T @ free)[sure] / s[sure, None]
    return directions


def _second_derivatives(part: Tangle, q: Configuration, directions: Array) -> Array:
    """Half of C's along pairs of directions: (rows, n, n)."""

    def error(move: Array) -> Array:
        return part.scaled_rows(part.moved(q, NUDGE * move), part.couplings)[0]

    def square(move: Array) -> Array:
        return (error(move) + error(-move)) / (2 * NUDGE**2)

    n = len(directions)
    found = np.zeros((len(error(np.zeros(part.width))), n, n))
    for i, j in combinations_with_replacement(range(n), 2):
        a, b = directions[i], directions[j]
        found[:, i, j] = found[:, j, i] = square(a) if i == j else (square(a + b) - square(a - b)) / 4
    return found


def _forms(weak: Array, second: Array) -> Array:
    """u·C over the free directions, for as many combinations u as see something else each; and all by their traces.

    `Σ tr(F)·F` is the same in any basis of the combinations. Of forms a·aᵀ that share nothing it has one sign.
    """
    n = second.shape[-1]
    own = weak @ second.reshape(len(second), n * n)
    _, sizes, forms = np.linalg.svd(own, full_matrices=False)
    scaled: Array = (sizes[:, None] * forms).reshape(-1, n, n)
    traces = np.trace(scaled, axis1=1, axis2=2)
    share = traces / max(np.linalg.norm(traces), ALIGNED)
    return np.concatenate([scaled, np.tensordot(share, scaled, axes=1)[None]])


def _held_directions(form: Array) -> Array | None:
    """Directions that a form of one sign sees, as rows; None if it sees nothing, or has two signs."""
    if not form.size:
        return None
    values, vectors = np.linalg.eigh(form)
    largest = values[np.argmax(np.abs(values))]
    if abs(largest) < SEEN or (values / largest < -ALIGNED).any():
        return None
    seen: Array = vectors.T[values / largest > ALIGNED]
    return seen


def _is_held(part: Tangle, cut: Joint, q: Configuration, stays: Array, goes_on: Array) -> bool:
    columns = slice(part.first[cut.name], part.first[cut.name] + cut.dof)
    still = not any(q[cut.name]) and len(q[cut.name]) == cut.dof  # coordinates of a ball are not zero
    moves = np.linalg.norm(goes_on[:, columns]) > ALIGNED
    return still and not moves and bool(np.linalg.norm(stays[:, columns]) > SEEN)
