"""A turn about one axis, with limits or without."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gearwright.model.joints.closing import NO_SLIDES, Condition, aligned
from gearwright.model.joints.kind import JointKind
from gearwright.model.joints.motions import Motion, Turn

if TYPE_CHECKING:
    from gearwright.model.joints.joint import Joint


class Revolute(JointKind):
    bounded: ClassVar[bool] = True
    sign: ClassVar[str] = "↻"
    drawing: ClassVar[str] = (
        '<path class="sign" d="M-4.6 2.2 A5.1 5.1 0 1 1 2.6 4.4 M2.6 4.4 l0.3 -3.2 M2.6 4.4 l3 0.9"/>'
    )

    def motions(self, joint: Joint) -> tuple[Motion, ...]:
        return (Turn(joint.axes[0].xyz),)

    def closing(self, joint: Joint) -> tuple[Condition, ...]:
        return (*NO_SLIDES, *aligned(joint.axes[0].xyz))


class Continuous(Revolute):
    bounded: ClassVar[bool] = False
    sign: ClassVar[str] = "∞"
    drawing: ClassVar[str] = '<circle class="sign" r="5"/><circle class="sign-full" r="1.8"/>'
