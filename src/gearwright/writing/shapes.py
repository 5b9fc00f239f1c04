"""Shapes: SDFormat has their numbers as elements, URDF as attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gearwright.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Sphere
from gearwright.model.geometry import Heightmap
from gearwright.writing.nodes import Node

NUMBERS: dict[type[Any], tuple[str, tuple[str, ...]]] = {
    Box: ("box", ("size",)),
    Sphere: ("sphere", ("radius",)),
    Cylinder: ("cylinder", ("radius", "length")),
    Capsule: ("capsule", ("radius", "length")),
    Cone: ("cone", ("radius", "length")),
    Ellipsoid: ("ellipsoid", ("radii",)),
    Plane: ("plane", ("normal", "size")),
}
MeshPath = Callable[[Mesh], str]  # the address that the file has


def add_shape(parent: Node, g: Geometry, mesh_path: MeshPath, *, attributes: bool) -> bool:
    """<geometry>; False for a shape that is known by name only."""
    shape = g.shape
    if isinstance(shape, Mesh):
        node = parent.add("geometry").add("mesh")
        if attributes:
            node.attributes["filename"] = mesh_path(shape)
        else:
            node.add("uri", mesh_path(shape))
        numbers: dict[str, Any] = {"scale": shape.scale} if shape.scale != (1.0, 1.0, 1.0) else {}
    elif isinstance(shape, Heightmap):
        node, attributes = parent.add("geometry").add("heightmap"), False
        numbers = {"uri": shape.uri, "size": shape.size, "pos": shape.position}
    elif type(shape) in NUMBERS:
        tag, names = NUMBERS[type(shape)]
        node = parent.add("geometry").add(tag)
        numbers = {name: getattr(shape, name) for name in names}
    else:
        return False
    for name, value in numbers.items():
        if attributes:
            node.attributes |= Node("", **{name: value}).attributes
        else:
            node.add(name, value)
    return True
