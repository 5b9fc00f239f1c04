"""A robot as USD text (.usda), in UsdPhysics' schemas: links, joints, limits in degrees, and mimics.

A joint of USD turns about x, y or z of its frames: both are turned so that x is the axis. Newton's mimic has
`q = coef0 + coef1·q_leader`, coef0 in degrees of a turning joint; PhysX's has `q + gearing·q_leader + offset = 0`, so
that both its numbers have the other sign.
"""

from __future__ import annotations

from math import degrees, inf
from typing import Literal

import numpy as np

from gearwright.model import WORLD, AxisRef, Coupling, Geometry, Joint, Link, Mechanism, Mesh, Pose
from gearwright.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from gearwright.model.joints.closing import basis
from gearwright.model.poses import Array, Vector3
from gearwright.writing.fields import leave_rest
from gearwright.writing.nodes import numbers
from gearwright.writing.placing import Placing
from gearwright.writing.report import LossLog
from gearwright.writing.shapes import MeshPath
from gearwright.writing.usd.prims import Prim, Raw, identifier

KINDS = {
    "revolute": "PhysicsRevoluteJoint", "continuous": "PhysicsRevoluteJoint", "prismatic": "PhysicsPrismaticJoint",
    "fixed": "PhysicsFixedJoint", "ball": "PhysicsSphericalJoint",
}  # fmt: skip
ONE_LEADER = "a mimic of USD has one leader, of its follower's kind and with a constant ratio, and is the only one"
NO_ATTRIBUTE = "UsdPhysics has no attribute for it"
WRITTEN = ("name", "links", "joints", "bases", "couplings", "transmissions", "actuators", "sensors", "hardware",
           "initial", "gravity", "reported", "search_path", "frames", "keyframes")  # fmt: skip
Mimics = Literal["newton", "physx"]


def usd_text(robot: Mechanism, losses: LossLog, mesh_path: MeshPath, mimics: Mimics = "newton") -> str:
    """`mimics`: whose attributes say couplings."""
    return _Stage(robot, losses, mesh_path, mimics).text()


