"""Closed loops at a start: what is given is led there from the drawn pose, and Newton's method closes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gearwright.compiler import Executable
from gearwright.diagnostics import Diagnostic
from gearwright.errors import SimulationError
from gearwright.model import Mechanism
from gearwright.model.kinematics import retract
from gearwright.model.layout import StepSlot
from gearwright.sim.names import Names
from gearwright.sim.values import Array

CLOSED = 1e-12  # [m, rad]: what counts as closed
GOOD_ENOUGH = {8: 1e-9, 4: 1e-5}  # where rounding stops it, by the bytes of a number; for slopes of one
ROUNDING = 4  # eps of the steepest slope: the error that a coordinate's last bits make (a screw of a long pitch)
DEPENDENT = 1e-3  # of the largest row: what the file's rounding makes of a row that is none
KEPT = 1e-6  # of the largest velocity: what opens loops by no more is rounding, of the file's numbers and ours
ATTEMPTS = 100
STARTS = 10
LARGEST = 0.3  # of a coordinate in one move, so that it does not jump to another assembly [rad, m]
STAGE = 0.1  # of a given coordinate's way, closed before the next [rad, m]
STAGES = 64  # at most, but for those that are halved; then they are longer
FURTHER = "give positions nearer to a closed one, or name fewer of them"
FOLLOWED = 1e-4  # a move of a stage that is its last; the next would be about the square [rad, m]
TYPED = 0.02  # so far may one be that follows from others, all given to two decimals [rad, m]


class _Way(NamedTuple):
    """A pose to close loops from, and what of the given positions is held there."""

    pose: Array
    held: Sequence[int]
    drawn: bool = True  # in the drawn branch, or in one that more positions choose
    advice: str = FURTHER  # where the loops cannot be closed from there


def assembled(
    kernel: Executable, robot: Mechanism, names: Names, parameter: Array, start: tuple[Array, Array],
    given: tuple[Sequence[int], set[int]], drawn: Array,
) -> tuple[Array, Array, list[int]]:  # fmt: skip
    """Positions and velocities with closed loops. What is given by name stays; the rest moves as little as it can.

    Also the robots that may be in another branch than the drawn one: no way leads from there to what is given.
    Raises SimulationError for a pose from which the loops cannot be closed, and velocities that would open them.
    """
    rows = max(len(x) for x in (*start, parameter))
    q, v = (np.array(np.broadcast_to(x, (rows, x.shape[1]))) for x in start)
    closed: dict[bytes, Array | None] = {}  # the drawn pose, by parameters
    astray = []
    for robot_index in range(rows):
        own = parameter[min(robot_index, len(parameter) - 1)]
        pose = q[robot_index]
        way = _Way(pose, given[0])
        if any(pose[i] != drawn[i] for i in given[0]) and np.isfinite(pose).all():
            if own.tobytes() not in closed:
                closed[own.tobytes()] = _drawn_closed(kernel, names, own, drawn)
            way = _led_to(kernel, names, own, (drawn, closed[own.tobytes()]), pose, given[0])
        astray += [] if way.drawn else [robot_index]
        held = _velocities_of(names, way.held)
        q[robot_index] = _closed(kernel, robot, names, own, way.pose, held, way.advice)
        _, J = _errors(kernel, names, own, q[robot_index])
        free = list(names.free_velocities)
        v[robot_index, free] = _closing(names, J, v[robot_index, free], given[1])
    return q, v, astray


def _closing(names: Names, J: Array, u: Array, given: set[int]) -> Array:
    """Velocities that keep loops closed, those that are given among them."""
    moving = [n for n, k in enumerate(names.free_velocities) if k not in given]
    u = u.copy()
    u[moving] -= np.linalg.lstsq(J[:, moving], J @ u, rcond=1e-9)[0]
    opens = np.abs(J @ u).max(initial=0.0)
    if opens > KEPT * max(1.0, np.abs(u).max(initial=0.0)):
        raise SimulationError(
            f"loops cannot move with the velocities that are given: they open at {opens:.3g} m/s or rad/s"
        )
    return u


def redundant(kernel: Executable, robot: Mechanism, names: Names, parameter: Array, q: Array) -> tuple[Diagnostic, ...]:
    """Tells of closure rows that others imply at the start, as in a planar loop of spatial joints."""
    _, J = _errors(kernel, names, parameter, q)
    scale = np.linalg.norm(J, axis=1).max(initial=0.0)
    wanted = sum(6 - j.dof for j in robot.tree.cuts)
    extra = wanted - (int(np.linalg.matrix_rank(J, tol=DEPENDENT * scale)) if scale else 0)
    if not extra:
        return ()
    loops = ", ".join(repr(j.name) for j in robot.tree.cuts)
    message = f"{extra} of the {wanted} rows that close loops at {loops} are implied by the others, and are left out"
    return (Diagnostic(severity="info", code="redundant-rows", message=message),)


def _closed(
    kernel: Executable,
    robot: Mechanism,
    names: Names,
    parameter: Array,
    q: Array,
    held: set[int],
    advice: str = FURTHER,
) -> Array:
    """From the pose itself; from a dead centre, where no way leads on, from poses around it, best within limits."""
    moving = _moving(names, held)
    enough = _good_enough(kernel, _errors(kernel, names, parameter, q)[1])
    closed, worst = _approached(kernel, names, parameter, q, moving)
    if worst < enough:
        return closed
    found: list[tuple[float, int, Array]] = []
    for start in _around(kernel, names, parameter, closed, moving):
        closed, error = _approached(kernel, names, parameter, start, moving)
        worst = min(worst, error)
        if error < enough:
            found.append((_beyond_limits(names, closed), len(found), closed))
    if found:
        return min(found)[-1]
    loops = ", ".join(repr(j.name) for j in robot.tree.cuts)
    raise SimulationError(
        f"the loop through {loops} cannot be closed from this pose: {worst:.3g} (m or rad) remain; {advice}"
    )


def _drawn_closed(kernel: Executable, names: Names, parameter: Array, drawn: Array) -> Array | None:
    """The drawn pose with closed loops, None where they cannot be closed from there."""
    q, worst = _approached(kernel, names, parameter, drawn, list(range(len(names.free_velocities))))
    return q if worst < _good_enough(kernel, _errors(kernel, names, parameter, q)[1]) else None


def _led_to(
    kernel: Executable, names: Names, parameter: Array, drawn: tuple[Array, Array | None], q: Array,
    given: Sequence[int],
) -> _Way:  # fmt: skip
    """From where to close the loops, in the drawn branch where a way leads to what is given.

    Where more is given than the loops leave free, that chooses the branch, and q itself is the pose.
    """
    error, J = _errors(kernel, names, parameter, q)
    start = drawn[1]
    if start is None or np.abs(error).max(initial=0.0) < _good_enough(kernel, J):
        return _Way(q, given)
    J = _errors(kernel, names, parameter, start)[1]
    in_loops = _positions_in_loops(names, J)
    if not any(i in in_loops and q[i] != start[i] for i in given):
        return _Way(q, given)
    free = _not_implied(names, J, given)
    if len(free) < len(given):
        return _chosen(kernel, names, parameter, q, given, free)
    goal = start + (q - drawn[0])  # what follows the given ones by couplings goes with them
    goal[list(given)] = q[list(given)]
    start = _on_the_same_side(names, start, goal)
    found = _continued(kernel, names, parameter, start, goal, given, in_loops)
    return _Way(q, given, drawn=False) if found is None else _Way(found, given)


def _continued(
    kernel: Executable, names: Names, parameter: Array, start: Array, goal: Array, given: Sequence[int],
    in_loops: set[int],
) -> Array | None:  # fmt: skip
    """Leads the given coordinates straight to the goal, with closed loops all the way; None where no way leads on."""
    moving, held = _moving(names, _velocities_of(names, given)), list(given)
    far = max(abs(goal[i] - start[i]) for i in given if i in in_loops)
    longest = 1.0 / min(np.ceil(far / STAGE), STAGES)
    q, at, step, rate = start, 0.0, longest, goal - start
    while at < 1.0:
        after = 1.0 if at + step > 1.0 - longest / STAGES else at + step
        pose = q + (after - at) * rate
        pose[held] = goal[held] if after == 1.0 else start[held] + after * (goal - start)[held]
        closed = _followed(kernel, names, parameter, _unit(names, pose), moving)
        if closed is None:
            step /= 2.0
            if step < longest / STAGES:
                return None
            continue
        q, rate = closed, (closed - q) / (after - at)
        at, step = after, min(2.0 * step, longest)
    return _followed(kernel, names, parameter, q, moving)  # once more: closed to rounding


def _followed(kernel: Executable, names: Names, parameter: Array, q: Array, moving: list[int]) -> Array | None:
    """By Newton's method with moves that at least halve, which do not leave a branch; None where they do not."""
    allowed = LARGEST
    while True:
        error, J = _errors(kernel, names, parameter, q)
        du = _newton(names, error, J, moving, float(np.abs(error).max(initial=0.0)))
        largest = np.abs(du).max(initial=0.0)
        if not largest <= allowed:
            return None
        q, allowed = _moved(names, q, du), largest / 2.0
        if largest < FOLLOWED:
            return q


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


