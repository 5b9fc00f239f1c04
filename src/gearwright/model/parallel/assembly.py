"""A robot's constraints in numbers: loops, couplings and transmissions over all velocities, at an assembled pose."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.couplings import Coupling
from gearwright.model.joints import WORLD, AxisRef
from gearwright.model.loops.loop_system import ALIGNED, ATTEMPTS, STILL, STRAY, LoopSystem, least_squares
from gearwright.model.loops.mobility import fixed
from gearwright.model.poses import Array
from gearwright.model.tree.kinematics import Configuration, carried, link_poses, subspace
from gearwright.model.tree.topology import Components

if TYPE_CHECKING:
    from gearwright.model.mechanism import Mechanism

Position = Mapping[str, float | Sequence[float]]
TWIST = ("rx", "ry", "rz", "x", "y", "z")  # of a link, in the world's axes, at its origin
STAGE = 0.1  # of a given coordinate's way, closed before the next: it does not leave the branch of the file [rad, m]


@dataclass(frozen=True)
class Constraints:
    """Loops and couplings of a robot, over the velocities of the tree and of the joints that close loops."""

    robot: Mechanism
    system: LoopSystem
    couplings: list[Coupling]

    @staticmethod
    def of(robot: Mechanism) -> Constraints:
        robot = robot.without_contradictions()
        tree, rigid, couplings = robot.tree, robot.mobility.rigid, list(robot.couplings.values())
        cuts = tuple(fixed(j, rigid[j.name]) if j.name in rigid else j for j in tree.cuts)
        joints = [*tree.joints, *cuts]
        first = dict(zip((j.name for j in joints), accumulate((j.dof for j in joints), initial=0), strict=False))
        system = LoopSystem(tree=tree, cuts=cuts, couplings=couplings, joints=joints, first=first)
        return Constraints(robot, system, couplings)

    def column(self, coordinate: str) -> int | None:
        """Place of a velocity, by its name."""
        for j in self.system.joints:
            if coordinate in j.coordinates:
                return self.system.first[j.name] + j.coordinates.index(coordinate)
            if coordinate in map(str, j.refs):
                return self.system.first[j.name] + list(map(str, j.refs)).index(coordinate)
        return None

    def columns(self, joints: Collection[str]) -> list[int]:
        return np.flatnonzero(self.system.mask(joints)).tolist()

    def components(self) -> Components:
        """Joints that move together: by a loop, a coupling or a transmission."""
        together = Components()
        for cut in self.system.cuts:
            for name in self.system.loop_joints(cut):
                together.join(cut.name, name)
        for c in self.couplings:
            for t in c.leaders:
                together.join(c.follower.joint, t.axis.joint)
        for transmission in self.robot.acting.values():
            for axis in transmission.joints:
                together.join(transmission.joints[0].joint, axis.joint)
        return together

    # --- rows ------------------------------------------------------------------------------------------------------

    def driven_axes(self, actuator: str) -> tuple[AxisRef, ...]:
        """Axes that an actuator acts on, through its transmission or directly; none where nothing connects it."""
        axis, t = self.robot.actuators[actuator].joint, self.robot.acting.get(actuator)
        if t is not None:
            return t.joints
        return (axis,) if axis is not None and self.robot.has_axis(axis) else ()

    def actuator_rows(self, q: Configuration) -> dict[str, Array]:
        """Velocities of the actuators that are connected, over all velocities."""
        return {a: self._actuator_row(a, q) for a in self.robot.actuators if self.driven_axes(a)}

    def _actuator_row(self, name: str, q: Configuration) -> Array:
        row, axes, t = np.zeros(self.system.width), self.driven_axes(name), self.robot.acting.get(name)
        ratios: Sequence[float] = (1.0,)
        if t is not None and t.map is not None:
            if t.map.by_effort:
                raise ModelError(f"transmission {t.name!r} is a function of efforts: {name!r} has no velocity")
            try:
                A = t.map.actuator_per_joint_at([q[axis.joint][axis.index] for axis in axes])
            except ModelError as error:
                raise ModelError(f"transmission {t.name!r}: {error}") from None
            ratios = A[t.actuators.index(name)].tolist()
        for axis, ratio in zip(axes, ratios, strict=True):
            row[self.system.column(axis)] += ratio
        return row

    def link_row(self, link: str, part: str, q: Configuration) -> Array:
        """A component of a link's velocity over all velocities: world axes, at its origin."""
        J, p = self._link_twists(q)[link], link_poses(self.system.tree, q)[link].p
        twist = np.vstack([J[:3], J[3:] - np.cross(p, J[:3], axis=0)])
        return np.asarray(twist[TWIST.index(part)])

    def _link_twists(self, q: Configuration) -> dict[str, Array]:
        """By link, its twist over all velocities, (6, width): angular, and linear at the world's origin."""
        X_W = link_poses(self.system.tree, q)
        twists = {WORLD: np.zeros((6, self.system.width))}
        for b in self.system.tree.branches:
            j = b.joint
            S = carried(X_W[j.parent] @ j.X_PJ, subspace(j, q[j.name]))
            J = twists[b.parent].copy()
            J[:, self.columns([j.name])] += -S if b.backward else S
            twists[b.link] = J
        return twists

    def mass_matrix(self, q: Configuration) -> Array:
        """Over all velocities: links, armatures and rotors, these with their speed against their housing."""
        M = np.zeros((self.system.width, self.system.width))
        X_W, twists = link_poses(self.system.tree, q), self._link_twists(q)
        for name, link in self.robot.links.items():
            if name not in X_W:
                continue
            J, R = twists[name], X_W[name].R
            w, v = J[:3], J[3:] - np.cross(R @ link.inertia.center + X_W[name].p, J[:3], axis=0)
            M += link.inertia.mass * v.T @ v + w.T @ (R @ link.inertia.tensor @ R.T) @ w
        for j in self.system.joints:
            for name, axis in zip(j.axis_coordinates, j.axes, strict=True):
                k = self.system.first[j.name] + j.coordinates.index(name)
                M[k, k] += axis.dynamics.armature
        for name, row in self.actuator_rows(q).items():
            M += self.robot.actuators[name].rotor_inertia * np.outer(row, row)
        return M

    # --- poses -----------------------------------------------------------------------------------------------------

    def assembled(self, position: Position | None) -> Configuration:
        """The pose with these positions and closed loops, led there from the initial configuration.

        More positions than there are degrees of freedom, such as a simulation's, choose the branch themselves.
        Raises ModelError where loops cannot be closed.
        """
        start, goal = self.robot.configuration(), self.robot.configuration(position)
        if self._error(goal) < STILL:
            return goal
        named = set(position or {})
        held = self._held(named)
        if len(held) > self.robot.dof:
            return self._closed(goal, held)
        q = self.system.closed(start, self.couplings)
        if q is None:
            raise self._not_closed(start)
        given = [
            (j.name, i, q[j.name][i], goal[j.name][i])
            for j in self.system.joints
            for i, name in enumerate(j.positions)
            if name in named or j.name in named
        ]
        stages = max(1, ceil(max((abs(b - a) for *_, a, b in given), default=0.0) / STAGE))
        for k in range(1, stages + 1):
            pose = {name: list(x) for name, x in q.items()}
            for name, i, a, b in given:
                pose[name][i] = a + (b - a) * k / stages
            q = self._closed({name: tuple(x) for name, x in pose.items()}, held)
        return q

    def _held(self, named: Collection[str]) -> list[int]:
        """Columns of what is given; of a rotation by a quaternion, of all its joint."""
        found = []
        for j in self.system.joints:
            names = set(j.positions) if j.name in named else set(j.positions) & set(named)
            whole = bool(names - set(j.coordinates))
            found += [self.system.first[j.name] + i for i, c in enumerate(j.coordinates) if whole or c in names]
        return found

    def _closed(self, q: Configuration, held: Sequence[int]) -> Configuration:
        """Newton's method on what is not held."""
        free = np.setdiff1d(np.arange(self.system.width), held)
        for _ in range(ATTEMPTS):
            error, J, unit = self.system.scaled_rows(q, self.couplings)
            move = np.zeros(self.system.width)
            move[free] = -least_squares(J[:, free], error)
            largest = np.abs(move).max(initial=0.0)
            q = self.system.moved(q, move / unit * min(1.0, STRAY / max(largest, STILL)))
            if largest < STILL:
                break
        if not self._error(q) < ALIGNED:
            raise self._not_closed(q)
        return {name: tuple(map(float, x)) for name, x in q.items()}

    def _error(self, q: Configuration) -> float:
        error = self.system.scaled_rows(q, self.couplings).error
        return float(np.abs(error).max(initial=0.0)) if np.isfinite(error).all() else np.inf

    def _not_closed(self, q: Configuration) -> ModelError:
        loops = ", ".join(repr(j.name) for j in self.system.cuts) or "couplings"
        return ModelError(
            f"the loop through {loops} cannot be closed at the given positions: {self._error(q):.3g} (rad, lengths of "
            "the loop) remain; give one position per degree of freedom, within reach"
        )
