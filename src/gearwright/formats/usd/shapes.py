"""Prims that have a shape. `SHAPES` maps a prim's type to what it is, along z and in metres."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gearwright.formats.parts.surfaces import read_contact
from gearwright.formats.usd.places import PrimFrame
from gearwright.formats.usd.stage import OWN, UsdPrim, UsdStage
from gearwright.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Shape, Sphere
from gearwright.model.poses import Array, Pose, Vector3

COLLIDES = "PhysicsCollisionAPI"
MASS = "PhysicsMassAPI"
HIDDEN = ("guide", "proxy")  # purposes of what is not drawn
TO_Z: dict[str, Array] = {  # rotations that take z to the axis
    "X": np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]),
    "Y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]),
    "Z": np.eye(3),
}


def is_shape(prim: UsdPrim) -> bool:
    return prim.kind in SHAPES or prim.kind == "Mesh" or _mesh_address(prim) is not None


def geometry(prim: UsdPrim, stage: UsdStage) -> Geometry | None:
    """The shape on its link; None, with a warning, for one that is left out."""
    frame = stage.in_link(prim)
    shape = None if frame is None else _shape(prim, frame, stage)
    if frame is None or shape is None:
        what = f"the shape {prim.path!r:.120} is left out"
        why = "a mesh inside the file" if prim.kind == "Mesh" else "sheared, or scaled unevenly across its axis"
        prim.element.warning("not-simulated", f"{what}: {why}")
        return None
    along = prim.element.get("axis") or "Z"
    X = frame.X if along == "Z" else frame.X @ Pose(TO_Z.get(along, TO_Z["Z"]), (0.0, 0.0, 0.0))
    name = prim.element.get(f"{OWN}name") or prim.element.get("name") or "shape"
    own = prim.own_element("contact")
    contact = {} if own is None else read_contact(own)
    return Geometry(name=name, shape=shape, pose=X, rgba=_colour(prim), source=prim.element.source, **contact)


def touches(prim: UsdPrim) -> bool:
    return prim.has(COLLIDES) and prim.truth("physics:collisionEnabled", True)


def is_drawn(prim: UsdPrim) -> bool:
    return (prim.element.get("purpose") or "default") not in HIDDEN


def _colour(prim: UsdPrim) -> tuple[float, float, float, float] | None:
    if prim.element.get("primvars:displayColor") is None:
        return None
    given = (prim.element.get("primvars:displayColor") or "").split()
    if len(given) != 3:  # a colour of each face
        return None
    r, g, b = prim.numbers("primvars:displayColor", (0.0, 0.0, 0.0))
    opacity = (prim.element.get("primvars:displayOpacity") or "1").split()
    a = prim.numbers("primvars:displayOpacity", (1.0,))[0] if len(opacity) == 1 else 1.0
    return (r, g, b, a)


def _mesh_address(prim: UsdPrim) -> str | None:
    """Of a prim that stands for a mesh in another file."""
    return prim.element.get(f"{OWN}mesh") or prim.element.get("@references")


def _shape(prim: UsdPrim, frame: PrimFrame, stage: UsdStage) -> Shape | None:
    address = _mesh_address(prim)
    if address is not None:
        return Mesh(uri=address, scale=frame.scale)
    x, y, z = (abs(s) * stage.length for s in frame.scale)
    along = prim.element.get("axis") or "Z"
    across, length = {"X": ((y, z), x), "Y": ((x, z), y)}.get(along, ((x, y), z))
    make = SHAPES.get(prim.kind)
    return None if make is None else make(prim, (across[0], across[1], length))


def _box(prim: UsdPrim, scale: Vector3) -> Shape:
    size = prim.real("size", 2.0)
    return Box(size=(size * scale[0], size * scale[1], size * scale[2]))


def _ball(prim: UsdPrim, scale: Vector3) -> Shape:
    r = prim.real("radius", 1.0)
    x, y, z = scale
    return Sphere(radius=r * x) if x == y == z else Ellipsoid(radii=(r * x, r * y, r * z))


def _long(kind: type[Cylinder] | type[Capsule] | type[Cone], height: float, radius: float) -> Maker:
    def made(prim: UsdPrim, scale: Vector3) -> Shape | None:
        across, other, along = scale
        round_caps = kind is not Capsule or abs(along - across) <= EVEN * across
        if abs(across - other) > EVEN * across or not round_caps:
            return None
        return kind(radius=prim.real("radius", radius) * across, length=prim.real("height", height) * along)

    return made


def _plane(prim: UsdPrim, scale: Vector3) -> Shape:
    width, length = prim.real("width", 2.0), prim.real("length", 2.0)
    x, y, z = prim.numbers(f"{OWN}normal", (0.0, 0.0, 1.0))
    return Plane(normal=(x, y, z), size=(width * scale[0], length * scale[1]))


Maker = Callable[[UsdPrim, Vector3], Shape | None]
EVEN = 1e-6  # relative difference of scales that is rounding
SHAPES: dict[str, Maker] = {
    "Cube": _box,
    "Sphere": _ball,
    "Cylinder": _long(Cylinder, 2.0, 1.0),
    "Capsule": _long(Capsule, 1.0, 0.5),
    "Cone": _long(Cone, 2.0, 1.0),
    "Plane": _plane,
}