def _chosen(
    kernel: Executable, names: Names, parameter: Array, q: Array, given: Sequence[int], free: list[int]
) -> _Way:
    """Holds all that are given, where they agree; only the free ones, where the others are then near what is given."""
    closed, worst = _approached(kernel, names, parameter, q, _moving(names, _velocities_of(names, given)))
    enough = _good_enough(kernel, _errors(kernel, names, parameter, closed)[1])
    if worst < enough:
        return _Way(q, given)
    nearest, worst = _approached(kernel, names, parameter, closed, _moving(names, _velocities_of(names, free)))
    if worst >= enough:
        return _Way(q, given)
    others = [i for i in given if i not in free]
    if np.abs(nearest - q)[others].max() <= TYPED:
        return _Way(closed, free)
    there = ", ".join(f"{names.positions.names[i]!r} at {round(nearest[i], 9) + 0.0:.4g}" for i in others)
    advice = f"positions named first put {there}: give that to two decimals, or leave it out for the drawn branch"
    return _Way(q, given, advice=advice)


def _not_implied(names: Names, J: Array, given: Sequence[int]) -> list[int]:
    """Those that loops leave free, once those before them are given."""
    kept: list[int] = []
    left, scale = J[:, _moving(names, _velocities_of(names, kept))], np.abs(J).max(initial=0.0)
    rank = np.linalg.matrix_rank(left, tol=DEPENDENT * scale)
    for i in given:
        moving = _moving(names, _velocities_of(names, [*kept, i]))
        if np.linalg.matrix_rank(J[:, moving], tol=DEPENDENT * scale) == rank:
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


