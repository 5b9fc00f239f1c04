"""Shapes as triangles: of primitives, and of mesh files where trimesh is there to read them."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gearwright.display.solids import GREY, Array
from gearwright.model import Mechanism
from gearwright.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Shape, Sphere

if TYPE_CHECKING:
    from gearwright.page.meshes import Meshes

SIDES = 40  # of a surface of revolution
ARC = np.linspace(-np.pi / 2, np.pi / 2, 17)


class Triangles(NamedTuple):
    """In the frame of a link."""

    corners: Array  # (n, 3, 3) [m]
    colours: Array  # (n, 3)


def link_triangles(robot: Mechanism, meshes: Meshes | None) -> dict[str, Triangles]:
    """By link, its visuals, or collision shapes where it has none; links without either have no entry."""
    found: dict[str, Triangles] = {}
    for name, link in robot.links.items():
        parts = []
        for geometry in link.visuals or link.collisions:
            corners, own = _surface(geometry.shape, meshes)
            if not len(corners):
                continue
            colours = np.broadcast_to(geometry.rgba[:3], own.shape) if geometry.rgba else own
            X = np.asarray(geometry.pose.matrix, float)
            parts.append((corners @ X[:3, :3].T + X[:3, 3], colours))
        if parts:
            found[name] = Triangles(np.concatenate([c for c, _ in parts]), np.concatenate([c for _, c in parts]))
    return found


def sticks(robot: Mechanism, radius: float) -> dict[str, Triangles]:
    """A robot without shapes: rods from each link's frame to the joints on it."""
    found: dict[str, list[Array]] = {}
    for joint in robot.tree.joints:
        end = np.asarray(joint.X_PJ.p, float)
        length = float(np.linalg.norm(end))
        if joint.parent in robot.links and length > 0:
            rod = _revolved([(0, 0), (radius, 0), (radius, length), (0, length)])
            found.setdefault(joint.parent, []).append(rod @ _towards(end / length).T)
        found.setdefault(joint.child, []).append(_revolved(radius * 1.8 * np.stack([np.cos(ARC), np.sin(ARC)], 1)))
    made = {link: np.concatenate(parts) for link, parts in found.items() if link in robot.links}
    return {link: Triangles(x, np.broadcast_to(GREY[:3], (len(x), 3))) for link, x in made.items()}


def _surface(shape: Shape, meshes: Meshes | None) -> tuple[Array, Array]:
    """Corners, and colours of the file's own."""
    if isinstance(shape, Mesh):
        return _of_file(shape, meshes)
    corners = _primitive(shape)
    return corners, np.broadcast_to(np.array(GREY[:3]), (len(corners), 3))


def _primitive(shape: Shape) -> Array:
    """None of a plane, which is the ground."""
    make = PRIMITIVES.get(type(shape))
    return np.zeros((0, 3, 3)) if make is None else make(shape)


def _ball() -> Array:
    return np.stack([np.cos(ARC), np.sin(ARC)], axis=1)


def _cylinder(shape: Cylinder) -> Array:
    r, h = shape.radius, shape.length / 2
    return _revolved([(0, -h), (r, -h), (r, h), (0, h)])


def _cone(shape: Cone) -> Array:
    r, h = shape.radius, shape.length / 2
    return _revolved([(0, -h), (r, -h), (0, h)])


def _capsule(shape: Capsule) -> Array:
    ends = shape.radius * _ball()
    ends[:, 1] += np.where(ARC < 0, -1, 1) * shape.length / 2
    return _revolved(ends)


PRIMITIVES: dict[type[Any], Callable[[Any], Array]] = {
    Box: lambda s: _box(np.asarray(s.size, float) / 2),
    Sphere: lambda s: _revolved(s.radius * _ball()),
    Ellipsoid: lambda s: np.asarray(_revolved(_ball()) * np.asarray(s.radii, float)),
    Cylinder: _cylinder,
    Cone: _cone,
    Capsule: _capsule,
}


def _box(half: Array) -> Array:
    quads = []
    for axis in range(3):
        one, two = (axis + 1) % 3, (axis + 2) % 3
        for sign in (-1.0, 1.0):
            corners = np.zeros((4, 3))
            corners[:, axis], corners[:, one], corners[:, two] = sign, (-1, 1, 1, -1), (-1, -1, 1, 1)
            quads.append(corners * half)
    return np.concatenate([np.stack([[q[0], q[1], q[2]], [q[0], q[2], q[3]]]) for q in quads])


def _revolved(profile: Any) -> Array:
    """Points (radius, height) turned about z."""
    r, z = np.asarray(profile, float).T
    turn = np.linspace(0, 2 * np.pi, SIDES + 1)
    ring = np.stack([np.outer(r, np.cos(turn)), np.outer(r, np.sin(turn)), np.outer(z, np.ones_like(turn))], axis=2)
    a, b, c, d = ring[:-1, :-1], ring[:-1, 1:], ring[1:, 1:], ring[1:, :-1]
    both = np.stack([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)])
    return both.reshape(-1, 3, 3)


def _towards(direction: Array) -> Array:
    """A rotation that takes z there."""
    other = np.eye(3)[int(np.abs(direction).argmin())]
    x = np.cross(other, direction)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(direction, x), direction], axis=1)


def _of_file(shape: Mesh, meshes: Meshes | None) -> tuple[Array, Array]:
    loaded = meshes.load(shape.uri) if meshes is not None else None
    if loaded is None:
        return np.zeros((0, 3, 3)), np.zeros((0, 3))
    import trimesh

    scene = trimesh.load_scene(io.BytesIO(loaded.glb), file_type="glb", process=False)
    corners, colours = [], []
    for node in scene.graph.nodes_geometry:
        X, name = scene.graph[node]
        geometry: Any = scene.geometry[name]
        own = np.asarray(geometry.triangles) @ X[:3, :3].T + X[:3, 3]
        corners.append(own)
        colours.append(np.broadcast_to(_colour(geometry), (len(own), 3)))
    return np.concatenate(corners) * np.asarray(shape.scale, float), np.concatenate(colours)


def _colour(geometry: Any) -> Array:
    """As a screen shows it; glTF counts light."""
    try:
        light = np.asarray(geometry.visual.material.main_color, float)[:3] / 255
    except (AttributeError, ValueError, TypeError):
        return np.array(GREY[:3])
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)
