"""Translation in the plane normal to the axis, then rotation about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gearwright.model.joints.closing import Angle, Condition, NoSlide, Reading, Travel, aligned, basis
from gearwright.model.joints.kind import JointKind
from gearwright.model.joints.motions import Motion, Slide, Turn

if TYPE_CHECKING:
    from gearwright.model.joints.joint import Joint


class Planar(JointKind):
    positions: ClassVar[tuple[str, ...]] = ("x", "y", "rz")
    velocities: ClassVar[tuple[str, ...]] = ("x", "y", "rz")
    formats: ClassVar[tuple[str, ...]] = ("urdf",)
    sign: ClassVar[str] = "▱"
    drawing: ClassVar[str] = '<path class="sign" d="M-6 3.5 L-2.5 -3.5 H6 L2.5 3.5 Z"/>'

    def motions(self, joint: Joint) -> tuple[Motion, ...]:
        e1, e2 = basis(joint.axes[0].xyz)
        return (Slide(e1), Slide(e2), Turn(joint.axes[0].xyz))

    def closing(self, joint: Joint) -> tuple[Condition, ...]:
        return (NoSlide(joint.axes[0].xyz), *aligned(joint.axes[0].xyz))

    def readings(self, joint: Joint) -> tuple[Reading, ...]:
        e1, e2 = basis(joint.axes[0].xyz)
        return (Travel(e1), Travel(e2), Angle(joint.axes[0].xyz))