class _Stage:
    """The prims of one robot, by the names of its parts."""

    def __init__(self, robot: Mechanism, losses: LossLog, mesh_path: MeshPath, mimics: Mimics) -> None:
        self.robot, self.losses, self.mesh_path, self.mimics = robot, losses, mesh_path, mimics
        self.placing = Placing(robot)
        taken: set[str] = {"scene"}
        self.links = {n: identifier(n, taken) for n in robot.links if n != WORLD}
        self.joints = {j.name: identifier(j.name, taken) for j in self.placing.joints}
        self.root = Prim("Xform", identifier(robot.name or "robot", set()), robot.name)

    def text(self) -> str:
        self.root.apis.append("PhysicsArticulationRootAPI")
        self._scene()
        for link in self.robot.links.values():
            if link.name != WORLD:
                self._link(link)
        for j in self.placing.joints:
            if not self.placing.is_free(j):
                self._joint(j)
        self._leave_rest()
        about = (f'defaultPrim = "{self.root.name}"', "kilogramsPerUnit = 1", "metersPerUnit = 1", 'upAxis = "Z"')
        return "#usda 1.0\n(\n" + "".join(f"    {line}\n" for line in about) + ")\n\n" + self.root.text()

    def path(self, name: str) -> Raw:
        return Raw(f"</{self.root.name}/{name}>")

    def _scene(self) -> None:
        scene = self.root.add("PhysicsScene", "scene")
        g = np.array(self.robot.gravity)
        size = float(np.linalg.norm(g))
        scene.set("vector3f", "physics:gravityDirection", numbers(g / size) if size else (0.0, 0.0, -1.0))
        scene.set("float", "physics:gravityMagnitude", size)

    # --- links -----------------------------------------------------------------------------------------------------

    def _link(self, link: Link) -> None:
        prim = self.root.add("Xform", self.links[link.name], link.name)
        prim.apis += ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
        _place(prim, self.placing.zero_poses[link.name])
        moments, R = np.linalg.eigh(np.array(link.inertia.own_tensor()))
        if not any(link.inertia.products):
            moments, R = np.array(link.inertia.moments), np.eye(3)
        R = R if np.linalg.det(R) > 0 else -R
        prim.set("float", "physics:mass", link.inertia.mass)
        prim.set("point3f", "physics:centerOfMass", numbers(link.inertia.center))
        prim.set("float3", "physics:diagonalInertia", numbers(moments))
        prim.set("quatf", "physics:principalAxes", numbers(Pose(link.inertia.pose.R @ R, (0, 0, 0)).quaternion))
        if link.inertia.mass <= 0:
            self.losses.note(f"link {link.name!r}: a mass of 0 means in USD that it follows from the shapes")
        taken: set[str] = set()
        for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
            for g in shapes:
                self._shape(prim, tag, g, link, taken)
        leave_rest(self.losses, f"link {link.name!r}", link,
                   ("name", "inertia", "visuals", "collisions", "share", "same_as"), NO_ATTRIBUTE)  # fmt: skip

    def _shape(self, parent: Prim, tag: str, g: Geometry, link: Link, taken: set[str]) -> None:
        shown = f"link {link.name!r}"
        name = identifier(g.name, taken)
        scale: Vector3 = (1.0, 1.0, 1.0)
        match g.shape:
            case Box(size=size):
                prim, scale = parent.add("Cube", name, g.name).set("double", "size", 1.0), size
            case Sphere(radius=r):
                prim = parent.add("Sphere", name, g.name).set("double", "radius", r)
            case Ellipsoid(radii=radii):
                prim, scale = parent.add("Sphere", name, g.name).set("double", "radius", 1.0), radii
            case Cylinder(radius=r, length=h) | Capsule(radius=r, length=h) | Cone(radius=r, length=h):
                prim = parent.add(type(g.shape).__name__, name, g.name).set("double", "radius", r)
                prim.set("double", "height", h).set("uniform token", "axis", "Z")
            case Mesh() if self.mesh_path(g.shape).endswith((".usd", ".usda", ".usdc", ".usdz")):
                prim, scale = parent.add("Xform", name, g.name), g.shape.scale
                prim.references.append(self.mesh_path(g.shape))
            case _:
                kind = getattr(g.shape, "kind", type(g.shape).__name__.lower())
                self.losses.lose(shown, f"{tag} {g.name!r}", f"USD refers to no such {kind}")
                return
        _place(prim, g.pose, scale)
        if tag == "collision":
            prim.apis.append("PhysicsCollisionAPI")
            prim.set("uniform token", "purpose", "guide")
        if g.rgba is not None:
            prim.set("color3f[]", "primvars:displayColor", Raw(f"[({', '.join(map(repr, g.rgba[:3]))})]"))
            prim.set("float[]", "primvars:displayOpacity", Raw(f"[{g.rgba[3]!r}]"))
        leave_rest(self.losses, shown, g, ("name", "shape", "pose", "rgba"), NO_ATTRIBUTE, f"{tag} {g.name!r}, ")

    # --- joints ----------------------------------------------------------------------------------------------------

    def _joint(self, j: Joint) -> None:
        shown = f"joint {j.name!r}"
        if j.kind not in KINDS:
            self.losses.lose(shown, "", f"UsdPhysics has no {j.kind} joint")
            return
        prim = self.root.add(KINDS[j.kind], self.joints[j.name], j.name)
        turn = _x_to(j.axes[0].xyz) if j.axes else np.eye(3)
        for i, link, X in ((0, j.parent, j.X_PJ), (1, j.child, j.X_CJ)):
            if link != WORLD:
                prim.relate(f"physics:body{i}", self.path(self.links[link]))
            prim.set("point3f", f"physics:localPos{i}", numbers(X.p))
            prim.set("quatf", f"physics:localRot{i}", numbers(Pose(X.R @ turn, (0, 0, 0)).quaternion))
        if j.axes:
            prim.set("uniform token", "physics:axis", "X")
            self._axis(prim, j, shown)
        if j.name in self.placing.closing:
            prim.set("uniform bool", "physics:excludeFromArticulation", Raw("true"))
        leave_rest(self.losses, shown, j, ("name", "kind", "parent", "child", "X_PJ", "X_CJ", "axes"), NO_ATTRIBUTE)

    def _axis(self, prim: Prim, j: Joint, shown: str) -> None:
        """Limits in degrees and per degree; what UsdPhysics lacks is in Newton's attributes."""
        limits, passive, turns = j.axes[0].limits, j.axes[0].dynamics, not j.type.prismatic
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
        leave_rest(self.losses, shown, limits, ("lower", "upper", "velocity", "effort"), NO_ATTRIBUTE, "axes.1.limits.")
        done = ("armature", "damping", "friction", "spring_stiffness", "spring_reference")
        leave_rest(self.losses, shown, passive, done, NO_ATTRIBUTE, "axes.1.dynamics.")
        own = [c for c in self.robot.couplings.values() if c.follower == AxisRef(j.name)]
        for i, c in enumerate(own):
            self._mimic(prim, c, j, turns, first=i == 0)

    def _mimic(self, prim: Prim, c: Coupling, j: Joint, turns: bool, *, first: bool) -> None:
        shown = f"coupling {c.name!r}"
        leader = self.robot.joint(c.leaders[0].axis.joint)
        alike = leader.dof == 1 and leader.type.prismatic == j.type.prismatic
        if len(c.leaders) > 1 or not c.linear or not alike or not first or leader.kind not in KINDS:
            self.losses.lose(shown, "", ONE_LEADER)
            return
        offset = c.offset - c.multiplier * c.reference
        offset = degrees(offset) if turns else offset
        if self.mimics == "newton":
            prim.apis.append("NewtonMimicAPI")
            prim.set("bool", "newton:mimicEnabled", Raw("true"))
            prim.relate("newton:mimicJoint", self.path(self.joints[leader.name]))
            prim.set("float", "newton:mimicCoef0", offset).set("float", "newton:mimicCoef1", c.multiplier)
        else:
            axis = "rotX" if turns else "transX"
            prim.apis.append(f"PhysxMimicJointAPI:{axis}")
            prim.relate(f"physxMimicJoint:{axis}:referenceJoint", self.path(self.joints[leader.name]))
            prim.set("uniform token", f"physxMimicJoint:{axis}:referenceJointAxis", axis)
            prim.set("float", f"physxMimicJoint:{axis}:gearing", -c.multiplier)
            prim.set("float", f"physxMimicJoint:{axis}:offset", -offset)
        said = ("name", "follower", "leaders", "offset", "reference", "spelling", "alias")
        leave_rest(self.losses, shown, c, said, NO_ATTRIBUTE)

    # --- what is left out ------------------------------------------------------------------------------------------

    def _leave_rest(self) -> None:
        robot, lose = self.robot, self.losses.lose
        leave_rest(self.losses, "robot", robot, WRITTEN, NO_ATTRIBUTE)
        for kind in ("transmission", "actuator", "sensor", "frame", "keyframe"):
            for name in getattr(robot, f"{kind}s"):
                lose(f"{kind} {name!r}", "", f"USD has no {kind} of this kind")
        for name in robot.hardware:
            lose(f"ros2_control tag {name!r}", "", "USD has no hardware interfaces")
        free = {j.name for j in self.placing.joints if self.placing.is_free(j)}
        for name, q in robot.initial.items():
            if name not in free and tuple(q) != robot.joint(name).type.zero:
                lose(f"initial position {name!r}", "", "links are written with joints at zero")
        axes = {n for n, j in robot.joints.items() if j.dof == 1 and j.kind in KINDS}
        for c in robot.couplings.values():
            if c.follower.joint not in axes:
                lose(f"coupling {c.name!r}", "", "its joint is not written")


def _place(prim: Prim, X: Pose, scale: Vector3 = (1.0, 1.0, 1.0)) -> None:
    prim.set("double3", "xformOp:translate", numbers(X.p))
    prim.set("quatd", "xformOp:orient", numbers(X.quaternion))
    order = '"xformOp:translate", "xformOp:orient"'
    if scale != (1.0, 1.0, 1.0):
        prim.set("double3", "xformOp:scale", numbers(scale))
        order += ', "xformOp:scale"'
    prim.set("uniform token[]", "xformOpOrder", Raw(f"[{order}]"))


def _x_to(axis: Vector3) -> Array:
    """A rotation whose first column is the axis."""
    if axis == (1.0, 0.0, 0.0):
        return np.eye(3)
    y, z = basis(axis)
    R = np.column_stack([axis, y, z])
    return R if np.linalg.det(R) > 0 else np.column_stack([axis, z, y])
