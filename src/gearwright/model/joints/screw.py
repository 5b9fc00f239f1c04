"""A turn that travels along its axis; the coordinate is the angle."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING, ClassVar

from gearwright.model.joints.closing import Angle, Condition, Reading, Thread, Travel, aligned, no_slides_across
from gearwright.model.joints.kind import JointKind
from gearwright.model.joints.motions import Motion, Turn

if TYPE_CHECKING:
    from gearwright.model.joints.joint import Joint


class Screw(JointKind):
    travels: ClassVar[bool] = True
    sign: ClassVar[str] = "§"
    drawing: ClassVar[str] = '<path class="sign" d="M-6 3 L-4 -3 L-1.5 3 L1 -3 L3.5 3 L5.5 -3"/>'

    def motions(self, joint: Joint) -> tuple[Motion, ...]:
        return (Turn(joint.axes[0].xyz, joint.thread_pitch / (2 * pi)),)

    def closing(self, joint: Joint) -> tuple[Condition, ...]:
        a = joint.axes[0].xyz
        return (*no_slides_across(a), Thread(a, joint.thread_pitch / (2 * pi)), *aligned(a))

    def readings(self, joint: Joint) -> tuple[Reading, ...]:
        a = joint.axes[0].xyz  # by its travel, which knows whole turns
        return (Travel(a, 2 * pi / joint.thread_pitch) if joint.thread_pitch else Angle(a),)
