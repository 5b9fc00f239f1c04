"""A robot as USD text (.usda), in UsdPhysics' schemas: links, joints, limits in degrees, and mimics.

What USD has no schema for is in attributes with the prefix `gearwright:`, which other programs skip: those of a prim
where they belong to one, and `gearwright:elements` of the robot, which holds elements as in a URDF.
"""

from __future__ import annotations

import numpy as np

from gearwright.model import WORLD, Geometry, Link, Mechanism, Mesh, Plane, Pose
from gearwright.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere, kind_name
from gearwright.model.poses import Vector3
from gearwright.writing.fields import OWN, leave_rest
from gearwright.writing.nodes import numbers
from gearwright.writing.placing import Placing
from gearwright.writing.report import LossLog
from gearwright.writing.shapes import MeshPath
from gearwright.writing.surfaces import add_contact
from gearwright.writing.usd.elements import elements
from gearwright.writing.usd.joints import KINDS, NO_ATTRIBUTE, Joints, Mimics
from gearwright.writing.usd.prims import Prim, Raw, identifier, own_element

STAGES = (".usd", ".usda", ".usdc", ".usdz")  # meshes that USD refers to
WRITTEN = ("name", "links", "joints", "bases", "couplings", "transmissions", "actuators", "sensors", "hardware",
           "initial", "gravity", "reported", "search_path", "frames", "keyframes", "cut", "self_collide",
           "no_contact")  # fmt: skip


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
        self.root.set("custom string", f"{OWN}version", "1")
        if self.root.shown is not None:
            self.root.set("custom string", f"{OWN}name", self.root.shown)
        self._scene()
        frees = {j.child: j.name for j in self.placing.joints if self.placing.is_free(j)}
        for link in self.robot.links.values():
            if link.name != WORLD:
                self._link(link, frees.get(link.name))
            elif link.visuals or link.collisions:
                self._shapes(self.root.add("Scope", identifier(WORLD, {*self.links.values()})), link)
        self._joints()
        leave_rest(self.losses, "robot", self.robot, WRITTEN, NO_ATTRIBUTE)
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

    def _joints(self) -> None:
        links, named = ({n: self.path(prim) for n, prim in each.items()} for each in (self.links, self.joints))
        joints = Joints(self.placing, self.losses, links, named, self.mimics)
        written = [j for j in self.placing.joints if not self.placing.is_free(j)]
        for j in written:
            joints.add(self.root, self.joints[j.name], j)
        missing = {j.name for j in written if j.kind not in KINDS}
        text = elements(self.placing, self.losses, joints.apart, missing)
        if text is not None:
            self.root.set("custom string", f"{OWN}elements", text)

    # --- links -----------------------------------------------------------------------------------------------------

    def _link(self, link: Link, base: str | None) -> None:
        """`base`: the name of what lets it float."""
        prim = self.root.named("Xform", self.links[link.name], link.name)
        prim.apis += ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
        _place(prim, self.placing.zero_poses[link.name])
        if base is not None:
            prim.set("custom string", f"{OWN}base", base)
        self._mass(prim, link)
        if not link.gravity:
            prim.apis.append("PhysxRigidBodyAPI")
            prim.set("bool", "physxRigidBody:disableGravity", Raw("true"))
        self._shapes(prim, link)
        for f in self.robot.frames.values():
            if f.link == link.name:
                frame = prim.add("Xform", identifier(f"frame_{f.name}", {c.name for c in prim.children}))
                _place(frame, f.X_LF)
                frame.set("custom string", f"{OWN}frame", f.name)
        leave_rest(self.losses, f"link {link.name!r}", link,
                   ("name", "inertia", "visuals", "collisions", "share", "same_as", "gravity"),
                   NO_ATTRIBUTE)  # fmt: skip

    def _mass(self, prim: Prim, link: Link) -> None:
        """Principal moments, and the axes that the products of inertia were in."""
        inertia = link.inertia
        moments, R = np.linalg.eigh(np.array(inertia.own_tensor()))
        if not any(inertia.products):
            moments, R = np.array(inertia.moments), np.eye(3)
        R = R if np.linalg.det(R) > 0 else -R
        prim.set("float", "physics:mass", inertia.mass)
        prim.set("point3f", "physics:centerOfMass", numbers(inertia.center))
        prim.set("float3", "physics:diagonalInertia", numbers(moments))
        prim.set("quatf", "physics:principalAxes", numbers(Pose(inertia.pose.R @ R, (0, 0, 0)).quaternion))
        if any(inertia.products):
            prim.set("custom quatd", f"{OWN}inertiaAxes", numbers(inertia.pose.quaternion))
        if inertia.mass <= 0 or not any(inertia.moments):
            prim.set("custom bool", f"{OWN}exact", Raw("true"))
            self.losses.note(f"link {link.name!r}: in USD, a mass or an inertia of 0 means that it follows from shapes")

    def _shapes(self, prim: Prim, link: Link) -> None:
        taken: set[str] = set()
        for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
            for i, g in enumerate(shapes, 1):
                self._shape(prim, tag, g, link, f"{tag}s.{i}", taken)

    def _shape(self, parent: Prim, tag: str, g: Geometry, link: Link, field: str, taken: set[str]) -> None:
        made = self._prim(parent, g, identifier(g.name, taken))
        shown = f"link {link.name!r}"
        if made is None:
            self.losses.lose(shown, field, f"USD has no {kind_name(g.shape)}")
            return
        prim, X, scale = made
        _place(prim, X, scale)
        if tag == "collision":
            prim.apis.append("PhysicsCollisionAPI")
            prim.set("uniform token", "purpose", "guide")
        if g.rgba is not None:
            prim.set("color3f[]", "primvars:displayColor", Raw(f"[({', '.join(map(repr, g.rgba[:3]))})]"))
            prim.set("float[]", "primvars:displayOpacity", Raw(f"[{g.rgba[3]!r}]"))
        own = own_element("collision")
        add_contact(own, g, f"{OWN}surface")
        if own.children:
            prim.set("custom string", f"{OWN}contact", own.xml())

    def _prim(self, parent: Prim, g: Geometry, name: str) -> tuple[Prim, Pose, Vector3] | None:
        """The shape's prim, its pose in the link, and its scale."""
        one, shape = (1.0, 1.0, 1.0), g.shape
        if isinstance(shape, Box):
            return parent.named("Cube", name, g.name).set("double", "size", 1.0), g.pose, shape.size
        if isinstance(shape, Sphere):
            return parent.named("Sphere", name, g.name).set("double", "radius", shape.radius), g.pose, one
        if isinstance(shape, Ellipsoid):
            return parent.named("Sphere", name, g.name).set("double", "radius", 1.0), g.pose, shape.radii
        if isinstance(shape, Cylinder | Capsule | Cone):
            prim = parent.named(type(shape).__name__, name, g.name).set("double", "radius", shape.radius)
            prim.set("double", "height", shape.length).set("uniform token", "axis", "Z")
            return prim, g.pose, one
        if isinstance(shape, Mesh):
            prim, address = parent.named("Xform", name, g.name), self.mesh_path(shape)
            if address.lower().endswith(STAGES) and "@" not in address:
                prim.references.append(address)
            else:
                prim.set("custom string", f"{OWN}mesh", address)
                self.losses.note(
                    "meshes that are not USD files are in attributes of ours: other programs do not see them"
                )
            return prim, g.pose, shape.scale
        if isinstance(shape, Plane):
            prim = parent.named("Plane", name, g.name).set("uniform token", "axis", "Z")
            prim.set("double", "width", shape.size[0]).set("double", "length", shape.size[1])
            if shape.normal != (0.0, 0.0, 1.0):
                prim.set("custom double3", f"{OWN}normal", shape.normal)
            return prim, g.pose, one
        return None


def _place(prim: Prim, X: Pose, scale: Vector3 = (1.0, 1.0, 1.0)) -> None:
    prim.set("double3", "xformOp:translate", numbers(X.p))
    prim.set("quatd", "xformOp:orient", numbers(X.quaternion))
    order = '"xformOp:translate", "xformOp:orient"'
    if scale != (1.0, 1.0, 1.0):
        prim.set("double3", "xformOp:scale", numbers(scale))
        order += ', "xformOp:scale"'
    prim.set("uniform token[]", "xformOpOrder", Raw(f"[{order}]"))
