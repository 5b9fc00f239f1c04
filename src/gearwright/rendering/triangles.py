"""Shapes as triangles, by trimesh: primitives and mesh files."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import trimesh
from trimesh import creation

from gearwright.display.solids import GREY, Array
from gearwright.model import Mechanism
from gearwright.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Shape, Sphere

if TYPE_CHECKING:
    from gearwright.page.meshes import RobotMeshes

SIDES = 40  # of a surface of revolution


class Triangles(NamedTuple):
    """In the frame of a link."""

    corners: Array  # (n, 3, 3) [m]
    colours: Array  # (n, 3)


def link_triangles(robot: Mechanism, meshes: RobotMeshes | None) -> dict[str, Triangles]:
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
            rod = creation.cylinder(radius, segment=np.array([0 * end, end]), sections=SIDES)
            found.setdefault(joint.parent, []).append(np.asarray(rod.triangles))
        found.setdefault(joint.child, []).append(_primitive(Sphere(radius=1.8 * radius)))
    made = {link: np.concatenate(parts) for link, parts in found.items() if link in robot.links}
    return {link: Triangles(x, np.broadcast_to(GREY[:3], (len(x), 3))) for link, x in made.items()}


def _surface(shape: Shape, meshes: RobotMeshes | None) -> tuple[Array, Array]:
    """Corners, and colours of the file's own."""
    if isinstance(shape, Mesh):
        return _of_file(shape, meshes)
    corners = _primitive(shape)
    return corners, np.broadcast_to(np.array(GREY[:3]), (len(corners), 3))


def _primitive(shape: Shape) -> Array:
    """None of a plane, which is the ground."""
    make = PRIMITIVES.get(type(shape))
    return np.zeros((0, 3, 3)) if make is None else _triangles(make(shape))


def _triangles(mesh: Any) -> Array:
    return np.asarray(mesh.triangles - mesh.bounds.mean(axis=0))  # cones and capsules of trimesh begin at z = 0


PRIMITIVES: dict[type[Any], Callable[[Any], Any]] = {
    Box: lambda s: creation.box(s.size),
    Sphere: lambda s: creation.icosphere(subdivisions=4, radius=s.radius),
    Ellipsoid: lambda s: creation.icosphere(subdivisions=4).apply_scale(s.radii),
    Cylinder: lambda s: creation.cylinder(s.radius, s.length, sections=SIDES),
    Cone: lambda s: creation.cone(s.radius, s.length, sections=SIDES),
    Capsule: lambda s: creation.capsule(s.length, s.radius, count=[SIDES, SIDES // 2]),
}


def _of_file(shape: Mesh, meshes: RobotMeshes | None) -> tuple[Array, Array]:
    loaded = meshes.load(shape.uri) if meshes is not None else None
    if loaded is None:
        return np.zeros((0, 3, 3)), np.zeros((0, 3))
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
