"""No motion at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gearwright.model.joints.closing import NO_SLIDES, NO_TURNS, Condition
from gearwright.model.joints.kind import JointKind
from gearwright.model.joints.motions import Motion

if TYPE_CHECKING:
    from gearwright.model.joints.joint import Joint


class Fixed(JointKind):
    axes: ClassVar[int] = 0
    positions: ClassVar[tuple[str, ...]] = ()
    velocities: ClassVar[tuple[str, ...]] = ()
    sign: ClassVar[str] = "▪"
    drawing: ClassVar[str] = '<rect class="sign-full" x="-3" y="-3" width="6" height="6"/>'

    def motions(self, joint: Joint) -> tuple[Motion, ...]:
        return ()

    def closing(self, joint: Joint) -> tuple[Condition, ...]:
        return (*NO_SLIDES, *NO_TURNS)
