"""A joint between two links, and the table of kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gearwright.diagnostics import Source
from gearwright.errors import ModelError
from gearwright.model.fields import check, quantity
from gearwright.model.joints.axes import Axis, AxisRef, SafetyController
from gearwright.model.joints.kind import JointKind
from gearwright.model.joints.motions import Motion
from gearwright.model.poses import IDENTITY, Pose
from gearwright.registry import Registry

PARALLEL = 1e-6  # [rad] between two axes: what six digits of a file leave
WORLD = "world"  # the parent of everything; not a link

JOINT_KINDS: Registry[JointKind] = Registry(
    "gearwright.joints",
    {
        "fixed": "gearwright.model.joints.fixed:Fixed",
        "revolute": "gearwright.model.joints.revolute:Revolute",
        "continuous": "gearwright.model.joints.revolute:Continuous",
        "prismatic": "gearwright.model.joints.prismatic:Prismatic",
        "screw": "gearwright.model.joints.screw:Screw",
        "universal": "gearwright.model.joints.two_axes:Universal",
        "revolute2": "gearwright.model.joints.two_axes:Revolute2",
        "ball": "gearwright.model.joints.ball:Ball",
        "planar": "gearwright.model.joints.planar:Planar",
        "floating": "gearwright.model.joints.floating:Floating",
    },
    prepare=lambda kind: kind(),
)


@dataclass(frozen=True, kw_only=True)
class Joint:
    """A joint between two links."""

    name: str
    kind: str  # a key of JOINT_KINDS
    parent: str  # a link's name, or "world"
    child: str  # a link's name, or "world" where a file ties the world to a link
    X_PJ: Pose = IDENTITY  # the joint frame in the parent link's frame
    X_CJ: Pose = IDENTITY  # the joint frame in the child link's frame
    axes: tuple[Axis, ...] = ()  # direction, limits and dynamics of each
    thread_pitch: float = quantity("m/rev", doc="of a screw: travel per turn, right-handed", default=0.0)
    damping: float = quantity(
        "N·m·s/rad", at_least=0, doc="of a ball: viscous friction against every rotation", default=0.0
    )
    safety: SafetyController | None = None  # of URDF; kept, without effect
    source: Source | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.kind not in JOINT_KINDS:
            raise ModelError(f"joint {self.name!r}: there is no joint type {self.kind!r}")
        if len(self.axes) != self.type.axes:
            raise ModelError(
                f"joint {self.name!r}: a {self.kind} joint has {self.type.axes} axes, not {len(self.axes)}"
            )
        check(self)
        if self.damping and not self.type.damped:
            raise ModelError(f"joint {self.name!r}: the damping of a {self.kind} joint is in the dynamics of its axes")

    @property
    def type(self) -> JointKind:
        """The row of JOINT_KINDS: axes, coordinates, motion."""
        return JOINT_KINDS[self.kind]

    @property
    def dof(self) -> int:
        """Degrees of freedom of the joint: its number of velocity coordinates."""
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
    def axis_coordinates(self) -> tuple[str, ...]:
        """By axis, the velocity coordinate along or about it; for a planar joint, the rotation about its normal."""
        names = self.coordinates
        return tuple(names[i] for i in self.type.axis_coordinates)

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """The chain of elementary motions that make up the joint, starting at the parent."""
        return self.type.motions(self)

    @property
    def axes_are_parallel(self) -> bool:
        """Whether a rotation about one of two axes is also a rotation about the other."""
        return len(self.axes) == 2 and float(np.linalg.norm(np.cross(self.axes[0].xyz, self.axes[1].xyz))) < PARALLEL

    def motion(self, q: Sequence[float]) -> Pose:
        """T(q), the child side of the joint frame in the parent side."""
        return self.type.motion(self, q)

    def X_PC(self, q: Sequence[float]) -> Pose:
        """The child link's pose in the parent link's frame."""
        return self.X_PJ @ self.motion(q) @ self.X_CJ.inverse()
