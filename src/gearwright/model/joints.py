"""Joints: what kinds there are, their axes, limits and dynamics.

A joint ties a frame of its parent link to a frame of its child link. With the joint at zero the two coincide;
then `X_PC(q) = X_PJ · T(q) · X_CJ⁻¹`, T being the motion that the kind allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf, isnan, pi

import numpy as np

from gearwright.diagnostics import Source
from gearwright.errors import ModelError
from gearwright.model.poses import IDENTITY, Pose, Vector3, rotation_about, rotation_quaternion

PARALLEL = 1e-6  # [rad] between two axes: what six digits of a file leave
WORLD = "world"  # the parent of everything; not a link


@dataclass(frozen=True, slots=True, order=True)
class AxisRef:
    """One axis of a joint, as a coupling or a transmission names it. Prints as `joint` or `joint.axis2`."""

    joint: str
    index: int = 0  # 0: axis, 1: axis2

    def __str__(self) -> str:
        return f"{self.joint}.axis{self.index + 1}" if self.index else self.joint


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """Bounds on one axis. Units are those of the axis: rad or m, rad/s or m/s, N·m or N."""

    lower: float = -inf
    upper: float = inf
    velocity: float = inf  # [rad/s, m/s]
    effort: float = inf  # [N·m, N]
    stiffness: float | None = None  # of the stop [N·m/rad, N/m]; None: a hard stop
    dissipation: float | None = None  # of the stop [N·m·s/rad, N·s/m]

    def __post_init__(self) -> None:
        if isnan(self.lower) or isnan(self.upper) or self.lower > self.upper:
            raise ModelError(f"a lower limit ({self.lower}) cannot be above the upper one ({self.upper})")
        if not (self.velocity >= 0 and self.effort >= 0):
            raise ModelError("velocity and effort limits cannot be negative")

    @property
    def bounded(self) -> bool:
        return self.lower > -inf or self.upper < inf


@dataclass(frozen=True, kw_only=True, slots=True)
class AxisDynamics:
    """Passive forces along one axis: `−damping·v − friction·sign(v) − spring_stiffness·(q − spring_reference)`."""

    damping: float = 0.0  # [N·m·s/rad, N·s/m]
    friction: float = 0.0  # Coulomb, [N·m, N]
    spring_stiffness: float = 0.0  # [N·m/rad, N/m]
    spring_reference: float = 0.0  # [rad, m]
    armature: float = 0.0  # inertia added along the axis [kg·m², kg]


@dataclass(frozen=True, kw_only=True, slots=True)
class Axis:
    """A direction in the joint frame, with what acts along it."""

    xyz: Vector3 = (0.0, 0.0, 1.0)  # unit vector in the joint frame J
    limits: Limits = Limits()
    dynamics: AxisDynamics = AxisDynamics()

    def __post_init__(self) -> None:
        if not abs(sum(c * c for c in self.xyz) - 1.0) <= 1e-9:  # NaN fails, too
            raise ModelError(f"an axis must be of unit length, not {self.xyz}")


@dataclass(frozen=True, kw_only=True, slots=True)
class SafetyController:
    """URDF's soft limits, for controllers; the mechanism itself has none of them."""

    k_velocity: float = 0.0
    k_position: float = 0.0
    soft_lower_limit: float = 0.0  # [rad, m]
    soft_upper_limit: float = 0.0  # [rad, m]


Motion = Callable[["Joint", Sequence[float]], Pose]


@dataclass(frozen=True, kw_only=True)
class JointKind:
    """One row of the table of kinds."""

    axes: int  # how many <axis> elements it has
    positions: tuple[str, ...]  # names of the position coordinates; "" stands for the joint itself
    velocities: tuple[str, ...]  # names of the velocity coordinates
    motion: Motion = field(repr=False)  # T(q): the child side of the joint frame in the parent side
    prismatic: bool = False  # along its axis, rather than about it
    quaternion: int | None = None  # where a unit quaternion w, x, y, z starts among the positions

    @property
    def zero(self) -> tuple[float, ...]:
        """The position at which the two joint frames coincide."""
        return tuple(1.0 if i == self.quaternion else 0.0 for i in range(len(self.positions)))


