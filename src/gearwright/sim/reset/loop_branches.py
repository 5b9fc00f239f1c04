"""Which branch loops are assembled in: that of the initial configuration, from which given positions are moved to their
values.

    drawn pose ──▶ closed ──▶ stages of 0.1 rad, each closed by Newton's method ──▶ what is given

Where more positions are given than the loops leave free, these choose the branch themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gearwright.model.loops.loop_system import rank
from gearwright.sim.reset.loop_closure import KEPT, LoopClosure
from gearwright.sim.state.names import Names
from gearwright.sim.state.values import Array

STAGE = 0.1  # of a given coordinate's way, closed before the next [rad, m]
STAGES = 64  # at most, but for those that are halved; then they are longer
TYPED = 0.02  # so far may one be that follows from others, all given to two decimals [rad, m]
FURTHER = "give positions nearer to a closed one, or name fewer of them"


class StartingPose(NamedTuple):
    """A pose to close loops from, and which of the given positions are held there."""

    pose: Array
    held: Sequence[int]
    drawn: bool = True  # in the drawn branch, or in one that more positions choose
    advice: str = FURTHER  # where the loops cannot be closed from there


def drawn_closed(loops: LoopClosure, drawn: Array) -> Array | None:
    """The initial configuration with closed loops; None if they cannot be closed from there."""
    q, worst = loops.approached(drawn, loops.moving())
    return q if worst < loops.good_enough(loops.jacobian(q)) else None


def led_to(loops: LoopClosure, drawn: Array, closed: Array | None, q: Array, given: Sequence[int]) -> StartingPose:
    """The pose to close the loops from, in the file's branch if a path leads to the given positions.

    `closed`: the initial configuration with closed loops. If more is given than the loops leave free, that selects the
    branch, and q itself is the pose.
    """
    error, J = loops.errors(q)
    if closed is None or np.abs(error).max(initial=0.0) < loops.good_enough(J):
        return StartingPose(q, given)
    J = loops.jacobian(closed)
    in_loops = _positions_in_loops(loops.names, J)
    if not any(i in in_loops and q[i] != closed[i] for i in given):
        return StartingPose(q, given)
    free = _not_implied(loops, J, given)
    if len(free) < len(given):
        return _chosen(loops, q, given, free)
    goal = closed + (q - drawn)  # what follows the given ones by couplings goes with them
    goal[list(given)] = q[list(given)]
    found = _continued(loops, _on_the_same_side(loops.names, closed, goal), goal, given, in_loops)
    return StartingPose(q, given, drawn=False) if found is None else StartingPose(found, given)


def _continued(loops: LoopClosure, start: Array, goal: Array, given: Sequence[int], in_loops: set[int]) -> Array | None:
    """Moves the given coordinates straight to the goal, with closed loops all the way; None if that is not possible."""
    moving, held = loops.moving(given), list(given)
    far = max(abs(goal[i] - start[i]) for i in given if i in in_loops)
    longest = 1.0 / max(1.0, min(np.ceil(far / STAGE), STAGES))
    q, at, step, rate = start, 0.0, longest, goal - start
    while at < 1.0:
        after = 1.0 if at + step > 1.0 - longest / STAGES else at + step
        pose = q + (after - at) * rate
        pose[held] = goal[held] if after == 1.0 else start[held] + after * (goal - start)[held]
        closed = loops.followed(_unit(loops.names, pose), moving)
        if closed is None:
            step /= 2.0
            if step < longest / STAGES:
                return None
            continue
        q, rate = closed, (closed - q) / (after - at)
        at, step = after, min(2.0 * step, longest)
    return loops.followed(q, moving)  # once more: closed to rounding


def _chosen(loops: LoopClosure, q: Array, given: Sequence[int], free: list[int]) -> StartingPose:
    """Holds all given positions if they agree; only the free ones if the others then end up near the given values."""
    closed, worst = loops.approached(q, loops.moving(given))
    enough = loops.good_enough(loops.jacobian(closed))
    if worst < enough:
        return StartingPose(q, given)
    nearest, worst = loops.approached(closed, loops.moving(free))
    if worst >= enough:
        return StartingPose(q, given)
    others = [i for i in given if i not in free]
    if np.abs(nearest - q)[others].max() <= TYPED:
        return StartingPose(closed, free)
    there = ", ".join(f"{loops.names.positions.names[i]!r} at {round(nearest[i], 9) + 0.0:.4g}" for i in others)
    advice = f"positions named first put {there}: give that to two decimals, or leave it out for the drawn branch"
    return StartingPose(q, given, advice=advice)


def _not_implied(loops: LoopClosure, J: Array, given: Sequence[int]) -> list[int]:
    """Those that loops leave free, once those before them are given."""
    kept: list[int] = []
    rows = J / (np.abs(J).max(initial=0.0) or 1.0)
    for i in given:
        if rank(rows[:, loops.moving([*kept, i])]) == rank(rows):
            kept.append(i)
    return kept


def _positions_in_loops(names: Names, J: Array) -> set[int]:
    """Positions of joints that move the closures."""
    column, scale = np.zeros(len(names.coordinates.names)), np.abs(J).max(initial=0.0)
    column[list(names.free_velocities)] = np.abs(J).max(axis=0, initial=0.0)
    found, i, k = set(), 0, 0
    for joint in names.joints:
        nq, nv = len(joint.positions), joint.dof
        if (column[k : k + nv] > KEPT * scale).any():
            found |= set(range(i, i + nq))
        i, k = i + nq, k + nv
    return found


def _unit(names: Names, q: Array) -> Array:
    for quaternion in names.quaternions:
        q[quaternion] /= np.linalg.norm(q[quaternion]) or 1.0
    return q


def _on_the_same_side(names: Names, q: Array, goal: Array) -> Array:
    """The same rotations by the quaternions that are nearer to the goal's."""
    q = q.copy()
    for quaternion in names.quaternions:
        q[quaternion] *= -1.0 if q[quaternion] @ goal[quaternion] < 0.0 else 1.0
    return q
