"""Shapes of both formats: `SHAPES` maps an element's name to the reader of its parameters."""

from __future__ import annotations

from collections.abc import Callable

from gearwright.formats.xml.located_xml import Element
from gearwright.model.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Heightmap,
    Mesh,
    OtherShape,
    Plane,
    Shape,
    Sphere,
)
from gearwright.model.poses import Vector3

_ONES: Vector3 = (1.0, 1.0, 1.0)


class ShapeNumbers:
    """Numbers of a shape: SDF writes them as children, URDF as attributes; both are looked for."""

    def __init__(self, element: Element) -> None:
        self.element = element
        self.nested = bool(element.children)

    def number(self, name: str) -> float:
        """A length; what is missing is 1 m, as SDFormat has it."""
        e = self.element
        self._expect(name, "1 m")
        value = e.child_number(name, 1.0) if self.nested else e.number(name, 1.0)
        return self.check_not_negative(name, value)

    def lengths(self, name: str) -> Vector3:
        self._expect(name, "1 m each way")
        x, y, z = self.vector(name, _ONES)
        self.check_not_negative(name, min(x, y, z))
        return x, y, z

    def vector(self, name: str, default: Vector3) -> Vector3:
        e = self.element
        return e.child_vector(name, default) if self.nested else e.vector(name, default)

    def _expect(self, name: str, instead: str) -> None:
        e = self.element
        if (e.child(name) if self.nested else e.get(name)) is None:
            e.warning("element-missing", f"<{e.tag}> has no {name}; {instead} is used")

    def check_not_negative(self, name: str, value: float) -> float:
        if value < 0:
            self.element.error("number-invalid", f"<{self.element.tag}>: {name} cannot be negative ({value:g} m)")
        return value

    def text(self, name: str) -> str:
        return (self.element.child_text(name) if self.nested else self.element.get(name)) or ""


def _drake_ellipsoid(v: ShapeNumbers) -> Shape:
    a, b, c = (v.number(f"drake:{axis}" if v.nested else axis) for axis in "abc")
    return Ellipsoid(radii=(a, b, c))


def _plane(v: ShapeNumbers) -> Shape:
    size, attribute = v.element.child("size"), v.element.get("size")  # the attribute is ours, in a URDF
    numbers = (size.numbers() if size else v.element.numbers(attribute or "", "attribute size")) or [1.0, 1.0]
    if len(numbers) != 2:
        v.element.error("number-invalid", f"<size>: a plane has two numbers, not {len(numbers)}")
        numbers = [1.0, 1.0]
    return Plane(normal=v.vector("normal", (0.0, 0.0, 1.0)), size=(numbers[0], numbers[1]))


def _mesh(v: ShapeNumbers) -> Shape:
    for known in v.element.all("submesh", "convex_decomposition", "drake:declare_convex"):
        known.consume()
    v.element.get("optimization")
    uri = v.element.get("filename") or v.element.child_text("uri")
    return Mesh(uri=uri, scale=_scale(v))


def _heightmap(v: ShapeNumbers) -> Shape:
    """An image; textures and blending are of visuals."""
    e = v.element
    for drawn in e.all("texture", "blend", "use_terrain_paging", "sampling"):
        drawn.consume()
    size = e.child_vector("size", _ONES)
    v.check_not_negative("size", min(size))
    return Heightmap(uri=e.child_text("uri"), size=size, position=e.child_vector("pos", (0.0, 0.0, 0.0)))


def _scale(v: ShapeNumbers) -> Vector3:
    e = v.element
    text = e.get("scale") or e.child_text("scale")
    if not text:
        return _ONES
    if len(text.split()) == 1:  # one number for all three, as some files have it
        s = e.child_number("scale", e.number("scale", 1.0))
        return (s, s, s)
    return e.child_vector("scale", _ONES) if "scale" not in e.attributes else e.vector("scale", _ONES)


SHAPES: dict[str, Callable[[ShapeNumbers], Shape]] = {
    "box": lambda v: Box(size=v.lengths("size")),
    "sphere": lambda v: Sphere(radius=v.number("radius")),
    "cylinder": lambda v: Cylinder(radius=v.number("radius"), length=v.number("length")),
    "capsule": lambda v: Capsule(radius=v.number("radius"), length=v.number("length")),
    "cone": lambda v: Cone(radius=v.number("radius"), length=v.number("length")),
    "ellipsoid": lambda v: Ellipsoid(radii=v.lengths("radii")),
    "plane": _plane,
    "mesh": _mesh,
    "heightmap": _heightmap,
}
SHAPES["drake:capsule"] = SHAPES["capsule"]
SHAPES["drake:ellipsoid"] = _drake_ellipsoid
OTHER_SHAPES = ("image", "polyline", "empty", "cloth", "texture")


def read_shape(element: Element) -> Shape | None:
    """The shape in a <geometry>; None, with a warning, where there is none."""
    geometry = element.child("geometry")
    if geometry is None:
        element.warning("element-missing", f"<{element.tag}> has no <geometry>")
        return None
    for shape in geometry.all(*SHAPES, *OTHER_SHAPES):
        if shape.tag in SHAPES:
            return SHAPES[shape.tag](ShapeNumbers(shape))
        shape.consume()
        return OtherShape(kind=shape.tag)
    return None
