"""Shapes of links, as viser takes them: one function and one row of the table per kind."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from gearwright.diagnostics import Source
from gearwright.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere
from gearwright.model.shapes.height_field import HeightField
from gearwright.page.meshes import RobotMeshes

Colour = tuple[float, float, float, float]
GREY: Colour = (0.62, 0.66, 0.70, 1.0)
MISSING: Colour = (0.8, 0.3, 0.3, 0.6)
SLAB = 1e-3  # [m] thickness of a plane
MOST_DRAWN = 256  # heights of a terrain along a side
MISSING_SIZE = 0.05  # [m] of the box that stands for a mesh


class Canvas(NamedTuple):
    """Where shapes are drawn."""

    scene: Any  # viser's
    meshes: RobotMeshes


class Drawn(NamedTuple):
    """A node of the scene, and the box around it in the link's frame, (8, 3)."""

    node: Any
    corners: Any
    missing: bool = False  # a box that stands for a mesh


def draw(canvas: Canvas, path: str, geometry: Geometry, colour: Colour | None, source: Source | None) -> Drawn | None:
    """Adds a shape below a link's frame; None for a kind that has no picture."""
    make = SHAPES.get(type(geometry.shape))
    if make is None:
        return None
    X = geometry.pose
    place = {"wxyz": np.array(X.quaternion), "position": np.asarray(X.p, float)}
    node, low, high, missing = make(canvas, path, geometry.shape, colour, place, source)
    box = np.array(list(product(*zip(low, high, strict=True))), float)
    return Drawn(node, box @ np.asarray(X.R, float).T + np.asarray(X.p, float), missing)


Made = tuple[Any, Any, Any, bool]  # node, lowest corner, highest corner, whether it stands for something else


def paint(colour: Colour | None) -> dict[str, Any]:
    r, g, b, opacity = colour or GREY
    return {"color": tuple(round(255 * min(1.0, max(0.0, c))) for c in (r, g, b)),
            "opacity": opacity if opacity < 1 else None}  # fmt: skip


def _box(canvas: Canvas, path: str, shape: Any, colour: Colour | None, place: Any, _: Any) -> Made:
    half = np.asarray(shape.size, float) / 2
    return canvas.scene.add_box(path, dimensions=shape.size, **paint(colour), **place), -half, half, False


def _sphere(canvas: Canvas, path: str, shape: Any, colour: Colour | None, place: Any, _: Any) -> Made:
    r = np.full(3, shape.radius)
    node = canvas.scene.add_icosphere(path, radius=shape.radius, subdivisions=4, **paint(colour), **place)
    return node, -r, r, False


def _cylinder(canvas: Canvas, path: str, shape: Any, colour: Colour | None, place: Any, _: Any) -> Made:
    node = canvas.scene.add_cylinder(
        path, radius=shape.radius, height=shape.length, radial_segments=48, **paint(colour), **place
    )
    half = np.array([shape.radius, shape.radius, shape.length / 2])
    return node, -half, half, False


def _capsule(canvas: Canvas, path: str, shape: Any, colour: Colour | None, place: Any, _: Any) -> Made:
    import trimesh

    mesh = trimesh.creation.capsule(height=shape.length, radius=shape.radius)
    mesh.apply_translation(-mesh.bounds.mean(axis=0))
    return _triangles(canvas, path, mesh, colour, place)


def _cone(canvas: Canvas, path: str, shape: Any, colour: Colour | None, place: Any, _: Any) -> Made:
    import trimesh

    mesh = trimesh.creation.cone(shape.radius, shape.length, sections=48)
    mesh.apply_translation((0, 0, -shape.length / 2))
    return _triangles(canvas, path, mesh, colour, place)


def _ellipsoid(canvas: Canvas, path: str, shape: Any, colour: Colour | None, place: Any, _: Any) -> Made:
    import trimesh

    mesh = trimesh.creation.icosphere(subdivisions=3)
    mesh.apply_scale(shape.radii)
    return _triangles(canvas, path, mesh, colour, place)


