"""Closed loops at a start: Newton's method brings a pose to where they close."""

from __future__ import annotations

from collections.abc import Iterator

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


def assembled(
    kernel: Executable, robot: Mechanism, names: Names, parameter: Array, start: tuple[Array, Array],
    given: tuple[set[int], set[int]],
) -> tuple[Array, Array]:  # fmt: skip
    """Positions and velocities with closed loops. What is given by name stays; the rest moves as little as it can.

    Raises SimulationError for a pose from which the loops cannot be closed, and velocities that would open them.
    """
    rows = max(len(x) for x in (*start, parameter))
    q, v = (np.array(np.broadcast_to(x, (rows, x.shape[1]))) for x in start)
    columns = _velocities_of(names, given[0])
    for robot_index in range(rows):
        own = parameter[min(robot_index, len(parameter) - 1)]
        q[robot_index] = _closed(kernel, robot, names, own, q[robot_index], columns)
        _, J = _errors(kernel, names, own, q[robot_index])
        free = list(names.free_velocities)
        v[robot_index, free] = _closing(names, J, v[robot_index, free], given[1])
    return q, v


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


def _closed(kernel: Executable, robot: Mechanism, names: Names, parameter: Array, q: Array, held: set[int]) -> Array:
    """From the pose itself; from a dead centre, where no way leads on, from poses around it, best within limits."""
    moving = [n for n, k in enumerate(names.free_velocities) if k not in held]
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
        f"the loop through {loops} cannot be closed from this pose: {worst:.3g} (m or rad) remain; "
        "give positions nearer to a closed one, or name fewer of them"
    )


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
        damped = np.vstack([J[:, moving], np.sqrt(worst) * np.eye(len(moving))])
        du = np.zeros(len(names.free_velocities))
        du[moving] = -np.linalg.lstsq(damped, np.concatenate([error, np.zeros(len(moving))]), rcond=None)[0]
        largest = np.abs(du).max(initial=0.0)
        if largest < CLOSED:  # as near as it gets from here
            break
        q = _moved(names, q, du * min(1.0, LARGEST / largest))
    return q, float(np.abs(_errors(kernel, names, parameter, q)[0]).max(initial=0.0))


def _errors(kernel: Executable, names: Names, parameter: Array, q: Array) -> tuple[Array, Array]:
    found = kernel.evaluate({StepSlot.POSITION: q[list(names.free_positions)], StepSlot.PARAMETER: parameter})
    error = found["error"].reshape(-1)
    return error, found["jacobian"].reshape(len(error), len(names.free_velocities))


def _velocities_of(names: Names, positions: set[int]) -> set[int]:
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
