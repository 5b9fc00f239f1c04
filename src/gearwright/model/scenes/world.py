"""`gearwright.World`: robots, objects and a ground, put together in Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_names import checked_instance, checked_name
from gearwright.given_numbers import number, numbers
from gearwright.model.contacts.ground import GROUND, ground_mechanism
from gearwright.model.fields import meanings
from gearwright.model.geometry import Box, Capsule, Cylinder, Geometry, Shape, Sphere
from gearwright.model.given_poses import pose_of
from gearwright.model.joints import WORLD, Joint
from gearwright.model.links import Link
from gearwright.model.mass.inertia import MASSLESS, Inertia
from gearwright.model.mass.solids import combined, solid
from gearwright.model.mechanism import DEFAULT_GRAVITY, Mechanism
from gearwright.model.poses import Pose
from gearwright.model.renaming import with_prefix
from gearwright.model.scenes.placing import moved, side_by_side
from gearwright.model.shapes.surface import Surface

HERE = (0.0, 0.0, 0.0)
COLOURS = ((0.90, 0.55, 0.22), (0.36, 0.60, 0.86), (0.45, 0.72, 0.42), (0.78, 0.47, 0.72))  # of objects, in turn
STANDING = (0.72, 0.72, 0.70)  # of what stands still


class World:
    """Robots, objects and a ground; `finish` makes one mechanism of them.

    A pose is x y z, or x y z roll pitch yaw [m, rad], or x y z and a quaternion w x y z, or a 4×4 matrix. An object
    with a mass is free: a body "cube" has the coordinates "cube.x" …, like a floating base. One without a
    mass stands still. Surfaces take `friction`, `restitution`, `stiffness` and other fields of `gearwright.Surface`.
    """

    def __init__(self, name: str = "world", *, gravity: Sequence[float] | None = None) -> None:
        self.name = checked_name("a world", name)
        self.gravity = None if gravity is None else _three("gravity", gravity)
        self._robots: dict[str, Mechanism] = {}
        self._objects: dict[str, Mechanism] = {}

    def __repr__(self) -> str:
        return f"<World {self.name!r}: {', '.join([*self._robots, *self._objects]) or 'empty'}>"

    # --- robots ----------------------------------------------------------------------------------------------------

    def add(self, robot: Mechanism, name: str | None = None, pose: object = HERE) -> None:
        """Adds a robot. If it is the only one, its parts keep their names; otherwise they are called `name::joint`."""
        checked_instance("robot", robot, Mechanism)
        name = checked_name("a robot", robot.name if name is None else name)
        self._new(name)
        self._robots[name] = moved(robot, pose_of(f"the pose of {name!r}", pose))

    # --- objects ---------------------------------------------------------------------------------------------------

    def box(
        self, name: str, *, size: Sequence[float], mass: float | None = None, pose: object = HERE,
        color: Sequence[float] | None = None, **surface: Any,
    ) -> None:  # fmt: skip
        """A box with its centre at the pose."""
        self._object(name, Box(size=_three("size", size)), mass, pose, color, surface)

    def sphere(
        self, name: str, *, radius: float, mass: float | None = None, pose: object = HERE,
        color: Sequence[float] | None = None, **surface: Any,
    ) -> None:  # fmt: skip
        """A ball."""
        self._object(name, Sphere(radius=_length("radius", radius)), mass, pose, color, surface)

    def cylinder(
        self, name: str, *, radius: float, length: float, mass: float | None = None, pose: object = HERE,
        color: Sequence[float] | None = None, **surface: Any,
    ) -> None:  # fmt: skip
        """A cylinder along z with its centre at the pose."""
        shape = Cylinder(radius=_length("radius", radius), length=_length("length", length))
        self._object(name, shape, mass, pose, color, surface)

    def capsule(
        self, name: str, *, radius: float, length: float, mass: float | None = None, pose: object = HERE,
        color: Sequence[float] | None = None, **surface: Any,
    ) -> None:  # fmt: skip
        """A capsule along z with its centre at the pose; the length is without the caps."""
        shape = Capsule(radius=_length("radius", radius), length=_length("length", length))
        self._object(name, shape, mass, pose, color, surface)

    def ground(self, friction: float | None = None, *, slope: Sequence[float] = (0.0, 0.0), **surface: Any) -> None:
        """The plane z = 0, or z = slope[0]·x + slope[1]·y, without end."""
        self._new(GROUND)
        rise = numbers("slope", slope)
        if rise.shape != (2,):
            raise ModelError(f"slope must be two numbers, the rise along x and y, not {slope!r:.60}")
        given = _surface({**surface, **({} if friction is None else {"friction": friction})})
        self._objects[GROUND] = ground_mechanism(given, (-float(rise[0]), -float(rise[1]), 1.0))

    def _object(
        self, name: str, shape: Shape, mass: float | None, pose: object, color: Sequence[float] | None,
        surface: dict[str, Any],
    ) -> None:  # fmt: skip
        """A body of one shape; without a mass it stands still."""
        self._new(name)
        red, green, blue = self._colour(mass) if color is None else _three("color", color[:3])
        drawn = Geometry(name=name, shape=shape, rgba=(red, green, blue, 1.0), surface=_surface(surface))
        link = Link(name=name, inertia=_inertia(name, shape, mass), visuals=(drawn,), collisions=(drawn,))
        kind = "fixed" if mass is None else "floating"
        base = Joint(name=name, kind=kind, parent=WORLD, child=name)
        alone = Mechanism(name=name, links={name: link}, joints={}, bases={name: base})
        self._objects[name] = moved(alone, pose_of(f"the pose of {name!r}", pose))

    def _colour(self, mass: float | None) -> tuple[float, float, float]:
        return STANDING if mass is None else COLOURS[len(self._objects) % len(COLOURS)]

    def _new(self, name: str) -> None:
        checked_name("a part of a world", name)
        if name in self._robots or name in self._objects:
            raise ModelError(f"there is another {name!r} in this world; give this one another name")
        if not name or name == WORLD or "::" in name:
            raise ModelError(f"{name!r} cannot name a part of a world")

    # --- all together ------------------------------------------------------------------------------------------------

    def finish(self) -> Mechanism:
        """The mechanism made of everything that was added."""
        single = len(self._robots) == 1
        robots = [m if single else with_prefix(m, f"{name}::") for name, m in self._robots.items()]
        parts = [*robots, *self._objects.values()]
        if not parts:
            raise ModelError(f"the world {self.name!r} is empty: add a robot or an object")
        gravity = self.gravity or (robots[0].gravity if robots else DEFAULT_GRAVITY)
        if not self._objects and single:
            return replace(robots[0], gravity=gravity)
        name = next(iter(self._robots)) if single else self.name
        return side_by_side(name, parts, gravity)


def _inertia(name: str, shape: Shape, mass: float | None) -> Inertia:
    """Of a homogeneous body."""
    if mass is None:
        return MASSLESS
    m = number(f"mass of {name!r}", mass)
    if m <= 0:
        raise ModelError(
            f"the mass of {name!r} must be positive, not {m:g} kg; leave it out for a body that stands still"
        )
    body = solid(shape)
    assert body is not None  # all shapes of objects have a volume
    return combined([(body, Pose.from_rpy(HERE, HERE), m)])


def _surface(given: dict[str, Any]) -> Surface:
    known = [m.name for m in meanings(Surface)]
    for name in given:
        if name not in known:
            raise UnknownNameError("surface parameter", name, known)
    return Surface(**given)


def _three(what: str, given: object) -> tuple[float, float, float]:
    x = numbers(what, given)
    if x.shape != (3,):
        raise ModelError(f"{what} must be three numbers, not {given!r:.60}")
    if what == "size" and min(x) <= 0:
        raise ModelError(f"size must be positive, not {given!r:.60}")
    return float(x[0]), float(x[1]), float(x[2])


def _length(what: str, given: float) -> float:
    value = number(what, given)
    if value <= 0:
        raise ModelError(f"{what} must be positive, not {value:g} m")
    return value
