"""The robot in the scene: a frame a link, with its shapes; frames move, shapes stay as they were sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gearwright.model import Mechanism
from gearwright.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Sphere
from gearwright.page.meshes import Meshes

GREY = (0.62, 0.66, 0.70, 1.0)
SHOWN_COLLISION = (0.85, 0.45, 0.2, 0.35)
SMALLEST = 0.2  # [m] of what a picture shows
MISSING = 0.05  # [m] of the box that stands for a mesh


class RobotScene:
    """Shapes of a robot, moved by poses of its links."""

    def __init__(self, server: Any, robot: Mechanism, meshes: Meshes) -> None:
        self._server, self._robot, self._meshes = server, robot, meshes
        self._frames: dict[str, Any] = {}
        self._visuals: list[Any] = []
        self._collisions: list[Any] = []
        for name, link in robot.links.items():
            self._frames[name] = server.scene.add_frame(f"/robot/{_path(name)}", show_axes=False)
            for k, shape in enumerate(link.visuals):
                self._visuals += self._add(f"/robot/{_path(name)}/visual{k}", shape, shape.rgba or GREY)
        if not self._visuals:  # nothing to see: collisions, or a stick figure
            self.show_collisions(True)

    def move(self, poses: Mapping[str, Any]) -> None:
        """Poses in the world, 4×4 each."""
        with self._server.atomic():
            for name, X in poses.items():
                if name in self._frames:
                    frame = self._frames[name]
                    frame.wxyz, frame.position = quaternion(np.asarray(X)[:3, :3]), np.asarray(X)[:3, 3]

    def frame_all(self, poses: Mapping[str, Any]) -> None:
        """A grid and a camera for the size that the robot has."""
        places = np.array([np.asarray(X)[:3, 3] for X in poses.values()])
        low, high = places.min(axis=0), places.max(axis=0)
        size = max(SMALLEST, float(np.linalg.norm(high - low)))
        centre, cell = (low + high) / 2, 10.0 ** np.floor(np.log10(size / 2))
        extent = 4 * np.ceil(size / cell) * cell
        scene = self._server.scene
        scene.add_grid("/grid", width=extent, height=extent, cell_size=cell, section_size=10 * cell)

        @self._server.on_client_connect  # type: ignore[untyped-decorator]
        def look(client: Any) -> None:
            client.camera.position = centre + size * np.array([1.5, -1.7, 1.1])
            client.camera.look_at = centre

    def show_collisions(self, shown: bool) -> None:
        if shown and not self._collisions:
            for name, link in self._robot.links.items():
                for k, shape in enumerate(link.collisions):
                    self._collisions += self._add(f"/robot/{_path(name)}/collision{k}", shape, SHOWN_COLLISION)
        for handle in self._collisions:
            handle.visible = shown

    def show_visuals(self, shown: bool) -> None:
        for handle in self._visuals:
            handle.visible = shown

    def _add(self, path: str, geometry: Geometry, rgba: tuple[float, ...]) -> list[Any]:
        place = {"wxyz": quaternion(geometry.pose.R), "position": np.asarray(geometry.pose.p, float)}
        kind = type(geometry.shape)
        make = SHAPES.get(kind)
        if make is None:
            return []
        return [h for h in make(self._server.scene, path, geometry.shape, rgba, place, self._meshes) if h is not None]


def _path(name: str) -> str:
    return name.replace("/", "_") or "_"


def quaternion(R: Any) -> Any:
    """(w, x, y, z) of a rotation matrix."""
    m = np.asarray(R, float)
    w = np.sqrt(max(0.0, 1 + m[0, 0] + m[1, 1] + m[2, 2])) / 2
    x = np.sqrt(max(0.0, 1 + m[0, 0] - m[1, 1] - m[2, 2])) / 2
    y = np.sqrt(max(0.0, 1 - m[0, 0] + m[1, 1] - m[2, 2])) / 2
    z = np.sqrt(max(0.0, 1 - m[0, 0] - m[1, 1] + m[2, 2])) / 2
    x, y, z = (np.copysign(a, b) for a, b in ((x, m[2, 1] - m[1, 2]), (y, m[0, 2] - m[2, 0]), (z, m[1, 0] - m[0, 1])))
    if w < 1e-6:  # half a turn: signs by the products
        v = np.array([x, y, z])
        k = int(np.abs(v).argmax())
        v = np.abs(v) * np.where(m[k] + m[:, k] < 0, -1.0, 1.0)
        v[k] = abs(v[k])
        x, y, z = v
    return np.array([w, x, y, z]) / np.sqrt(w * w + x * x + y * y + z * z)


def _colour(rgba: tuple[float, ...]) -> dict[str, Any]:
    return {"color": tuple(round(255 * c) for c in rgba[:3]), "opacity": rgba[3] if rgba[3] < 1 else None}


def _box(scene: Any, path: str, shape: Any, rgba: Any, place: Any, _: Meshes) -> list[Any]:
    return [scene.add_box(path, dimensions=shape.size, **_colour(rgba), **place)]


def _sphere(scene: Any, path: str, shape: Any, rgba: Any, place: Any, _: Meshes) -> list[Any]:
    return [scene.add_icosphere(path, radius=shape.radius, subdivisions=3, **_colour(rgba), **place)]


def _cylinder(scene: Any, path: str, shape: Any, rgba: Any, place: Any, _: Meshes) -> list[Any]:
    import trimesh

    return _triangles(scene, path, trimesh.creation.cylinder(shape.radius, shape.length, sections=32), rgba, place)


def _capsule(scene: Any, path: str, shape: Any, rgba: Any, place: Any, _: Meshes) -> list[Any]:
    import trimesh

    mesh = trimesh.creation.capsule(height=shape.length, radius=shape.radius)
    mesh.apply_translation(-mesh.bounds.mean(axis=0))
    return _triangles(scene, path, mesh, rgba, place)


def _cone(scene: Any, path: str, shape: Any, rgba: Any, place: Any, _: Meshes) -> list[Any]:
    import trimesh

    mesh = trimesh.creation.cone(shape.radius, shape.length)
    mesh.apply_translation((0, 0, -shape.length / 2))
    return _triangles(scene, path, mesh, rgba, place)


def _ellipsoid(scene: Any, path: str, shape: Any, rgba: Any, place: Any, _: Meshes) -> list[Any]:
    import trimesh

    mesh = trimesh.creation.icosphere(subdivisions=3)
    mesh.apply_scale(shape.radii)
    return _triangles(scene, path, mesh, rgba, place)


def _plane(scene: Any, path: str, shape: Any, rgba: Any, place: Any, _: Meshes) -> list[Any]:
    return [scene.add_box(path, dimensions=(*shape.size, 1e-3), **_colour(rgba), **place)]


def _mesh(scene: Any, path: str, shape: Any, rgba: Any, place: Any, meshes: Meshes) -> list[Any]:
    loaded = meshes.load(shape.uri)
    if loaded is None:
        return [scene.add_box(path, dimensions=(MISSING,) * 3, **_colour((0.8, 0.3, 0.3, 0.6)), **place)]
    scaled = loaded.copy()
    scaled.apply_scale(shape.scale)
    if rgba == GREY and scaled.visual.defined:
        return [scene.add_mesh_trimesh(path, scaled, **place)]  # the file's own colours
    return _triangles(scene, path, scaled, rgba, place)


def _triangles(scene: Any, path: str, mesh: Any, rgba: Any, place: Any) -> list[Any]:
    return [scene.add_mesh_simple(path, np.asarray(mesh.vertices), np.asarray(mesh.faces), **_colour(rgba), **place)]


Make = Callable[[Any, str, Any, Any, Any, Meshes], list[Any]]
SHAPES: dict[type, Make] = {
    Box: _box,
    Sphere: _sphere,
    Cylinder: _cylinder,
    Capsule: _capsule,
    Cone: _cone,
    Ellipsoid: _ellipsoid,
    Plane: _plane,
    Mesh: _mesh,
}
