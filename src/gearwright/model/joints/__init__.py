"""Joints: what kinds there are, their axes, limits and dynamics. A kind is one class in one file and one row here.

A joint ties a frame of its parent link to a frame of its child link. With the joint at zero the two coincide;
then `X_PC(q) = X_PJ · T(q) · X_CJ⁻¹`, T being the motion that the kind allows.
"""

from gearwright.model.joints.axes import Axis, AxisDynamics, AxisRef, Limits, SafetyController
from gearwright.model.joints.joint import JOINT_KINDS, WORLD, Joint
from gearwright.model.joints.kind import JointKind
from gearwright.model.joints.motions import plane_basis

__all__ = [
    "JOINT_KINDS", "WORLD", "Axis", "AxisDynamics", "AxisRef", "Joint", "JointKind", "Limits", "SafetyController",
    "plane_basis",
]  # fmt: skip
