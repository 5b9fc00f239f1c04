"""<body>, <joint>, <inertial> and <geom> of MJCF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import inf, pi

import numpy as np

from gearwright.model import (
    WORLD,
    Axis,
    AxisRef,
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Inertia,
    Joint,
    Link,
    Mechanism,
    Mesh,
    Plane,
    Pose,
    Sphere,
    TreeBranch,
)
from gearwright.model.geometry import EVERY_BIT
from gearwright.model.joints.closing import basis
from gearwright.model.mass.inertia import flaws
from gearwright.model.mass.moved_mass import ASSUMED_ARMATURE, massless_coordinates
from gearwright.model.poses import Array
from gearwright.writing.fields import leave_rest
from gearwright.writing.mjcf.names import MjcfNames, only_drawn
from gearwright.writing.mjcf.touching import TouchBits
from gearwright.writing.nodes import Node, is_identity, numbers
from gearwright.writing.placing import Placing
from gearwright.writing.report import LossLog
from gearwright.writing.shapes import MeshPath

TINY = 1.1e-15  # [kg, kg·m²] of moving bodies without any; MuJoCo refuses less than 1e-15
STIFF = {"solref": (0.002, 1.0), "solimp": (0.9999, 0.9999, 0.001, 0.5, 2.0)}  # of constraints: two time steps
ROUNDING = 1e-14  # of the largest moment, which extents of plates and rods have at least; of poses [m, and of 1]
NO_ELEMENT = "MJCF has no element for it"
ALONE = (1, 0)  # bits of what touches the world only
DRAWN = "2"  # the group of geoms that are drawn
WORD = 32  # bits of contype and conaffinity; those beyond are of single pairs of shapes
MESHES = (".stl", ".obj", ".msh")  # files that MuJoCo reads


def closest_moments(principal: Array) -> Array:
    """Principal moments that a body can have: its extents `∫x² dm = (a + b + c)/2 − a` along the axes are not negative.

    MuJoCo refuses what exceeds that by rounding. The same array, where it does not.
    """
    extents = principal.sum() / 2 - principal
    least = max(ROUNDING * np.abs(principal).max(), TINY / 2 * (principal.min() < TINY))
    if (extents >= least).all():
        return principal
    extents = np.maximum(extents, least)
    closest: Array = extents.sum() - extents
    return closest


def placed(node: Node, X: Pose) -> None:
    if X.p.any():
        node.attributes |= Node("", pos=numbers(X.p)).attributes
    if not is_identity(Pose(X.R, (0.0, 0.0, 0.0))):
        node.attributes |= Node("", quat=numbers(X.quaternion)).attributes


def site_at(nodes: Mapping[str, Node], names: MjcfNames, body: str, name: str, X: Pose) -> str:
    """The name of a site: that of a frame of the robot which is there, or a new one."""
    for f in names.robot.frames.values():
        if f.link == body and np.abs(f.X_LF.matrix - X.matrix).max() <= ROUNDING:
            return f.name
    site = nodes[body].add("site", name=names.free("site", name))
    placed(site, X)
    return site.attributes["name"]


@dataclass(kw_only=True)
class BodyWriter:
    """The tree of bodies under construction."""

    robot: Mechanism
    losses: LossLog
    placing: Placing
    names: MjcfNames
    mesh_path: MeshPath
    sections: Mapping[str, Node]
    nodes: dict[str, Node] = field(default_factory=dict)  # by link, the world's too
    start: list[float] = field(default_factory=list)  # qpos in MuJoCo's order
    places: dict[str, tuple[int, int]] = field(default_factory=dict)  # of joints in qpos and in qvel
    speeds: int = 0  # numbers of qvel
    assets: dict[Mesh, str] = field(default_factory=dict)
    still: set[str] = field(default_factory=lambda: {WORLD})  # links that nothing moves
    touching: list[tuple[str, Geometry]] = field(default_factory=list)  # geoms with bits beyond MuJoCo's

    @cached_property
    def touch_bits(self) -> TouchBits:
        found = TouchBits(self.robot)
        if found.too_many:
            self.losses.lose(
                "robot", "contacts", "MuJoCo has too few bits for so many parts: they touch the world only"
            )
        return found

    @cached_property
    def light(self) -> frozenset[str]:
        """MuJoCo's joints that move no mass."""
        return frozenset(name for u in massless_coordinates(self.robot) for name in u.armatures)

    def write(self) -> None:
        self.nodes[WORLD] = self.sections["worldbody"]
        children: dict[str, list[TreeBranch]] = {}
        for b in self.robot.tree.branches:
            children.setdefault(b.parent, []).append(b)
        todo = list(reversed(children.get(WORLD, [])))
        while todo:
            branch = todo.pop()
            self._body(branch)
            todo += reversed(children.get(branch.link, []))
        world = self.robot.links.get(WORLD)
        if world is not None:
            self._geoms(self.nodes[WORLD], world)
        for (one, g), (other, h) in combinations(self.touching, 2):
            if (g.collision_bits & h.collides_with | h.collision_bits & g.collides_with) >> WORD:
                self.sections["contact"].add("pair", geom1=one, geom2=other)

    def _body(self, branch: TreeBranch) -> None:
        link, j = self.robot.links[branch.link], branch.joint
        node = self.nodes[branch.parent].add("body", name=link.name)
        free = self.placing.is_free(j)
        placed(node, self.placing.X_WL(j) if free else branch.X_PL(self.names.drawn_at(j)))
        if not link.gravity:
            node.attributes["gravcomp"] = "1"
        self.nodes[link.name] = node
        if branch.parent in self.still and not j.dof:
            self.still.add(link.name)
        self.places[j.name] = (len(self.start), self.speeds)
        self.speeds += j.dof + j.type.travels
        self._inertial(node, link, moves=bool(j.dof))
        if free:
            node.add("freejoint", name=j.name)
            self.start += [*self.placing.X_WL(j).p, *self.placing.X_WL(j).quaternion]
        else:
            self._joint(node, branch)
        self._geoms(node, link)
        leave_rest(self.losses, f"link {link.name!r}", link,
                   ("name", "inertia", "visuals", "collisions", "gravity", "share", "same_as"), NO_ELEMENT)  # fmt: skip

    # --- masses ----------------------------------------------------------------------------------------------------

    def _inertial(self, node: Node, link: Link, moves: bool) -> None:
        inertia = link.inertia
        if inertia.mass <= 0 and not any((*inertia.moments, *inertia.products)) and not moves:
            return
        mass, moments = inertia.mass, inertia.moments
        if moves and (mass < TINY or min(moments) < TINY):
            mass = max(mass, TINY)
            moments = tuple(max(m, TINY) for m in moments)  # type: ignore[assignment]
            if (mass, moments) != (inertia.mass, inertia.moments):
                said = f"written with at least {TINY:g} kg and kg·m²"
                self.losses.note(f"link {link.name!r}: MuJoCo moves no body without mass: it is {said}")
        (flaw,) = flaws([inertia])
        if flaw is not None:
            reason = (
                f"no body has this inertia ({flaw}), and MuJoCo refuses it: it is written as the closest that one has"
            )
            self.losses.lose(f"link {link.name!r}", "inertia", reason)
        inertial = node.add("inertial", mass=mass)
        if any(inertia.products):
            placed(inertial, Pose(np.eye(3), inertia.pose.p))
            inertial.attributes.setdefault("pos", "0 0 0")
            t = Inertia(mass=mass, moments=moments, products=inertia.products, pose=inertia.pose).tensor
            principal, axes = np.linalg.eigh(t)
            if (of_body := closest_moments(principal)) is not principal:
                t = axes @ np.diag(of_body) @ axes.T
            full = (t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2])
            inertial.attributes |= Node("", fullinertia=numbers(full)).attributes
        else:
            placed(inertial, inertia.pose)
            inertial.attributes.setdefault("pos", "0 0 0")
            inertial.attributes |= Node("", diaginertia=numbers(closest_moments(np.array(moments)))).attributes

    # --- joints ----------------------------------------------------------------------------------------------------

    def _joint(self, node: Node, branch: TreeBranch) -> None:
        """MuJoCo's joints of one joint, in the order of its elementary motions."""
        j, shown = branch.joint, f"joint {branch.joint.name!r}"
        if branch.backward:
            self.losses.note(f"{shown}: in MuJoCo it moves its parent link, so that its coordinates are reversed")
            X_LJ = j.X_PJ
        else:
            X_LJ = j.X_CJ
        start = self.robot.initial.get(j.name, j.type.zero)
        if j.kind == "ball":
            node.add("joint", name=j.name, type="ball", pos=numbers(X_LJ.p), damping=j.damping or None)
            self.start += start
        elif j.kind == "floating":
            self.losses.note(f"{shown}: it is three slides and a ball, since MuJoCo has free joints only in the world")
            self._slides(node, j, X_LJ, np.eye(3))
            node.add("joint", name=j.name, type="ball", pos=numbers(X_LJ.p))
            self.start += start
        elif j.kind == "planar":
            self._slides(node, j, X_LJ, np.array(basis(j.axes[0].xyz)))
            self._scalar(node, f"{j.name}.rz", "hinge", X_LJ, j.axes[0], shown, "axes.1.")
            self.start += start
        elif j.axes:
            kind = "slide" if j.type.prismatic else "hinge"
            for i, (name, axis) in enumerate(zip(j.axis_coordinates, j.axes, strict=True)):
                ref = self.names.reference(AxisRef(j.name, i))
                self._scalar(node, name, kind, X_LJ, axis, shown, f"axes.{i + 1}.", ref)
            self.start += start
            if j.type.travels:
                self._travel(node, j, X_LJ, shown)
        elif j.parent != WORLD:
            self.losses.note(f"{shown}: it is fixed; MuJoCo nests the bodies instead, and its name is lost")
        done = ("name", "kind", "parent", "child", "X_PJ", "X_CJ", "axes", "thread_pitch", "damping")
        leave_rest(self.losses, shown, j, done, NO_ELEMENT)

    def _slides(self, node: Node, j: Joint, X_LJ: Pose, directions: np.ndarray) -> None:
        for name, direction in zip("xyz", directions, strict=False):
            axis = numbers(X_LJ.R @ direction)
            node.add("joint", name=f"{j.name}.{name}", type="slide", pos=numbers(X_LJ.p), axis=axis)

    def _travel(self, node: Node, j: Joint, X_LJ: Pose, shown: str) -> None:
        """A screw: a hinge, a slide along it, and a constraint that ties the two."""
        name = f"{j.name}.travel"
        node.add("joint", name=name, type="slide", pos=numbers(X_LJ.p), axis=numbers(X_LJ.R @ j.axes[0].xyz))
        per_turn = (0.0, j.thread_pitch / (2 * pi), 0.0, 0.0, 0.0)
        tied = {"joint1": name, "joint2": j.name, "polycoef": per_turn}
        self.sections["equality"].add("joint", name=self.names.free("equality", name), **tied, **STIFF)
        self.start.append(float(self.robot.initial.get(j.name, (0.0,))[0]) * j.thread_pitch / (2 * pi))
        self.losses.note(f"{shown}: it is a hinge and a slide, tied by a stiff spring")

    def _scalar(
        self, node: Node, name: str, kind: str, X_LJ: Pose, axis: Axis, shown: str, within: str, ref: float = 0.0
    ) -> None:
        e = node.add("joint", name=name, type=kind, pos=numbers(X_LJ.p), axis=numbers(X_LJ.R @ axis.xyz))
        limits, passive = axis.limits, axis.dynamics
        if limits.lower == limits.upper:
            self._lock(name, limits.lower - ref, shown)
        elif limits.bounded:
            e.attributes |= Node("", range=(max(limits.lower, -1e16), min(limits.upper, 1e16))).attributes
        if 0 < limits.effort < inf:
            e.attributes |= Node("", actuatorfrcrange=(-limits.effort, limits.effort)).attributes
        written = {
            "ref": ref, "stiffness": passive.spring_stiffness, "springref": passive.spring_reference,
            "damping": passive.damping, "armature": passive.armature or self._assumed_armature(name, shown),
            "frictionloss": passive.friction,
        }  # fmt: skip
        e.attributes |= Node("", **{k: x for k, x in written.items() if x}).attributes
        done = ("lower", "upper") if limits.effort == 0 else ("lower", "upper", "effort")
        leave_rest(self.losses, shown, limits, done, "MuJoCo has no such limit", f"{within}limits.")
        numbers_written = ("spring_stiffness", "spring_reference", "damping", "armature", "friction")
        leave_rest(self.losses, shown, passive, numbers_written, NO_ELEMENT, f"{within}dynamics.")

    def _assumed_armature(self, name: str, shown: str) -> float:
        """What our own simulation gives a joint that moves no mass."""
        if name not in self.light:
            return 0.0
        self.losses.note(f"{shown}: it moves no mass; it is written with an armature of {ASSUMED_ARMATURE:g}")
        return ASSUMED_ARMATURE

    def _lock(self, name: str, at: float, shown: str) -> None:
        """MuJoCo takes a range without width for none. `at`: from `ref`."""
        held = self.names.free("equality", name)
        self.sections["equality"].add("joint", name=held, joint1=name, polycoef=(at, 0, 0, 0, 0), **STIFF)
        self.losses.note(f"{shown}: its limits leave no range; a stiff spring holds it")

    # --- shapes ----------------------------------------------------------------------------------------------------

    def _geoms(self, node: Node, link: Link) -> None:
        visuals = only_drawn(link)
        for g in visuals:
            self._geom(node, "visual", g, link)
        drawn_too = {g.name for g in link.visuals} - {g.name for g in visuals}
        for g in link.collisions:
            e = self._geom(node, "collision", g, link)
            if e is not None and g.name in drawn_too:
                e.attributes["group"] = DRAWN

    def _geom(self, node: Node, kind: str, g: Geometry, link: Link) -> Node | None:
        shown = f"link {link.name!r}"
        size = _size(g)
        if isinstance(g.shape, Mesh):
            size = self._mesh(g.shape)
        if isinstance(g.shape, Plane) and link.name not in self.still:
            size = None
        flat = size is not None and not isinstance(g.shape, Plane) and not np.all(np.array(size.get("size", 1.0)) > 0)
        if size is None or flat:
            reason = "MuJoCo has no shapes without a size" if flat else _why_not(g)
            self.losses.lose(shown, f"{kind} {g.name!r}", reason)
            return None
        e = node.add("geom", name=self.names.geom(link.name, g), class_=kind, **size)
        placed(e, g.pose if not isinstance(g.shape, Plane) else g.pose @ _to_normal(g.shape))
        if g.rgba is not None:
            e.attributes |= Node("", rgba=g.rgba).attributes
        if kind == "collision":
            self._contact(e, g, link.name)
        done = ("name", "shape", "pose", "rgba", "surface", "collision_bits", "collides_with")
        leave_rest(self.losses, shown, g, done, NO_ELEMENT, f"{kind} {g.name!r}, ")
        return e

    def _contact(self, e: Node, g: Geometry, link: str) -> None:
        """Friction, with torques against rolling and spinning where they are given; bits as MuJoCo has them."""
        shown, own = f"link {link!r}", (g.collision_bits, g.collides_with)
        bits = self.touch_bits.of(link) if own == (EVERY_BIT, EVERY_BIT) else own
        if bits != ALONE:
            e.attributes |= Node("", contype=_as_int(bits[0]), conaffinity=_as_int(bits[1])).attributes
        if max(g.collision_bits, g.collides_with) >> WORD:
            self.touching.append((e.attributes["name"], g))
        s = g.surface
        if s is None:
            return
        if s.friction is not None:
            coefficients = (s.friction, s.torsional_friction or 0.0, s.rolling_friction or 0.0)
            condim = 6 if coefficients[2] else 4 if coefficients[1] else 3
            e.attributes |= Node("", condim=condim, friction=coefficients).attributes
            self.losses.note("between two shapes, MuJoCo takes the larger friction; here it is the smaller")
        done = ("friction", "torsional_friction", "rolling_friction") if s.friction is not None else ()
        leave_rest(self.losses, shown, s, done, NO_ELEMENT, f"collision {g.name!r}, surface.")

    def _mesh(self, mesh: Mesh) -> dict[str, object] | None:
        file = self.mesh_path(mesh) if mesh.uri.lower().endswith(MESHES) else ""
        if not file:
            return None
        if mesh not in self.assets:
            stem = file.rpartition("/")[2].rpartition(".")[0]
            name = self.assets[mesh] = self.names.free("mesh", stem)
            scale = mesh.scale if mesh.scale != (1.0, 1.0, 1.0) else None
            self.sections["asset"].add("mesh", name=name, file=file, scale=scale, inertia="shell")
        return {"type": "mesh", "mesh": self.assets[mesh]}


