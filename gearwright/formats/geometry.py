"""Shapes of both formats: `SHAPES` maps an element's name to the reader of its parameters."""

from __future__ import annotations

from collections.abc import Callable

from gearwright.formats.located_xml import Element
from gearwright.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, OtherShape, Plane, Shape, Sphere
from gearwright.model.poses import Vector3

_ONES: Vector3 = (1.0, 1.0, 1.0)


class Values:
    """Numbers of a shape: SDF writes them as children, URDF as attributes; both are looked for."""

    def __init__(self, element: Element) -> None:
        self.element = element

    def number(self, name: str, default: float = 1.0) -> float:
        return self.element.child_number(name, self.element.number(name, default))

    def vector(self, name: str, default: Vector3 = _ONES) -> Vector3:
        return self.element.child_vector(name, self.element.vector(name, default))

    def text(self, *names: str) -> str:
        found = (self.element.child_text(n) or self.element.get(n) or "" for n in names)
        return next((t for t in found if t), "")


def _plane(v: Values) -> Shape:
    size = v.element.child("size")
    numbers = (size.numbers() if size else None) or [1.0, 1.0]
    if len(numbers) != 2:
        v.element.error("number-invalid", f"<size>: a plane has two numbers, not {len(numbers)}")
        numbers = [1.0, 1.0]
    return Plane(normal=v.vector("normal", (0.0, 0.0, 1.0)), size=(numbers[0], numbers[1]))


def _mesh(v: Values) -> Shape:
    for known in ("submesh", "convex_decomposition", "drake:declare_convex"):
        child = v.element.child(known)
        if child is not None:
            child.consume()
    v.element.get("optimization")
    return Mesh(uri=v.text("uri", "filename"), scale=_scale(v))


def _scale(v: Values) -> Vector3:
    text = v.text("scale")
    if len(text.split()) == 1:  # one number for all three, as some files have it
        s = v.number("scale")
        return (s, s, s)
    return v.vector("scale")


SHAPES: dict[str, Callable[[Values], Shape]] = {
    "box": lambda v: Box(size=v.vector("size")),
    "sphere": lambda v: Sphere(radius=v.number("radius")),
    "cylinder": lambda v: Cylinder(radius=v.number("radius"), length=v.number("length")),
    "capsule": lambda v: Capsule(radius=v.number("radius"), length=v.number("length")),
    "cone": lambda v: Cone(radius=v.number("radius"), length=v.number("length")),
    "ellipsoid": lambda v: Ellipsoid(radii=v.vector("radii")),
    "plane": _plane,
    "mesh": _mesh,
}
SHAPES["drake:capsule"] = SHAPES["capsule"]
OTHER_SHAPES = ("heightmap", "image", "polyline", "empty", "drake:ellipsoid", "cloth", "texture")


def read_shape(element: Element) -> Shape | None:
    """The shape in a <geometry>; None, with a warning, where there is none."""
    geometry = element.child("geometry")
    if geometry is None:
        element.warning("element-missing", f"<{element.tag}> has no <geometry>")
        return None
    for tag, read in SHAPES.items():
        shape = geometry.child(tag)
        if shape is not None:
            return read(Values(shape))
    for tag in OTHER_SHAPES:
        shape = geometry.child(tag)
        if shape is not None:
            shape.consume()
            return OtherShape(kind=tag)
    return None
