"""Closed loops at a start: positions that close them, and velocities that keep them closed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gearwright.compiler import Executable
from gearwright.diagnostics import Diagnostic
from gearwright.errors import SimulationError
from gearwright.model import Mechanism
from gearwright.model.loops.loop_system import ALIGNED
from gearwright.sim.reset.loop_branches import StartingPose, drawn_closed, led_to
from gearwright.sim.reset.loop_closure import KEPT, LoopClosure
from gearwright.sim.state.names import Names
from gearwright.sim.state.values import Array


def assembled(
    kernel: Executable, robot: Mechanism, names: Names, parameter: Array, start: tuple[Array, Array],
    given: tuple[Sequence[int], set[int]], drawn: Array,
) -> tuple[Array, Array, list[int]]:  # fmt: skip
    """Positions and velocities with closed loops. What is given by name stays; the rest moves as little as possible.

    Also returns the robots that may be in another branch than the file's, because no path leads from there to the given
    positions. Raises SimulationError for a pose from which the loops cannot be closed, and velocities that would open
    them.
    """
    rows = max(len(x) for x in (*start, parameter))
    q, v = (np.array(np.broadcast_to(x, (rows, x.shape[1]))) for x in start)
    closed: dict[bytes, Array | None] = {}  # the drawn pose, by parameters
    astray = []
    for robot_index in range(rows):
        own = parameter[min(robot_index, len(parameter) - 1)]
        loops = LoopClosure(kernel, names, own, ALIGNED if robot.mobility.overdetermined else 0.0)
        pose = q[robot_index]
        way = StartingPose(pose, given[0])
        if any(pose[i] != drawn[i] for i in given[0]) and np.isfinite(pose).all():
            if own.tobytes() not in closed:
                closed[own.tobytes()] = drawn_closed(loops, drawn)
            way = led_to(loops, drawn, closed[own.tobytes()], pose, given[0])
        astray += [] if way.drawn else [robot_index]
        q[robot_index] = _closed(loops, robot, way)
        free = list(names.free_velocities)
        v[robot_index, free] = _closing(names, loops.jacobian(q[robot_index]), v[robot_index, free], given[1])
    return q, v, astray


def _closed(loops: LoopClosure, robot: Mechanism, way: StartingPose) -> Array:
    """Closes loops from the pose itself; at a dead centre, from poses around it, preferably within limits."""
    moving = loops.moving(way.held)
    enough = loops.good_enough(loops.jacobian(way.pose))
    closed, worst = loops.approached(way.pose, moving)
    if worst < enough:
        return closed
    found: list[tuple[float, int, Array]] = []
    for start in loops.around(closed, moving):
        closed, error = loops.approached(start, moving)
        worst = min(worst, error)
        if error < enough:
            found.append((_beyond_limits(loops.names, closed), len(found), closed))
    if found:
        return min(found)[-1]
    cuts = ", ".join(repr(j.name) for j in robot.tree.cuts)
    raise SimulationError(
        f"the loop through {cuts} cannot be closed from this pose: {worst:.3g} (m or rad) remain; {way.advice}"
    )


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


def _beyond_limits(names: Names, q: Array) -> float:
    """By how much coordinates are beyond their limits, together."""
    beyond = 0.0
    for joint in names.joints:
        for name, axis in zip(joint.positions[len(joint.positions) - len(joint.axes) :], joint.axes, strict=True):
            x = q[names.positions.index[name]]
            beyond += max(axis.limits.lower - x, 0.0) + max(x - axis.limits.upper, 0.0)
    return beyond


def redundant(robot: Mechanism) -> tuple[Diagnostic, ...]:
    """Reports constraints of loops that others imply at every pose, as in a planar loop of spatial joints."""
    mobility, cuts = robot.mobility, robot.tree.cuts
    every = sum(6 if j.name in mobility.rigid else 6 - j.dof for j in cuts)
    extra = every - sum(len(mobility.kept[j.name]) for j in cuts)
    if not extra:
        return ()
    loops = ", ".join(repr(j.name) for j in cuts)
    message = f"{extra} of the {every} loop-closure constraints at {loops} are redundant and are left out"
    return (Diagnostic(severity="info", code="redundant-rows", message=message),)
