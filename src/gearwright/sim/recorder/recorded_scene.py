"""A robot in its recordings, beside its motion: shapes of links, and ranges of signals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gearwright.model import AxisRef, Mechanism
from gearwright.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Shape, Sphere
from gearwright.model.layout.layout import coordinate_of
from gearwright.sim.recordings.scene import SceneShape, Vector

Ranges = dict[str, dict[str, tuple[float, float]]]
THIN = 1e-3  # [m] of a plane


def model_file(robot: Mechanism) -> str:
    """The file that a robot was read from, so that it can be found again; empty where there is none."""
    name = next((link.source.file for link in robot.links.values() if link.source is not None), "")
    path = Path(name)
    return str(path.absolute()) if name and path.is_file() else name


def scene(robot: Mechanism) -> Iterator[SceneShape]:
    """Visuals of every link; collision shapes where it has none."""
    for name, link in robot.links.items():
        for geometry in link.visuals or link.collisions:
            if (found := _kind(geometry.shape)) is not None:
                yield _shape(name, geometry, *found)


def _shape(link: str, geometry: Geometry, kind: str, size: Vector) -> SceneShape:
    x, y, z = map(float, geometry.pose.p)
    uri = geometry.shape.uri if isinstance(geometry.shape, Mesh) else ""
    return SceneShape(
        link=link, kind=kind, size=size, position=(x, y, z), orientation=geometry.pose.quaternion, rgba=geometry.rgba,
        uri=uri,
    )  # fmt: skip


def _round(radius: float, length: float) -> Vector:
    return 2 * radius, 2 * radius, length


# shape → kind and size in Foxglove's scene
SOLIDS: dict[type[Any], Callable[[Any], tuple[str, Vector]]] = {
    Box: lambda s: ("box", s.size),
    Sphere: lambda s: ("sphere", (2 * s.radius,) * 3),
    Ellipsoid: lambda s: ("sphere", tuple(2 * r for r in s.radii)),
    Cylinder: lambda s: ("cylinder", _round(s.radius, s.length)),
    Capsule: lambda s: ("cylinder", _round(s.radius, s.length + 2 * s.radius)),
    Cone: lambda s: ("cone", _round(s.radius, s.length)),
    Plane: lambda s: ("box", (*s.size, THIN)),
    Mesh: lambda s: ("mesh", s.scale),
}


def _kind(shape: Shape) -> tuple[str, Vector] | None:
    """None for what has no solid of its own."""
    make = SOLIDS.get(type(shape))
    return None if make is None else make(shape)


def signal_limits(robot: Mechanism) -> Ranges:
    """Ranges of positions, velocities and motor efforts, where there are any."""
    found: Ranges = {"position": {}, "velocity": {}, "torque": {}}
    for joint in robot.tree.joints:
        for i, axis in enumerate(joint.axes):
            name, limits = coordinate_of(joint, AxisRef(joint.name, i)), axis.limits
            found["position"][name] = (limits.lower, limits.upper)
            if limits.velocity > 0:  # files write 0 for what they leave open
                found["velocity"][name] = (-limits.velocity, limits.velocity)
    for name, actuator in robot.actuators.items():
        found["torque"][name] = (-actuator.effort_limit, actuator.effort_limit)
    infinite = (float("-inf"), float("inf"))
    return {family: {n: r for n, r in own.items() if r != infinite} for family, own in found.items()}
