"""Motors and outputs of a robot at one pose: how velocities, efforts, inertia and limits map from one to the other.

N are the motions that loops and couplings leave, u their speeds, J_a and J_j the rows of actuators and outputs:

    v_a = J_a·N·u      v_j = J_j·N·u      A = (J_a·N)·(J_j·N)⁻¹      v_a = A·v_j      τ_j = Aᵀ·τ_a

Motions that move neither, such as a rod's spin between two ball joints, are free: the remaining inertia is a Schur
complement. At a singular pose, J_a·N or J_j·N has no inverse, and queries that need it are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_names import checked_names
from gearwright.model.loops.loop_system import null_space
from gearwright.model.parallel.assembly import TWIST, Constraints, Position
from gearwright.model.parallel.outputs import default_outputs, output_groups
from gearwright.model.parallel.reach import ReachLimits, halfplanes, zonotope
from gearwright.model.poses import Array
from gearwright.model.transmissions.maps import like, vectors
from gearwright.model.tree.kinematics import Configuration

if TYPE_CHECKING:
    from gearwright.model.mechanism import Mechanism

IDLE = 1e-8  # per unit of motion: a direction that moves motors and outputs by less moves none of them
SINGULAR = 1e-6  # per unit of motion: a direction that moves one of the two sides by less is lost there


class Side(NamedTuple):
    """Actuators or outputs: their velocities over the robot's motions."""

    kind: str
    names: tuple[str, ...]
    rows: Array  # (names, r)
    sizes: Array  # (names,), of the rows over all velocities

    @property
    def scaled(self) -> Array:
        return np.asarray(self.rows / self.sizes[:, None])


