"""<asset>: meshes by name, whose files are opened only where their inertia or their size is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from pathlib import PurePosixPath

import numpy as np

from gearwright.errors import GearwrightError
from gearwright.formats.mjcf.compiler import Compiler
from gearwright.formats.mjcf.defaults import MAIN, Defaults
from gearwright.formats.mjcf.grammar import heed
from gearwright.formats.mjcf.mesh_data import MOST_FACES, MeshError, MeshTriangles, checked, read_mesh
from gearwright.formats.mjcf.mesh_inertia import WAYS, MeshInertia, hull, mesh_inertia
from gearwright.formats.mjcf.values import every, exactly, vector, word
from gearwright.formats.paths.mesh_files import MeshFiles
from gearwright.formats.xml.located_xml import Element
from gearwright.given_numbers import FARTHEST
from gearwright.model.poses import IDENTITY, Array, Pose, Vector3, rotation_quaternion

FITTED = ("sphere", "capsule", "cylinder", "ellipsoid", "box")
Size = tuple[float, float, float]


@dataclass
class MeshPart:
    """A <mesh>. Its frame M is that of its vertices after they are moved and scaled."""

    name: str
    element: Element
    uri: str  # where its file is, seen from the model's folder; "" where its vertices are in the element
    files: MeshFiles
    scale: Vector3 = (1.0, 1.0, 1.0)
    refpos: Vector3 = (0.0, 0.0, 0.0)
    R: Array = field(default_factory=lambda: IDENTITY.R)  # of refquat
    way: str = "legacy"
    builtin: bool = False

    @property
    def X_GM(self) -> Pose:
        """Places what is drawn of the file, scaled, where MuJoCo has it: `s·Rᵀ(v − p) = Rᵀ·s·v − s·Rᵀ·p`."""
        if self.R is IDENTITY.R and not any(self.refpos):
            return IDENTITY
        return Pose(self.R.T, -np.array(self.scale) * (self.R.T @ np.array(self.refpos)))

    @property
    def X_MI(self) -> Pose:
        found = self.inertia
        return IDENTITY if found is None else found.X_MI

    @cached_property
    def triangles(self) -> MeshTriangles | None:
        """Moved and scaled; None, with an error, where they cannot be had."""
        try:
            given = self._given()
            faces = given.faces if len(given.faces) else hull(given.vertices)
        except (MeshError, GearwrightError) as error:
            self._refuse(str(error))
            return None
        vertices = (given.vertices - self.refpos) @ self.R * self.scale
        return MeshTriangles(vertices, faces if np.prod(self.scale) > 0 else faces[:, [0, 2, 1]])

    def _given(self) -> MeshTriangles:
        if self.builtin:
            raise MeshError("is one of MuJoCo's own shapes (builtin), which are not made here")
        if self.uri:
            path = self.files.find(self.uri, self.element.file)
            if path is None:
                raise MeshError(f"is in {self.uri!r}, which was not found; search_path= or --path adds folders")
            return read_mesh(path)
        vertices, faces = every(self.element, "vertex") or (), every(self.element, "face") or ()
        if len(vertices) % 3 or len(faces) % 3:
            raise MeshError("has vertices or faces that are not triples of numbers")
        if any(abs(i) > MOST_FACES * 3 or i % 1 for i in faces):
            raise MeshError("has faces that are not numbers of vertices")
        return checked(np.array(vertices).reshape(-1, 3), np.array(faces, dtype=np.int64).reshape(-1, 3))

    @cached_property
    def inertia(self) -> MeshInertia | None:
        if self.triangles is None:
            return None
        try:
            return mesh_inertia(self.triangles.vertices, self.triangles.faces, self.way)
        except (MeshError, GearwrightError) as error:
            self._refuse(str(error))
            return None

    def _refuse(self, why: str) -> None:
        self.element.report.error("inertia-auto", f"mesh {self.name!r} {why}", self.element.source)

    def fitted(self, e: Element, kind: str, scale: float, *, aabb: bool) -> tuple[Size, Pose] | None:
        """Half sizes of a shape about the mesh, and its pose in the mesh's frame."""
        if kind not in FITTED:
            e.error("number-invalid", f"attribute type: a {kind} cannot be fitted to a mesh; {', '.join(FITTED)} can")
            return None
        found = self.inertia
        if found is None or self.triangles is None:
            return None
        size, center = self._extent() if aabb else (self._box(found), np.zeros(3))
        a, b, c = (scale * x for x in (_about if aabb else _like)(kind, *size))
        if not 0 < a < FARTHEST or not max(b, c) < FARTHEST:
            e.error("number-invalid", f"a {kind} of this size cannot be fitted to mesh {self.name!r}")
            return None
        return (a, b, c), found.X_MI @ Pose(IDENTITY.R, center)

    def _box(self, found: MeshInertia) -> tuple[float, float, float]:
        """Half sizes of the box with the same moments."""
        x, y, z = found.moments
        a, b, c = (sqrt(max(1.5 * m, 0.0)) for m in (y + z - x, x + z - y, x + y - z))
        return a, b, c

    def _extent(self) -> tuple[tuple[float, float, float], Array]:
        """Half sizes and middle of the box along the principal axes around all vertices."""
        assert self.triangles is not None and self.inertia is not None
        X = self.inertia.X_MI
        v = (self.triangles.vertices - X.p) @ X.R
        low, high = v.min(axis=0), v.max(axis=0)
        a, b, c = ((high - low) / 2).tolist()
        return (a, b, c), (low + high) / 2


