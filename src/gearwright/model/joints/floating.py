"""All motions of a free body: x, y, z in the parent side's axes, then any rotation."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gearwright.model.joints.closing import Condition, Orientation, Reading, Travel, X, Y, Z
from gearwright.model.joints.kind import FREE, QUATERNION, JointKind
from gearwright.model.joints.motions import FreeRotation, Motion, Slide

if TYPE_CHECKING:
    from gearwright.model.joints.joint import Joint

FREEDOMS: tuple[Motion, ...] = (Slide(X), Slide(Y), Slide(Z), FreeRotation())


class Floating(JointKind):
    axes: ClassVar[int] = 0
    positions: ClassVar[tuple[str, ...]] = ("x", "y", "z", *QUATERNION)
    velocities: ClassVar[tuple[str, ...]] = ("x", "y", "z", *FREE)
    formats: ClassVar[tuple[str, ...]] = ("urdf",)
    sign: ClassVar[str] = "◌"
    drawing: ClassVar[str] = '<circle class="sign" r="5" stroke-dasharray="2.2 2.6"/>'

    def motions(self, joint: Joint) -> tuple[Motion, ...]:
        return FREEDOMS

    def closing(self, joint: Joint) -> tuple[Condition, ...]:
        return ()

    def readings(self, joint: Joint) -> tuple[Reading, ...]:
        return (Travel(X), Travel(Y), Travel(Z), Orientation())
