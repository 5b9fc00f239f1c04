"""<geom> and <site>: shapes with their poses, surfaces and masses."""

from __future__ import annotations

import numpy as np

from gearwright.errors import ModelError
from gearwright.formats.mjcf.grammar import heed
from gearwright.formats.mjcf.meshes import MeshPart
from gearwright.formats.mjcf.parts import GeomPart, Parts, Placement, SitePart
from gearwright.formats.mjcf.poses import along_z, pose
from gearwright.formats.mjcf.values import exactly, real, reals, word
from gearwright.formats.xml.located_xml import Element
from gearwright.given_numbers import FARTHEST
from gearwright.model.geometry import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    OtherShape,
    Plane,
    Shape,
    Sphere,
)
from gearwright.model.poses import Pose
from gearwright.model.shapes.surface import Surface

TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3, "plane": 3}  # numbers that each needs
ALONG = ("capsule", "cylinder", "ellipsoid", "box")  # that `fromto` places
DRAWN = range(0, 3)  # groups that MuJoCo's viewer shows
ENDLESS = 10.0  # [m] of what is drawn of a plane without end
SHORTEST = 1e-14  # [m] between two points


def read_geom(e: Element, at: Placement, parts: Parts) -> None:
    assert at.file is not None
    at.file.defaults.fill(e, at.childclass)
    heed(e, "body/geom")
    for child in e.all("plugin"):
        heed(child, "body/geom/plugin")
    name = parts.name(e, parts.geoms, "geom", at.prefix, f"{at.body.name}_geom")
    placed = _placed(e, at)
    if placed is None:
        return
    kind, size, X_FG, mesh = placed
    X_BG = at.X_BF @ X_FG
    geom = GeomPart(
        name=name, element=e, body=at.body, kind=kind, size=size, mesh=mesh, shape=_shape(kind, size, mesh, e),
        X_BG=X_BG, pose=X_BG if mesh is None else X_BG @ mesh.X_GM, group=int(real(e, "group")),
        contype=_bits(e, "contype"), conaffinity=_bits(e, "conaffinity"),
    )  # fmt: skip
    if kind == "sdf":
        e.error("element-refused", f"geom {name!r}: shapes that are given by a plugin are not read")
    parts.geoms[name] = geom
    at.body.geoms.append(geom)


def _bits(e: Element, name: str) -> int:
    return int(real(e, name, 1.0)) & 0xFFFFFFFF


def _placed(e: Element, at: Placement) -> tuple[str, tuple[float, ...], Pose, MeshPart | None] | None:
    """Type, half sizes, pose in the frame around it, and the mesh of a mesh."""
    assert at.file is not None
    kind = word(e, "type", TYPES, "sphere")
    size = reals(e, "size", (0.0, 0.0, 0.0))
    if max(map(abs, size)) > FARTHEST:
        e.error("number-invalid", f"attribute size: a length exceeds the limit of {FARTHEST:g} m")
        return None
    ends = exactly(e, "fromto", 6)
    mesh = at.file.meshes.find(e, at.prefix) if "mesh" in e.attributes else None
    if "mesh" in e.attributes and mesh is None:
        return None
    if ends is not None and kind in ALONG and mesh is None:
        return _between(e, kind, size, ends)
    if ends is not None:
        e.error("number-invalid", f"attribute fromto: a {kind} has no two ends; {', '.join(ALONG)} have")
        return None
    X = pose(e, at.file.compiler)
    if kind in ("mesh", "sdf"):
        if mesh is None and kind == "mesh":
            e.error("element-missing", "a geom of type mesh needs mesh, the name of an asset")
        return None if mesh is None else (kind, size, X, mesh)
    if mesh is not None:  # a shape that is fitted to it
        fitted = mesh.fitted(e, kind, real(e, "fitscale", 1.0), aabb=at.file.compiler.fitaabb)
        return None if fitted is None else (kind, fitted[0], X @ fitted[1], None)
    if min(size[: SIZES.get(kind, 0)], default=1.0) <= 0 and kind != "plane":
        e.error("number-invalid", f"attribute size: a {kind} needs {SIZES[kind]} positive numbers")
        return None
    return kind, size, X, None


