"""A slide along one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gearwright.model.joints.closing import NO_TURNS, Condition, Reading, Travel, no_slides_across
from gearwright.model.joints.kind import JointKind
from gearwright.model.joints.motions import Motion, Slide

if TYPE_CHECKING:
    from gearwright.model.joints.joint import Joint


class Prismatic(JointKind):
    prismatic: ClassVar[bool] = True
    bounded: ClassVar[bool] = True
    sign: ClassVar[str] = "↔"
    drawing: ClassVar[str] = (
        '<path class="sign" d="M-6 0 H6 M-6 0 l2.6 -2.6 M-6 0 l2.6 2.6 M6 0 l-2.6 -2.6 M6 0 l-2.6 2.6"/>'
    )

    def motions(self, joint: Joint) -> tuple[Motion, ...]:
        return (Slide(joint.axes[0].xyz),)

    def closing(self, joint: Joint) -> tuple[Condition, ...]:
        return (*no_slides_across(joint.axes[0].xyz), *NO_TURNS)

    def readings(self, joint: Joint) -> tuple[Reading, ...]:
        return (Travel(joint.axes[0].xyz),)