def _plane(canvas: Canvas, path: str, shape: Any, colour: Colour | None, place: Any, _: Any) -> Made:
    """Not part of the size of what is shown: a ground is as large as it likes. Its upper side is the plane."""
    n = np.asarray(shape.normal, float) / np.linalg.norm(shape.normal)
    e = np.eye(3)[0 if abs(n[0]) < 0.9 else 1]  # the first side goes along x, if it can
    x = (e - (e @ n) * n) / np.linalg.norm(e - (e @ n) * n)
    slab = np.eye(4)
    slab[:3, :3] = np.column_stack([x, np.cross(n, x), n])
    import trimesh

    mesh = trimesh.creation.box((*shape.size, SLAB))
    mesh.apply_translation((0, 0, -SLAB / 2))
    mesh.apply_transform(slab)
    node, *_ = _triangles(canvas, path, mesh, colour, place)
    return node, np.zeros(3), np.zeros(3), False


def _height_field(canvas: Canvas, path: str, shape: Any, colour: Colour | None, place: Any, _: Any) -> Made:
    return _terrain(canvas, path, np.array(shape.heights), (*shape.size, 0.0), np.zeros(3), colour, place)


def _heightmap(canvas: Canvas, path: str, shape: Any, colour: Colour | None, place: Any, source: Source | None) -> Made:
    pixels = canvas.meshes.brightness(shape.uri, source)
    if pixels is None:
        half = np.asarray(shape.size, float) / 2
        node = canvas.scene.add_box(path, dimensions=shape.size, **paint(MISSING), **place)
        return node, -half, half, True
    step = max(1, -(-max(pixels.shape) // MOST_DRAWN))
    heights = pixels[::-1][::step, ::step] * shape.size[2]
    return _terrain(canvas, path, heights, shape.size, np.asarray(shape.position, float), colour, place)


def _terrain(
    canvas: Canvas, path: str, heights: Any, size: Any, middle: Any, colour: Colour | None, place: Any
) -> Made:  # fmt: skip
    """Two triangles for each cell of the grid."""
    import trimesh

    rows, columns = heights.shape
    x, y = (np.linspace(-s / 2, s / 2, n) for s, n in zip(size[:2], (columns, rows), strict=True))
    points = np.stack([*np.meshgrid(x, y), heights], axis=-1).reshape(-1, 3) + middle
    k = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (q.ravel() for q in (k[:-1, :-1], k[:-1, 1:], k[1:, :-1], k[1:, 1:]))
    faces = np.concatenate([np.column_stack([a, b, d]), np.column_stack([a, d, c])])
    return _triangles(canvas, path, trimesh.Trimesh(points, faces, process=False), colour, place)


def _mesh(canvas: Canvas, path: str, shape: Any, colour: Colour | None, place: Any, source: Source | None) -> Made:
    loaded = canvas.meshes.load(shape.uri, source)
    if loaded is None:
        half = np.full(3, MISSING_SIZE / 2)
        node = canvas.scene.add_box(path, dimensions=(MISSING_SIZE,) * 3, **paint(MISSING), **place)
        return node, -half, half, True
    corners = loaded.bounds * np.asarray(shape.scale, float)
    low, high = corners.min(axis=0), corners.max(axis=0)
    scale = tuple(map(float, shape.scale))
    node = canvas.scene.add_glb(path, loaded.coloured(colour), scale=scale, **place)
    return node, low, high, False


def _triangles(canvas: Canvas, path: str, mesh: Any, colour: Colour | None, place: Any) -> Made:
    vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces)
    node = canvas.scene.add_mesh_simple(path, vertices, faces, **paint(colour), **place)
    return node, mesh.bounds[0], mesh.bounds[1], False


SHAPES: dict[type, Callable[[Canvas, str, Any, Colour | None, Any, Any], Made]] = {
    Box: _box,
    Sphere: _sphere,
    Cylinder: _cylinder,
    Capsule: _capsule,
    Cone: _cone,
    Ellipsoid: _ellipsoid,
    Plane: _plane,
    Mesh: _mesh,
    HeightField: _height_field,
    Heightmap: _heightmap,
}