@dataclass(frozen=True, kw_only=True)
class Joint:
    """A joint between two links."""

    name: str
    kind: str  # a key of JOINT_KINDS
    parent: str  # a link's name, or "world"
    child: str  # a link's name, or "world" where a file ties the world to a link
    X_PJ: Pose = IDENTITY  # the joint frame in the parent link's frame
    X_CJ: Pose = IDENTITY  # the joint frame in the child link's frame
    axes: tuple[Axis, ...] = ()
    thread_pitch: float = 0.0  # screw: travel per turn, right-handed [m/rev]
    safety: SafetyController | None = None
    source: Source | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.kind not in JOINT_KINDS:
            raise ModelError(f"joint {self.name!r}: there is no joint type {self.kind!r}")
        if len(self.axes) != self.type.axes:
            raise ModelError(
                f"joint {self.name!r}: a {self.kind} joint has {self.type.axes} axes, not {len(self.axes)}"
            )

    @property
    def type(self) -> JointKind:
        return JOINT_KINDS[self.kind]

    @property
    def dof(self) -> int:
        """Freedoms of the joint: its number of velocity coordinates."""
        return len(self.type.velocities)

    @property
    def positions(self) -> tuple[str, ...]:
        """Names of the position coordinates: `joint`, or `joint.axis2`, `joint.qw`, …"""
        return tuple(f"{self.name}.{n}" if n else self.name for n in self.type.positions)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the velocity coordinates: `joint`, or `joint.axis2`, `joint.rx`, …"""
        return tuple(f"{self.name}.{n}" if n else self.name for n in self.type.velocities)

    @property
    def refs(self) -> tuple[AxisRef, ...]:
        """The axes that a coupling or a transmission can name."""
        return tuple(AxisRef(self.name, i) for i in range(len(self.axes))) if self.dof == len(self.axes) else ()

    @property
    def axes_are_parallel(self) -> bool:
        """Of a joint with two: turning about one is then turning about the other."""
        return len(self.axes) == 2 and float(np.linalg.norm(np.cross(self.axes[0].xyz, self.axes[1].xyz))) < PARALLEL

    def motion(self, q: Sequence[float]) -> Pose:
        """T(q), the child side of the joint frame in the parent side."""
        return self.type.motion(self, q)

    def X_PC(self, q: Sequence[float]) -> Pose:
        """The child link's pose in the parent link's frame."""
        return self.X_PJ @ self.motion(q) @ self.X_CJ.inverse()


def _about(axis: Axis, angle: float) -> Pose:
    return Pose(rotation_about(axis.xyz, angle), IDENTITY.p)


def _along(axis: Axis, distance: float) -> Pose:
    return Pose(IDENTITY.R, np.multiply(axis.xyz, distance))


def _fixed(joint: Joint, q: Sequence[float]) -> Pose:
    return IDENTITY


def _revolute(joint: Joint, q: Sequence[float]) -> Pose:
    return _about(joint.axes[0], q[0])


def _prismatic(joint: Joint, q: Sequence[float]) -> Pose:
    return _along(joint.axes[0], q[0])


def _screw(joint: Joint, q: Sequence[float]) -> Pose:
    """The coordinate is the angle; the nut travels pitch/2π per radian."""
    return _along(joint.axes[0], q[0] * joint.thread_pitch / (2 * pi)) @ _about(joint.axes[0], q[0])


def _two_axes(joint: Joint, q: Sequence[float]) -> Pose:
    """First about axis, carried by the parent; then about axis2, carried by what the first has turned."""
    return _about(joint.axes[0], q[0]) @ _about(joint.axes[1], q[1])


def _ball(joint: Joint, q: Sequence[float]) -> Pose:
    return Pose(rotation_quaternion(q[0], q[1], q[2], q[3]), IDENTITY.p)


def _planar(joint: Joint, q: Sequence[float]) -> Pose:
    """Translation in the plane normal to the axis, then rotation about it."""
    normal = joint.axes[0].xyz
    e1, e2 = plane_basis(normal)
    return Pose(rotation_about(normal, q[2]), q[0] * e1 + q[1] * e2)


def _floating(joint: Joint, q: Sequence[float]) -> Pose:
    return Pose(rotation_quaternion(q[3], q[4], q[5], q[6]), (q[0], q[1], q[2]))


def plane_basis(normal: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors that span the plane normal to `normal`, right-handed; x and y when the normal is z.

    The first is the x axis with its share along the normal taken off (the y axis where x is the normal).
    """
    n = np.array(normal)
    seed = np.array([1.0, 0.0, 0.0]) if abs(n[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    e1 = seed - n * (n @ seed)
    e1 /= np.linalg.norm(e1)
    return e1, np.cross(n, e1)


_FREE = ("rx", "ry", "rz")  # turning about the axes of the child side of the joint frame
_QUATERNION = ("qw", "qx", "qy", "qz")

JOINT_KINDS: dict[str, JointKind] = {
    "fixed": JointKind(axes=0, positions=(), velocities=(), motion=_fixed),
    "revolute": JointKind(axes=1, positions=("",), velocities=("",), motion=_revolute),
    "continuous": JointKind(axes=1, positions=("",), velocities=("",), motion=_revolute),
    "prismatic": JointKind(axes=1, positions=("",), velocities=("",), motion=_prismatic, prismatic=True),
    "screw": JointKind(axes=1, positions=("",), velocities=("",), motion=_screw),
    "universal": JointKind(axes=2, positions=("axis", "axis2"), velocities=("axis", "axis2"), motion=_two_axes),
    "revolute2": JointKind(axes=2, positions=("axis", "axis2"), velocities=("axis", "axis2"), motion=_two_axes),
    "ball": JointKind(axes=0, positions=_QUATERNION, velocities=_FREE, motion=_ball, quaternion=0),
    "planar": JointKind(axes=1, positions=("x", "y", "rz"), velocities=("x", "y", "rz"), motion=_planar),
    "floating": JointKind(
        axes=0,
        positions=("x", "y", "z", *_QUATERNION),
        velocities=("x", "y", "z", *_FREE),
        motion=_floating,
        quaternion=3,
    ),
}
