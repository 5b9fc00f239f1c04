"""How far a pose is from closing a robot's loops, and Newton's method towards one that closes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.compiler import Executable
from gearwright.model.layout.slots import StepSlot
from gearwright.model.tree.kinematics import retract
from gearwright.sim.state.names import Names
from gearwright.sim.state.values import Array

CLOSED = 1e-12  # [m, rad]: what counts as closed
GOOD_ENOUGH = {8: 1e-9, 4: 1e-5}  # where rounding stops it, by the bytes of a number; for slopes of one
ROUNDING = 4  # eps of the steepest slope: the error that a coordinate's last bits make (a screw of a long pitch)
KEPT = 1e-6  # of the largest velocity: what opens loops by no more is rounding, of the file's numbers and ours
ATTEMPTS = 100
STARTS = 10
LARGEST = 0.3  # of a coordinate in one move, so that it does not jump to another assembly [rad, m]
FOLLOWED = 1e-4  # a move of a stage that is its last; the next would be about the square [rad, m]


@dataclass(frozen=True)
class LoopClosure:
    """The loops of one robot, by the kernel that evaluates them.

    Positions are all of the robot's; `moving` are indices among the free velocities, of those that may change.
    """

    kernel: Executable
    names: Names
    parameter: Array
    misfit: float = 0.0  # by which rows of overdetermined loops may disagree [m, rad]; also the least damping

    def errors(self, q: Array) -> tuple[Array, Array]:
        """C and J = ∂C over the free velocities."""
        free = q[list(self.names.free_positions)]
        found = self.kernel.evaluate({StepSlot.POSITION: free, StepSlot.PARAMETER: self.parameter})
        error = found["error"].reshape(-1)
        return error, found["jacobian"].reshape(len(error), len(self.names.free_velocities))

    def jacobian(self, q: Array) -> Array:
        return self.errors(q)[1]

    def good_enough(self, J: Array) -> float:
        """The error that rounding may leave [m, rad]."""
        steepest = float(np.abs(J).max(initial=0.0))
        least = GOOD_ENOUGH[self.kernel.dtype.itemsize]
        return max(least, ROUNDING * float(np.finfo(self.kernel.dtype).eps) * steepest, self.misfit)

    def moving(self, held: Iterable[int] = ()) -> list[int]:
        """Those that do not move a position that is held."""
        velocities = velocities_of(self.names, held)
        return [n for n, k in enumerate(self.names.free_velocities) if k not in velocities]

    def approached(self, q: Array, moving: Sequence[int]) -> tuple[Array, float]:
        """By Levenberg and Marquardt, damped by the error itself: quadratic in the end. Also what is left."""
        for _ in range(ATTEMPTS):
            error, J = self.errors(q)
            worst = np.abs(error).max(initial=0.0)
            if worst < CLOSED:
                break
            du = _newton(error, J, moving, max(np.sqrt(worst), self.misfit))
            largest = np.abs(du).max(initial=0.0)
            if largest < CLOSED:  # as near as it gets from here
                break
            q = moved(self.names, q, du * min(1.0, LARGEST / largest))
        return q, float(np.abs(self.errors(q)[0]).max(initial=0.0))

    def followed(self, q: Array, moving: Sequence[int]) -> Array | None:
        """By Newton's method with moves that at least halve, so that they do not leave a branch; None if they do not
        halve."""
        allowed = LARGEST
        while True:
            error, J = self.errors(q)
            du = _newton(error, J, moving, max(float(np.abs(error).max(initial=0.0)), self.misfit))
            largest = np.abs(du).max(initial=0.0)
            if not largest <= allowed:
                return None
            q, allowed = moved(self.names, q, du), largest / 2.0
            if largest < FOLLOWED:
                return q

    def around(self, q: Array, moving: Sequence[int]) -> Iterator[Array]:
        """Poses ever further away, by the coordinates of those loops alone that are open."""
        rng = np.random.default_rng(0)
        error, J = self.errors(q)
        still_open = np.abs(error) > self.good_enough(J)
        in_loops = [n for n in moving if J[still_open, n].any()]
        for far in np.geomspace(1e-2, 1.0, STARTS) * LARGEST:
            away = np.zeros(len(self.names.free_velocities))
            away[in_loops] = rng.uniform(-far, far, len(in_loops))
            yield moved(self.names, q, away)


def _newton(error: Array, J: Array, moving: Sequence[int], damping: float) -> Array:
    columns = list(moving)
    damped = np.vstack([J[:, columns], damping * np.eye(len(columns))])
    du = np.zeros(J.shape[1])
    du[columns] = -np.linalg.lstsq(damped, np.concatenate([error, np.zeros(len(columns))]), rcond=None)[0]
    return du


def velocities_of(names: Names, positions: Iterable[int]) -> set[int]:
    """The velocity coordinates that would move the positions: of the same name, or all of a quaternion's joint."""
    given = {names.positions.names[i] for i in positions}
    if not given:
        return set()
    found = {k for k, name in enumerate(names.coordinates.names) if name in given}
    for joint in names.joints:
        if any(f"{joint.name}.{part}" in given for part in ("qw", "qx", "qy", "qz")):
            found |= {names.coordinates.index[c] for c in joint.coordinates if c[-2:] in ("rx", "ry", "rz")}
    return found


def moved(names: Names, q: Array, du: Array) -> Array:
    """q ⊕ du; followers stay, they are no part of the state."""
    full = np.zeros(len(names.coordinates.names))
    full[list(names.free_velocities)] = du
    new, i, k = q.copy(), 0, 0
    for joint in names.joints:
        nq, nv = len(joint.positions), joint.dof
        new[i : i + nq] = retract(joint, q[i : i + nq].tolist(), full[k : k + nv])
        i, k = i + nq, k + nv
    return new