def _good_enough(kernel: Executable, J: Array) -> float:
    steepest = float(np.abs(J).max(initial=0.0))
    return max(GOOD_ENOUGH[kernel.dtype.itemsize], ROUNDING * float(np.finfo(kernel.dtype).eps) * steepest)


def _around(kernel: Executable, names: Names, parameter: Array, q: Array, moving: list[int]) -> Iterator[Array]:
    """Poses ever further away, by the coordinates of those loops alone that are open."""
    rng = np.random.default_rng(0)
    error, J = _errors(kernel, names, parameter, q)
    still_open = np.abs(error) > _good_enough(kernel, J)
    in_loops = [n for n in moving if J[still_open, n].any()]
    for far in np.geomspace(1e-2, 1.0, STARTS) * LARGEST:
        away = np.zeros(len(names.free_velocities))
        away[in_loops] = rng.uniform(-far, far, len(in_loops))
        yield _moved(names, q, away)


def _beyond_limits(names: Names, q: Array) -> float:
    """By how much coordinates are beyond their limits, together."""
    beyond = 0.0
    for joint in names.joints:
        for name, axis in zip(joint.positions[len(joint.positions) - len(joint.axes) :], joint.axes, strict=True):
            x = q[names.positions.index[name]]
            beyond += max(axis.limits.lower - x, 0.0) + max(x - axis.limits.upper, 0.0)
    return beyond


def _approached(kernel: Executable, names: Names, parameter: Array, q: Array, moving: list[int]) -> tuple[Array, float]:
    """By Levenberg and Marquardt, damped by the error itself: quadratic in the end. Also what is left."""
    for _ in range(ATTEMPTS):
        error, J = _errors(kernel, names, parameter, q)
        worst = np.abs(error).max(initial=0.0)
        if worst < CLOSED:
            break
        du = _newton(names, error, J, moving, np.sqrt(worst))
        largest = np.abs(du).max(initial=0.0)
        if largest < CLOSED:  # as near as it gets from here
            break
        q = _moved(names, q, du * min(1.0, LARGEST / largest))
    return q, float(np.abs(_errors(kernel, names, parameter, q)[0]).max(initial=0.0))


def _newton(names: Names, error: Array, J: Array, moving: list[int], damping: float) -> Array:
    damped = np.vstack([J[:, moving], damping * np.eye(len(moving))])
    du = np.zeros(len(names.free_velocities))
    du[moving] = -np.linalg.lstsq(damped, np.concatenate([error, np.zeros(len(moving))]), rcond=None)[0]
    return du


def _errors(kernel: Executable, names: Names, parameter: Array, q: Array) -> tuple[Array, Array]:
    found = kernel.evaluate({StepSlot.POSITION: q[list(names.free_positions)], StepSlot.PARAMETER: parameter})
    error = found["error"].reshape(-1)
    return error, found["jacobian"].reshape(len(error), len(names.free_velocities))


def _moving(names: Names, held: set[int]) -> list[int]:
    return [n for n, k in enumerate(names.free_velocities) if k not in held]


def _velocities_of(names: Names, positions: Iterable[int]) -> set[int]:
    """The velocity coordinates that would move the positions: of the same name, or all of a quaternion's joint."""
    given = {names.positions.names[i] for i in positions}
    held = {k for k, name in enumerate(names.coordinates.names) if name in given}
    for joint in names.joints:
        if any(f"{joint.name}.{part}" in given for part in ("qw", "qx", "qy", "qz")):
            held |= {names.coordinates.index[c] for c in joint.coordinates if c[-2:] in ("rx", "ry", "rz")}
    return held


def _moved(names: Names, q: Array, du: Array) -> Array:
    """q ⊕ du; followers stay, they are no part of the state."""
    full = np.zeros(len(names.coordinates.names))
    full[list(names.free_velocities)] = du
    new, i, k = q.copy(), 0, 0
    for joint in names.joints:
        nq, nv = len(joint.positions), joint.dof
        new[i : i + nq] = retract(joint, q[i : i + nq].tolist(), full[k : k + nv])
        i, k = i + nq, k + nv
    return new