@dataclass(frozen=True, kw_only=True)
class ActuationJacobian:
    """`v_a = A·v_j` at one pose, both ways. The joints are the outputs: joint axes, or parts of a link's motion.

    Arrays are in the order of `actuators` and `joints`; efforts and velocities may be batches (…, n).
    """

    position: Configuration  # the assembled pose: joint → its position coordinates
    loops: tuple[str, ...]  # joints that close the loops between motors and outputs
    actuator_side: Side  # velocities of the actuators over the motions
    joint_side: Side  # velocities of the outputs over the motions
    inertia: Array  # (r, r), of links, armatures and rotors
    limits: ReachLimits  # of the actuators

    @property
    def actuators(self) -> tuple[str, ...]:
        """The actuators that move the outputs, or are moved by them."""
        return self.actuator_side.names

    @property
    def joints(self) -> tuple[str, ...]:
        """The outputs."""
        return self.joint_side.names

    def __repr__(self) -> str:
        return f"<ActuationJacobian {', '.join(self.actuators)} ⇄ {', '.join(self.joints)}>"

    # --- ratios ------------------------------------------------------------------------------------------------

    @cached_property
    def actuator_per_joint(self) -> Array:
        """A, (actuators, joints). Raises ModelError at a pose where motors move and no output does."""
        return np.asarray(self.actuator_side.rows @ self._inverse(self.joint_side, self.actuator_side))

    @cached_property
    def joint_per_actuator(self) -> Array:
        """A⁻¹, (joints, actuators); with more actuators than outputs, the pseudoinverse.

        Raises ModelError at a pose where outputs move and no motor does.
        """
        return np.asarray(self.joint_side.rows @ self._inverse(self.actuator_side, self.joint_side))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.actuator_per_joint, dtype=dtype)

    def _inverse(self, side: Side, other: Side) -> Array:
        """u per velocity of one side, (r, names). Raises ModelError with the direction that this side does not see."""
        _, s, V = np.linalg.svd(side.scaled)
        if int((s > SINGULAR).sum()) == len(self.inertia):
            return np.asarray(np.linalg.pinv(side.rows))
        lost = other.scaled @ V[-1]
        shares = zip(other.names, other.sizes * lost / np.abs(other.sizes * lost).max(), strict=True)
        direction = ", ".join(f"{name} {x + 0.0:+.3g}" for name, x in shares if abs(x) > SINGULAR)
        loop = f"the loop through {', '.join(map(repr, self.loops))}" if self.loops else "the mechanism"
        few = len(side.names) < len(self.inertia)
        where = f"has {len(self.inertia)} degrees of freedom" if few else "is at a singular pose"
        raise ModelError(
            f"{loop} {where}: the {other.kind} can move ({direction}) while the {side.kind} "
            f"({', '.join(side.names)}) stand still"
        )

    # --- velocities and efforts --------------------------------------------------------------------------------

    def joint_to_actuator_velocity(self, j: ArrayLike) -> Any:
        """`v_a = A·v_j` [rad/s | m/s]."""
        return _product(self.actuator_per_joint, j)

    def actuator_to_joint_velocity(self, a: ArrayLike) -> Any:
        """`v_j = A⁻¹·v_a` [rad/s | m/s]."""
        return _product(self.joint_per_actuator, a)

    def actuator_to_joint_effort(self, a: ArrayLike) -> Any:
        """`τ_j = Aᵀ·τ_a` [N·m | N]."""
        return _product(self.actuator_per_joint.T, a)

    def joint_to_actuator_effort(self, j: ArrayLike) -> Any:
        """`τ_a = A⁻ᵀ·τ_j` [N·m | N]; with more actuators than outputs, the smallest efforts."""
        return _product(self.joint_per_actuator.T, j)

    # --- inertia -----------------------------------------------------------------------------------------------

    @cached_property
    def joint_inertia(self) -> Array:
        """Inertia at the outputs, (joints, joints) [kg·m² | kg]: links, armatures, rotors. Other joints are held."""
        return self._inertia_at(self._inverse(self.joint_side, self.actuator_side))

    @cached_property
    def actuator_inertia(self) -> Array:
        """Inertia at the actuators, (actuators, actuators) [kg·m² | kg]."""
        return self._inertia_at(self._inverse(self.actuator_side, self.joint_side))

    def _inertia_at(self, u: Array) -> Array:
        return np.asarray(u.T @ self.inertia @ u)

    # --- limits ------------------------------------------------------------------------------------------------

    def effort_range(self) -> Array:
        """By output, lowest and highest effort at standstill with none at the others, (joints, 2) [N·m | N]."""
        A, most = self.actuator_per_joint, self.limits.efforts()
        if A.shape[1] == 1:
            top = np.abs(A.T) @ most
        elif A.shape[0] == A.shape[1]:
            with np.errstate(divide="ignore"):
                top = (most[:, None] / np.abs(self.joint_per_actuator.T)).min(axis=0)
        else:
            raise ModelError(f"{A.shape[0]} actuators share the efforts of {A.shape[1]} outputs in many ways")
        return np.stack([-top, top], axis=1)

    def velocity_range(self) -> Array:
        """By output, lowest and highest velocity while the others stand still, (joints, 2) [rad/s | m/s]."""
        with np.errstate(divide="ignore"):
            top = (self.limits.velocities()[:, None] / np.abs(self.actuator_per_joint)).min(axis=0)
        return np.stack([-top, top], axis=1)

    def effort_polygon(self) -> Array:
        """Corners of the efforts that two outputs can have at standstill, (corners, 2) [N·m | N], counterclockwise."""
        self._check_two("effort_range")
        return zonotope(self.actuator_per_joint.T * self.limits.efforts())

    def velocity_polygon(self) -> Array:
        """Corners of the velocities that two outputs can have, (corners, 2) [rad/s | m/s], counterclockwise."""
        self._check_two("velocity_range")
        return halfplanes(self.actuator_per_joint, self.limits.velocities())

    def _check_two(self, instead: str) -> None:
        if len(self.joints) != 2:
            raise ModelError(f"a polygon needs two outputs, not {len(self.joints)}; see {instead}()")


def _product(M: Array, x: ArrayLike) -> Any:
    return like(x, (M @ vectors(x, M.shape[-1])[..., None])[..., 0])


# --- from a robot -----------------------------------------------------------------------------------------------------


