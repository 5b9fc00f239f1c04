"""The base of all kinds of joints: one class with its motion, its loop rows, its names and its sign."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from gearwright.model.joints.closing import Angle, Condition, Reading
from gearwright.model.joints.motions import Motion
from gearwright.model.poses import IDENTITY, Array, Pose

if TYPE_CHECKING:
    from gearwright.model.joints.joint import Joint

FREE = ("rx", "ry", "rz")  # turning about the axes of the child side of the joint frame
QUATERNION = ("qw", "qx", "qy", "qz")
PLANE_TURN = '<circle class="sign" r="5"/>'


class JointKind(ABC):
    """A joint type. Subclasses define motions and loop rows; poses, retraction and counts are derived."""

    axes: ClassVar[int] = 1  # how many <axis> elements it has
    positions: ClassVar[tuple[str, ...]] = ("",)  # names of the position coordinates; "" stands for the joint itself
    velocities: ClassVar[tuple[str, ...]] = ("",)  # names of the velocity coordinates
    prismatic: ClassVar[bool] = False  # along its axis, rather than about it
    travels: ClassVar[bool] = False  # moves along its axis while it turns about it
    damped: ClassVar[bool] = False  # has no axes, and one damping for all of its rotations
    bounded: ClassVar[bool] = False  # whether URDF expects limits of position
    formats: ClassVar[tuple[str, ...]] = ("sdf", "urdf")  # which files may name it
    sign: ClassVar[str] = "?"  # in a terminal
    drawing: ClassVar[str] = PLANE_TURN  # SVG around the origin in a knob of radius 10

    @abstractmethod
    def motions(self, joint: Joint) -> tuple[Motion, ...]:
        """The chain of elementary motions, parent side first."""

    @abstractmethod
    def closing(self, joint: Joint) -> tuple[Condition, ...]:
        """The rows that it adds when it closes a loop: one for each degree of freedom that it removes."""

    def readings(self, joint: Joint) -> tuple[Reading, ...]:
        """How its coordinates are read when it closes a loop, in their order; those of its axes are the last."""
        return tuple(Angle(axis.xyz) for axis in joint.axes)

    # --- derived ---------------------------------------------------------------------------------------------------

    @property
    def quaternion(self) -> int | None:
        """Where a unit quaternion w, x, y, z starts among the positions."""
        return self.positions.index("qw") if "qw" in self.positions else None

    @property
    def zero(self) -> tuple[float, ...]:
        """The position at which the two joint frames coincide."""
        return tuple(1.0 if name == "qw" else 0.0 for name in self.positions)

    @property
    def axis_coordinates(self) -> tuple[int, ...]:
        """By axis: the velocity coordinate along or about it. A planar joint's is the turn about its normal."""
        return tuple(range(len(self.velocities) - self.axes, len(self.velocities)))

    def slides(self, coordinate: str) -> bool:
        """Whether a position or velocity coordinate is a length."""
        return coordinate in ("x", "y", "z") or (coordinate not in (*FREE, *QUATERNION) and self.prismatic)

    def motion(self, joint: Joint, q: Sequence[float]) -> Pose:
        """T(q): the child side of the joint frame in the parent side."""
        X, at = IDENTITY, 0
        for m in joint.motions:
            X = X @ m.pose(q[at : at + m.size[0]])
            at += m.size[0]
        return X

    def retract(self, joint: Joint, q: Sequence[float], dv: Sequence[float] | Array) -> tuple[float, ...]:
        """q ⊕ dv: the position after the small motion dv in velocity coordinates; quaternions stay unit."""
        moved: tuple[float, ...] = ()
        at = along = 0
        for m in joint.motions:
            moved += m.retract(q[at : at + m.size[0]], dv[along : along + m.size[1]])
            at, along = at + m.size[0], along + m.size[1]
        return moved
