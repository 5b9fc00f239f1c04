"""Shapes of links: for the viewer, for mass properties, for contact. Lengths in metres."""

from __future__ import annotations

from dataclasses import dataclass, field

from gearwright.diagnostics import Source
from gearwright.model.poses import IDENTITY, Pose, Vector3
from gearwright.model.shapes.height_field import HeightField
from gearwright.model.shapes.hull import Hull
from gearwright.model.shapes.surface import Surface


@dataclass(frozen=True, kw_only=True, slots=True)
class Box:
    """Its middle at the origin."""

    size: Vector3  # along x, y, z [m]


@dataclass(frozen=True, kw_only=True, slots=True)
class Sphere:
    """Its middle at the origin."""

    radius: float  # of the sphere [m]


@dataclass(frozen=True, kw_only=True, slots=True)
class Cylinder:
    """Along z, its middle at the origin."""

    radius: float  # of its rim [m]
    length: float  # along z [m]


@dataclass(frozen=True, kw_only=True, slots=True)
class Capsule:
    """Along z, its middle at the origin; `length` is without the caps."""

    radius: float  # [m]
    length: float  # [m]


@dataclass(frozen=True, kw_only=True, slots=True)
class Cone:
    """Along z, its middle at the origin, the tip up."""

    radius: float  # [m]
    length: float  # [m]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ellipsoid:
    radii: Vector3  # [m]


@dataclass(frozen=True, kw_only=True, slots=True)
class Plane:
    normal: Vector3 = (0.0, 0.0, 1.0)
    size: tuple[float, float] = (1.0, 1.0)  # [m]


@dataclass(frozen=True, kw_only=True, slots=True)
class Mesh:
    """A reference to a mesh file, as written; nothing is opened when a model is loaded."""

    uri: str
    scale: Vector3 = (1.0, 1.0, 1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Heightmap:
    """A reference to an image of heights, as written; `HeightField` has the heights."""

    uri: str
    size: Vector3 = (1.0, 1.0, 1.0)  # along x and y, and from black to white [m]
    position: Vector3 = (0.0, 0.0, 0.0)  # of its middle [m]


@dataclass(frozen=True, kw_only=True, slots=True)
class OtherShape:
    """A shape that is known by name only (polyline, image)."""

    kind: str


EVERY_BIT = 0xFFFF
KIND_NAMES = {"HeightField": "heightmap", "Hull": "mesh"}  # where the class is called otherwise

Solid = Box | Sphere | Cylinder | Capsule | Cone | Ellipsoid
Shape = Solid | Plane | Mesh | Hull | Heightmap | HeightField | OtherShape


def kind_name(shape: Shape) -> str:
    """ "sphere", "mesh", "polyline"."""
    own = type(shape).__name__
    return shape.kind if isinstance(shape, OtherShape) else KIND_NAMES.get(own, own.lower())


@dataclass(frozen=True, kw_only=True)
class Geometry:
    """A shape on a link: a visual or a collision."""

    name: str
    shape: Shape
    pose: Pose = IDENTITY  # X_LG: in the link's frame
    rgba: tuple[float, float, float, float] | None = None
    surface: Surface | None = None  # of a collision, where the file describes it
    collision_bits: int = EVERY_BIT  # shapes touch where one has a bit that the other collides with
    collides_with: int = EVERY_BIT
    source: Source | None = field(default=None, compare=False, repr=False)