def _like(kind: str, a: float, b: float, c: float) -> Size:
    """A shape of about the size of a box."""
    if kind == "sphere":
        return ((a + b + c) / 3, 0.0, 0.0)
    if kind in ("capsule", "cylinder"):
        r = (a + b) / 2
        return (r, max(0.0, c - r / 2) if kind == "capsule" else c, 0.0)
    return a, b, c


def _about(kind: str, a: float, b: float, c: float) -> Size:
    """A shape whose box is at least this one."""
    if kind == "sphere":
        return (max(a, b, c), 0.0, 0.0)
    if kind in ("capsule", "cylinder"):
        r = max(a, b)
        return (r, c - r if kind == "capsule" else c, 0.0)
    return a, b, c


class MeshAssets:
    """The meshes of a file by name, and the colours of its materials, and models to attach."""

    def __init__(self) -> None:
        self.by_name: dict[str, MeshPart] = {}
        self.colours: dict[str, tuple[float, ...]] = {}
        self.models: dict[str, Element] = {}

    def find(self, e: Element, prefix: str = "") -> MeshPart | None:
        name = e.get("mesh") or ""
        if name not in self.by_name:
            e.error("name-missing", f"<{e.tag}>: there is no mesh {name[:80]!r}{e.report.near(name, self.by_name)}")
        return self.by_name.get(name)


def read_assets(root: Element, compiler: Compiler, defaults: Defaults, files: MeshFiles) -> MeshAssets:
    found = MeshAssets()
    for section in root.all("asset"):
        heed(section, "asset")
        for e in section.all("mesh", "hfield", "skin", "texture", "material", "model"):
            if e.tag == "mesh":
                _read_mesh(e, compiler, defaults, files, found)
            elif e.tag == "material":
                _read_material(e, defaults, found)
            elif heed(e, f"asset/{e.tag}") and e.tag == "model":
                found.models[e.get("name") or PurePosixPath(e.get("file") or "").stem] = e
    return found


def _read_material(e: Element, defaults: Defaults, found: MeshAssets) -> None:
    defaults.fill(e, MAIN)
    heed(e, "asset/material")
    for layer in e.all("layer"):
        heed(layer, "asset/material/layer")
    rgba = exactly(e, "rgba", 4)
    if rgba is not None:
        found.colours[e.get("name") or ""] = rgba


def _read_mesh(e: Element, compiler: Compiler, defaults: Defaults, files: MeshFiles, found: MeshAssets) -> None:
    defaults.fill(e, MAIN)
    heed(e, "asset/mesh")
    for child in e.all("plugin"):
        heed(child, "asset/mesh/plugin")
    file = e.get("file") or ""
    name = e.get("name") or PurePosixPath(file).stem
    if not name or name in found.by_name:
        what = f"there are two meshes named {name!r}" if name else "a mesh without a name"
        e.error("name-duplicate" if name else "name-missing", what)
        return
    scale, quat = vector(e, "scale", (1.0, 1.0, 1.0)), exactly(e, "refquat", 4) or (1.0, 0.0, 0.0, 0.0)
    if 0.0 in scale or not any(quat):
        e.error("number-invalid", f"mesh {name!r}: neither scale nor refquat can be zero")
        return
    R = IDENTITY.R if not any(quat[1:]) else rotation_quaternion(quat[0], quat[1], quat[2], quat[3])
    if R is not IDENTITY.R and len(set(scale)) > 1 and file:
        e.info("element-ignored", f"mesh {name!r} is turned and then stretched: it is drawn stretched and then turned")
    found.by_name[name] = MeshPart(
        name=name, element=e, uri=compiler.asset(file) if file else "", files=files, scale=scale,
        refpos=vector(e, "refpos"), R=R, way=word(e, "inertia", WAYS, "legacy"), builtin=bool(e.get("builtin")),
    )  # fmt: skip