def actuation_jacobian(
    robot: Mechanism, position: Position | None = None, output: str | Sequence[str] | None = None
) -> ActuationJacobian:
    """See `Mechanism.actuation_jacobian`."""
    constraints = Constraints.of(robot)
    q = constraints.assembled(position)
    named = None if output is None else checked_names("output", output)
    outputs = _output_rows(constraints, q, _defaults(constraints, q) if named is None else named)
    together = constraints.components()
    roots = {together.root(j.name) for j in constraints.system.joints if _moves(constraints, j.name, outputs)}
    inside = [j.name for j in constraints.system.joints if together.root(j.name) in roots]
    loops = tuple(cut.name for cut in constraints.system.cuts if cut.name in inside)
    columns = constraints.columns(inside)
    actuators = {a: row for a, row in constraints.actuator_rows(q).items() if np.abs(row[columns]).max(initial=0.0) > 0}
    if not actuators:
        raise ModelError(f"no actuator moves {', '.join(outputs)}; actuators: {', '.join(robot.actuators) or 'none'}")
    unit = constraints.system.unit(q)[columns]
    N = _motions(constraints, q, columns, loops)
    rows = [np.stack(list(side.values()))[:, columns] / unit for side in (actuators, outputs)]
    sizes = [np.linalg.norm(side, axis=1) for side in rows]
    seen, idle = _seen(np.vstack([side @ N / size[:, None] for side, size in zip(rows, sizes, strict=True)]))
    if len(outputs) > seen.shape[1]:
        raise ModelError(f"of the {len(outputs)} outputs ({', '.join(outputs)}), {seen.shape[1]} are independent")
    M = constraints.mass_matrix(q)[np.ix_(columns, columns)] / np.outer(unit, unit)
    return ActuationJacobian(
        position=q, loops=loops,
        actuator_side=Side("actuators", tuple(actuators), rows[0] @ N @ seen, sizes[0]),
        joint_side=Side("outputs", tuple(outputs), rows[1] @ N @ seen, sizes[1]),
        inertia=_felt(N.T @ M @ N, seen, idle), limits=ReachLimits(tuple(robot.actuators[a] for a in actuators)),
    )  # fmt: skip


def _defaults(constraints: Constraints, q: Configuration) -> list[str]:
    found = [name for group in output_groups(constraints) for name in default_outputs(constraints, group, q)]
    if not found:
        raise ModelError(f"robot {constraints.robot.name!r} has no actuator that moves a joint")
    return found


def _moves(constraints: Constraints, joint: str, rows: dict[str, Array]) -> bool:
    columns = constraints.columns([joint])
    return any(np.abs(row[columns]).max(initial=0.0) > 0 for row in rows.values())


def _output_rows(constraints: Constraints, q: Configuration, names: Sequence[str]) -> dict[str, Array]:
    """Velocities of the outputs over all velocities."""
    rows = {}
    for name in names:
        column = constraints.column(name)
        link, _, part = name.rpartition(".")
        if column is not None:
            rows[name] = np.eye(constraints.system.width)[column]
        elif link in constraints.robot.links and part in TWIST:
            rows[name] = constraints.link_row(link, part, q)
        else:
            joints = [c for j in constraints.system.joints for c in j.coordinates]
            raise UnknownNameError("output", name, [*joints, *(f"{x}.x" for x in constraints.robot.links)])
    return rows


def _motions(constraints: Constraints, q: Configuration, columns: Sequence[int], loops: Sequence[str]) -> Array:
    """Motions of these velocities that loops and couplings leave, as columns. Raises where they leave too many."""
    J = constraints.system.scaled_rows(q, constraints.couplings).J
    here, usual = len(null_space(J)), constraints.robot.dof
    if loops and here > usual:
        raise ModelError(
            f"the loop through {', '.join(map(repr, loops))} is at a singular pose: it has {here} degrees of freedom "
            f"here and {usual} elsewhere, so some of its joints can move by themselves"
        )
    return null_space(J[:, columns]).T


def _seen(scaled: Array) -> tuple[Array, Array]:
    """Directions that move a motor or an output, and those that move none; as columns."""
    _, s, V = np.linalg.svd(scaled)
    rank = int((s > IDLE).sum())
    return V[:rank].T, V[rank:].T


def _felt(M: Array, seen: Array, idle: Array) -> Array:
    """Inertia along the directions that are seen, while the others move as they like."""
    across = idle.T @ M @ seen
    felt: Array = seen.T @ M @ seen - across.T @ np.linalg.pinv(idle.T @ M @ idle, hermitian=True) @ across
    return felt


def loop_actuation(robot: Mechanism) -> list[ActuationJacobian]:
    """By group of motors that act through closed loops, at the initial pose, with its default outputs.

    Groups whose output is not clear, or whose pose is singular, are left out.
    """
    if not robot.tree.cuts or not robot.actuators:
        return []
    found: list[ActuationJacobian] = []
    constraints = Constraints.of(robot)
    for group in output_groups(constraints):
        if group.loops:
            with suppress(ModelError):
                q = constraints.assembled(None)
                J = actuation_jacobian(robot, q, default_outputs(constraints, group, q))
                found += [J] if J.actuator_per_joint.size else []
    return found