def _between(
    e: Element, kind: str, size: tuple[float, ...], ends: tuple[float, ...]
) -> tuple[str, tuple[float, ...], Pose, None] | None:
    """From one point to another along z, which points to the first."""
    a, b = np.array(ends[:3]), np.array(ends[3:])
    half = float(np.linalg.norm(a - b)) / 2
    if not SHORTEST < half < FARTHEST or size[0] <= 0:
        e.error("number-invalid", "attribute fromto: two different points are expected, and a positive size")
        return None
    try:
        X = Pose(along_z(a - b), (a + b) / 2)
    except ModelError:
        e.error("number-invalid", "attribute fromto: the two points are too close")
        return None
    return kind, (size[0], half, 0.0) if kind in ("capsule", "cylinder") else (size[0], size[0], half), X, None


def _shape(kind: str, size: tuple[float, ...], mesh: MeshPart | None, e: Element) -> Shape:
    a, b, c = size
    if kind in ("mesh", "sdf"):
        assert mesh is not None
        return Mesh(uri=mesh.uri, scale=mesh.scale) if mesh.uri else OtherShape(kind="mesh")
    if kind == "plane":
        return Plane(size=(2 * a or ENDLESS, 2 * b or ENDLESS))
    if kind == "hfield":
        e.get("hfield")
        return OtherShape(kind="heightmap")
    shapes: dict[str, Shape] = {
        "sphere": Sphere(radius=a),
        "capsule": Capsule(radius=a, length=2 * b),
        "cylinder": Cylinder(radius=a, length=2 * b),
        "ellipsoid": Ellipsoid(radii=(a, b, c)),
        "box": Box(size=(2 * a, 2 * b, 2 * c)),
    }
    return shapes[kind]


def geometry(g: GeomPart, colours: dict[str, tuple[float, ...]], touches: bool) -> Geometry:
    """What the model has of it. Without `touches`, contact is switched off in the file."""
    rgba = exactly(g.element, "rgba", 4) if "rgba" in g.element.attributes else None
    rgba = rgba or colours.get(g.element.get("material") or "")
    colour = None if rgba is None else (rgba[0], rgba[1], rgba[2], rgba[3])
    return Geometry(
        name=g.name, shape=g.shape, pose=g.pose, rgba=colour, surface=_surface(g) if g.collides else None,
        collision_bits=g.contype if touches else 0, collides_with=g.conaffinity if touches else 0,
        source=g.element.source,
    )  # fmt: skip


def _surface(g: GeomPart) -> Surface:
    """Friction, as far as the number of dimensions of its contacts lets it act; MuJoCo has no restitution."""
    slide, spin, roll = reals(g.element, "friction", (1.0, 0.005, 0.0001))
    dimensions = int(real(g.element, "condim", 3.0))
    moving = reals(g.element, "surfacevel", (0.0,) * 6)
    if any(moving[3:]):
        g.element.warning("not-simulated", f"geom {g.name!r}: a rotating surface is not simulated, a sliding one is")
    return Surface(
        friction=max(slide, 0.0) if dimensions > 1 else 0.0,
        torsional_friction=max(spin, 0.0) if dimensions > 3 else None,
        rolling_friction=max(roll, 0.0) if dimensions > 4 else None,
        velocity=(moving[0], moving[1], moving[2]),
    )


def is_drawn(g: GeomPart) -> bool:
    return g.group in DRAWN


def read_site(e: Element, at: Placement, parts: Parts) -> None:
    assert at.file is not None
    at.file.defaults.fill(e, at.childclass)
    heed(e, "body/site")
    name = parts.name(e, parts.sites, "site", at.prefix, f"{at.body.name}_site")
    ends = exactly(e, "fromto", 6)
    if ends is None:
        X = pose(e, at.file.compiler)
    else:
        a, b = np.array(ends[:3]), np.array(ends[3:])
        try:
            X = Pose(along_z(a - b), (a + b) / 2)
        except ModelError:
            e.error("number-invalid", "attribute fromto: two different points are expected")
            return
    parts.sites[name] = SitePart(name, e, at.body, at.X_BF @ X)