def _as_int(bits: int) -> int:
    """The lowest 32 of them, as the number with a sign that MuJoCo reads."""
    low = bits % (1 << WORD)
    return low - (1 << WORD) if low >> (WORD - 1) else low


def _size(g: Geometry) -> dict[str, object] | None:
    """Half of what ours says, where MuJoCo measures from the middle."""
    match g.shape:
        case Box(size=(x, y, z)):
            return {"type": "box", "size": (x / 2, y / 2, z / 2)}
        case Sphere(radius=r):
            return {"type": "sphere", "size": r}
        case Cylinder(radius=r, length=h):
            return {"type": "cylinder", "size": (r, h / 2)}
        case Capsule(radius=r, length=h):
            return {"type": "capsule", "size": (r, h / 2)}
        case Ellipsoid(radii=radii):
            return {"type": "ellipsoid", "size": radii}
        case Plane(size=(x, y)):
            return {"type": "plane", "size": (x / 2, y / 2, 1.0)}
    return None


def _why_not(g: Geometry) -> str:
    if isinstance(g.shape, Mesh):
        return f"MuJoCo cannot read this mesh, or it was not found: {g.shape.uri!r:.120}"
    kind = getattr(g.shape, "kind", type(g.shape).__name__.lower())
    return "MuJoCo has planes on fixed bodies only" if kind == "plane" else f"MuJoCo has no {kind}"


def _to_normal(plane: Plane) -> Pose:
    """A frame whose z is the plane's normal."""
    z = np.array(plane.normal) / np.linalg.norm(plane.normal)
    x, y = basis((float(z[0]), float(z[1]), float(z[2])))
    R = np.column_stack([x, y, z])
    return Pose(R if np.linalg.det(R) > 0 else np.column_stack([y, x, z]), (0.0, 0.0, 0.0))
