"""All rotations about a point."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gearwright.model.joints.closing import NO_SLIDES, Condition, Orientation, Reading
from gearwright.model.joints.kind import FREE, QUATERNION, JointKind
from gearwright.model.joints.motions import FreeRotation as Rotation
from gearwright.model.joints.motions import Motion

if TYPE_CHECKING:
    from gearwright.model.joints.joint import Joint


class Ball(JointKind):
    axes: ClassVar[int] = 0
    damped: ClassVar[bool] = True
    positions: ClassVar[tuple[str, ...]] = QUATERNION
    velocities: ClassVar[tuple[str, ...]] = FREE
    sign: ClassVar[str] = "●"
    drawing: ClassVar[str] = '<circle class="sign-full" r="4.5"/>'

    def motions(self, joint: Joint) -> tuple[Motion, ...]:
        return (Rotation(),)

    def closing(self, joint: Joint) -> tuple[Condition, ...]:
        return NO_SLIDES

    def readings(self, joint: Joint) -> tuple[Reading, ...]:
        return (Orientation(),)
