"""First about axis, carried by the parent; then about axis2, carried by what the first has turned."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gearwright.model.joints.closing import NO_SLIDES, Across, AngleOfTwo, Condition, Reading
from gearwright.model.joints.kind import JointKind
from gearwright.model.joints.motions import Motion, Turn

if TYPE_CHECKING:
    from gearwright.model.joints.joint import Joint


class Universal(JointKind):
    axes: ClassVar[int] = 2
    positions: ClassVar[tuple[str, ...]] = ("axis", "axis2")
    velocities: ClassVar[tuple[str, ...]] = ("axis", "axis2")
    sign: ClassVar[str] = "✛"
    drawing: ClassVar[str] = '<path class="sign" d="M-5.5 0 H5.5 M0 -5.5 V5.5"/>'

    def motions(self, joint: Joint) -> tuple[Motion, ...]:
        return (Turn(joint.axes[0].xyz), Turn(joint.axes[1].xyz))

    def closing(self, joint: Joint) -> tuple[Condition, ...]:
        a, b = joint.axes[0].xyz, joint.axes[1].xyz
        return (*NO_SLIDES, Across(a, b, sum(x * y for x, y in zip(a, b, strict=True))))

    def readings(self, joint: Joint) -> tuple[Reading, ...]:
        a, b = joint.axes[0].xyz, joint.axes[1].xyz
        return (AngleOfTwo(a, b, 0), AngleOfTwo(a, b, 1))


class Revolute2(Universal):
    sign: ClassVar[str] = "‖"
    drawing: ClassVar[str] = '<path class="sign" d="M-2.5 -5 V5 M2.5 -5 V5"/>'
