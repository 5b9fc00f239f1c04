"""Joints in UsdPhysics' schemas: frames, limits in degrees, and mimics.

A joint of USD turns about x, y or z of its frames: where its axis is none of these, both are turned so that x is.
Newton's mimic has `q = coef0 + coef1·q_leader`, coef0 in degrees of a turning joint; PhysX's has
`q + gearing·q_leader + offset = 0`, so that both its numbers have the other sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import degrees, inf
from typing import Literal

from gearwright.model import WORLD, AxisRef, Coupling, Joint, Mechanism, Pose
from gearwright.model.joints import Axis
from gearwright.model.joints.closing import x_axis_to
from gearwright.writing.actuation import add_friction_model
from gearwright.writing.actuation import mimics as plain_mimics
from gearwright.writing.fields import OWN, changed_fields, leave_rest
from gearwright.writing.nodes import Node, numbers
from gearwright.writing.placing import Placing
from gearwright.writing.report import LossLog
from gearwright.writing.usd.prims import Prim, Raw, own_element

KINDS = {
    "revolute": "PhysicsRevoluteJoint", "continuous": "PhysicsRevoluteJoint", "prismatic": "PhysicsPrismaticJoint",
    "fixed": "PhysicsFixedJoint", "ball": "PhysicsSphericalJoint",
}  # fmt: skip
NO_ATTRIBUTE = "UsdPhysics has no attribute for it"
TOKENS = {(1.0, 0.0, 0.0): "X", (0.0, 1.0, 0.0): "Y", (0.0, 0.0, 1.0): "Z"}
SAFETY = ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity")
OWN_NAME = ("name", "follower", "leaders", "offset", "spelling")  # of a coupling that a mimic says by itself
Mimics = Literal["newton", "physx"]


class Joints:
    """The joints of one robot, by the paths of its prims."""

    def __init__(
        self, placing: Placing, losses: LossLog, links: Mapping[str, Raw], joints: Mapping[str, Raw], mimics: Mimics
    ) -> None:
        self.robot: Mechanism = placing.robot
        self.placing, self.losses, self.mimics = placing, losses, mimics
        self.links, self.joints = links, joints
        self.apart = [c for c in self.robot.couplings.values() if not self._is_plain(c)]

    def add(self, root: Prim, name: str, j: Joint) -> None:
        shown = f"joint {j.name!r}"
        if j.kind not in KINDS:
            self.losses.lose(shown, "", f"UsdPhysics has no {j.kind} joint")
            return
        prim = root.named(KINDS[j.kind], name, j.name)
        token = TOKENS.get(j.axes[0].xyz) if j.axes else None
        turn = Pose(x_axis_to(j.axes[0].xyz), (0, 0, 0)) if j.axes and token is None else None
        for i, link, X in ((0, j.parent, j.X_PJ), (1, j.child, j.X_CJ)):
            if link != WORLD:
                prim.relate(f"physics:body{i}", self.links[link])
            prim.set("point3f", f"physics:localPos{i}", numbers(X.p))
            prim.set("quatf", f"physics:localRot{i}", numbers((X if turn is None else X @ turn).quaternion))
        if j.axes:
            prim.set("uniform token", "physics:axis", token or "X")
            if turn is not None:
                prim.set("custom double3", f"{OWN}axis", numbers(j.axes[0].xyz))
            if j.kind == "revolute" and not j.axes[0].limits.bounded:
                prim.set("custom token", f"{OWN}kind", j.kind)
            self._axis(prim, j, j.axes[0])
        if j.damping:
            prim.apis.append("NewtonJointAPI")
            prim.set("float", "newton:damping", j.damping / degrees(1.0))
        if j.name in self.robot.bases:
            prim.set("custom bool", f"{OWN}base", Raw("true"))
        if j.name in self.placing.closing:
            prim.set("uniform bool", "physics:excludeFromArticulation", Raw("true"))
        own = self._own(j, shown)
        if own.children:
            prim.set("custom string", f"{OWN}joint", own.xml())
        done = ("name", "kind", "parent", "child", "X_PJ", "X_CJ", "axes", "damping", "safety")
        leave_rest(self.losses, shown, j, done, NO_ATTRIBUTE)

    def _own(self, j: Joint, shown: str) -> Node:
        """What no schema has: friction models, soft stops, the limits of a controller."""
        node = own_element("joint")
        for axis in j.axes:
            stop = {n: getattr(axis.limits, n) for n in ("stiffness", "dissipation")}
            if any(x is not None for x in stop.values()):
                node.add("stop", **stop)
            if axis.dynamics.friction_model is not None:
                add_friction_model(node, axis.dynamics.friction_model, shown, self.losses)
        if j.safety is not None:
            node.add("safety_controller", **{n: getattr(j.safety, n) for n in SAFETY})
        return node

    def _axis(self, prim: Prim, j: Joint, axis: Axis) -> None:
        """Limits in degrees and per degree; what UsdPhysics lacks is in Newton's attributes."""
        limits, passive, turns = axis.limits, axis.dynamics, not j.type.prismatic
        unit = degrees(1.0) if turns else 1.0
        for name, x in (("lowerLimit", limits.lower), ("upperLimit", limits.upper)):
            if abs(x) < inf:
                prim.set("float", f"physics:{name}", x * unit)
        newton = {"velocityLimit": limits.velocity * unit, "effortLimit": limits.effort}
        newton = {k: x for k, x in newton.items() if x < inf}
        forces = {"armature": passive.armature, "damping": passive.damping / unit, "friction": passive.friction}
        newton |= {k: x for k, x in forces.items() if x}
        if newton:
            prim.apis.append("NewtonJointAPI")
            for name, x in newton.items():
                prim.set("float", f"newton:{name}", x)
        if passive.spring_stiffness or passive.spring_reference:
            drive = "angular" if turns else "linear"
            prim.apis.append(f"PhysicsDriveAPI:{drive}")
            prim.set("float", f"drive:{drive}:physics:stiffness", passive.spring_stiffness / unit)
            prim.set("float", f"drive:{drive}:physics:targetPosition", passive.spring_reference * unit)
            prim.set("uniform token", f"drive:{drive}:physics:type", "force")
            prim.set("custom bool", f"{OWN}spring", Raw("true"))
        own = [c for c in self.robot.couplings.values() if c.follower == AxisRef(j.name)]
        if own and self._fits(own[0], turns):
            self._mimic(prim, own[0], turns)

    # --- mimics ----------------------------------------------------------------------------------------------------

    def _is_plain(self, c: Coupling) -> bool:
        """Whether a mimic says all of it: no name, reference or mode of its own."""
        plain = plain_mimics(self.robot).get(c.follower) is c
        follower = self.robot.joint(c.follower.joint)
        turns = follower.dof == 1 and not follower.type.prismatic
        return plain and self._fits(c, turns) and not list(changed_fields(c, OWN_NAME))

    def _fits(self, c: Coupling, turns: bool) -> bool:
        """Whether there is a mimic of USD that has this ratio and this offset."""
        joints = [self.robot.joint(axis.joint) for axis in (c.follower, c.leaders[0].axis)]
        alike = all(j.dof == 1 and j.kind in KINDS and j.type.prismatic != turns for j in joints)
        return alike and len(c.leaders) == 1 and c.linear

    def _mimic(self, prim: Prim, c: Coupling, turns: bool) -> None:
        offset = c.offset - c.multiplier * c.reference
        offset = degrees(offset) if turns else offset
        leader = self.joints[c.leaders[0].axis.joint]
        if self.mimics == "newton":
            prim.apis.append("NewtonMimicAPI")
            prim.set("bool", "newton:mimicEnabled", Raw("true"))
            prim.relate("newton:mimicJoint", leader)
            prim.set("float", "newton:mimicCoef0", offset).set("float", "newton:mimicCoef1", c.multiplier)
        else:
            axis = self._physx_axis(c.follower)
            at = f"physxMimicJoint:{axis}"
            prim.apis.append(f"PhysxMimicJointAPI:{axis}")
            prim.relate(f"{at}:referenceJoint", leader)
            prim.set("uniform token", f"{at}:referenceJointAxis", self._physx_axis(c.leaders[0].axis))
            prim.set("float", f"{at}:gearing", -c.multiplier).set("float", f"{at}:offset", -offset)
            if c.mode == "compliant":
                prim.set("float", f"{at}:naturalFrequency", c.natural_frequency)
                prim.set("float", f"{at}:dampingRatio", c.damping_ratio)
        if not self._is_plain(c):
            prim.set("custom bool", f"{OWN}coupling", Raw("true"))

    def _physx_axis(self, ref: AxisRef) -> str:
        """The freedom that it is for PhysX: rotX, transZ."""
        joint = self.robot.joint(ref.joint)
        return ("trans" if joint.type.prismatic else "rot") + TOKENS.get(joint.axes[0].xyz, "X")
