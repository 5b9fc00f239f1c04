"""Closed loops at a start: Newton's method brings a pose to where they close."""

from __future__ import annotations

import numpy as np

from gearwright.compiler import Kernel
from gearwright.diagnostics import Diagnostic
from gearwright.errors import SimulationError
from gearwright.model import Mechanism
from gearwright.model.kinematics import retract
from gearwright.sim.names import Names
from gearwright.sim.values import Array

CLOSED = 1e-12  # [m, rad]: what counts as closed
GOOD_ENOUGH = {8: 1e-9, 4: 1e-5}  # where rounding stops it, by the bytes of a number
DEPENDENT = 1e-3  # of the largest row; the step's own test is of squares, 1e-6
ATTEMPTS = 100
LARGEST = 0.3  # of a coordinate in one move, so that it does not jump to another assembly [rad, m]


def assembled(
    kernel: Kernel, robot: Mechanism, names: Names, parameter: Array, start: tuple[Array, Array], given: set[int]
) -> tuple[Array, Array]:
    """Positions and velocities with closed loops. What is given by name stays; the rest moves as little as it can.

    Raises SimulationError for a pose from which the loops cannot be closed.
    """
    rows = max(len(x) for x in (*start, parameter))
    q, v = (np.array(np.broadcast_to(x, (rows, x.shape[1]))) for x in start)
    columns = _velocities_of(names, given)
    for robot_index in range(rows):
        own = parameter[min(robot_index, len(parameter) - 1)]
        q[robot_index] = _closed(kernel, robot, names, own, q[robot_index], columns)
        _, J = _errors(kernel, names, own, q[robot_index])
        u = v[robot_index, list(names.free_velocities)]
        v[robot_index, list(names.free_velocities)] = u - np.linalg.lstsq(J, J @ u, rcond=1e-9)[0]
    return q, v


def redundant(kernel: Kernel, robot: Mechanism, names: Names, parameter: Array, q: Array) -> tuple[Diagnostic, ...]:
    """Tells of closure rows that others imply at the start, as in a planar loop of spatial joints."""
    _, J = _errors(kernel, names, parameter, q)
    scale = np.linalg.norm(J, axis=1).max(initial=0.0)
    extra = len(J) - int(np.linalg.matrix_rank(J, tol=DEPENDENT * scale)) if scale else len(J)
    if not extra:
        return ()
    loops = ", ".join(repr(j.name) for j in robot.tree.cuts)
    message = f"{extra} of the {len(J)} rows that close loops at {loops} are implied by the others, and are left out"
    return (Diagnostic(severity="info", code="redundant-rows", message=message),)


def _closed(kernel: Kernel, robot: Mechanism, names: Names, parameter: Array, q: Array, held: set[int]) -> Array:
    for _ in range(ATTEMPTS):
        error, J = _errors(kernel, names, parameter, q)
        if np.abs(error).max(initial=0.0) < CLOSED:
            return q
        J = J.copy()
        J[:, [n for n, k in enumerate(names.free_velocities) if k in held]] = 0.0
        du = -np.linalg.lstsq(J, error, rcond=1e-9)[0]
        du *= min(1.0, LARGEST / max(np.abs(du).max(initial=0.0), 1e-300))
        q = _moved(names, q, du)
    worst = float(np.abs(_errors(kernel, names, parameter, q)[0]).max())
    if worst < GOOD_ENOUGH[kernel.dtype.itemsize]:
        return q
    loops = ", ".join(repr(j.name) for j in robot.tree.cuts)
    raise SimulationError(
        f"the loop through {loops} cannot be closed from this pose: {worst:.3g} (m or rad) remain; "
        "give positions nearer to a closed one, or name fewer of them"
    )


def _errors(kernel: Kernel, names: Names, parameter: Array, q: Array) -> tuple[Array, Array]:
    found = kernel.evaluate({"position": q[list(names.free_positions)], "parameter": parameter})
    return found["error"], found["jacobian"]


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
