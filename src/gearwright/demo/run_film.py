"""Pictures of a run: of simple shapes as drawings, of meshes and of many shapes as pixels."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from gearwright.demo.pictures import Film
from gearwright.diagnostics import Diagnostic
from gearwright.display.solids import Array, Camera, Poses
from gearwright.model import Mechanism
from gearwright.model.geometry import Box, Cylinder, Mesh, Sphere
from gearwright.rendering.raster import RasterFilm
from gearwright.rendering.triangles import link_triangles, sticks
from gearwright.sim import Recording

CAMERA = Camera(azimuth=-35.0, elevation=20.0)
FRAMES = 21  # of the moving picture: a strip of six has equal times between
MOST_SHAPES = 40  # of a drawing: what hides what is found shape by shape
STICK = 0.012  # radius, of a robot's size


def run_film(
    recording: Recording, robot: Mechanism, search_path: Sequence[str | os.PathLike[str]] = ()
) -> tuple[Film | RasterFilm, list[Diagnostic]]:
    """The robot at `FRAMES` moments, and what is wrong with its meshes."""
    rows = np.unique(np.linspace(0, len(recording) - 1, FRAMES).round().astype(int))
    times = [float(recording.time[k]) for k in rows]
    poses = [_poses(recording, robot, int(k)) for k in rows]
    shapes = [g.shape for link in robot.links.values() for g in (link.visuals or link.collisions)]
    if shapes and len(shapes) <= MOST_SHAPES and all(isinstance(s, Box | Cylinder | Sphere) for s in shapes):
        return Film(robot=robot, camera=CAMERA, times=times, poses=poses, label=robot.name), []
    triangles, diagnostics = {}, []
    if shapes:
        from gearwright.page.meshes import RobotMeshes

        file = next((link.source.file for link in robot.links.values() if link.source is not None), None)
        meshes = RobotMeshes(file, search_path) if any(isinstance(s, Mesh) for s in shapes) else None
        triangles = link_triangles(robot, meshes)
        if meshes is not None:
            diagnostics = meshes.diagnostics
            meshes.close()
    triangles = triangles or sticks(robot, STICK * _size(poses[0]))
    return RasterFilm(shapes=triangles, camera=CAMERA, times=times, poses=poses, label=robot.name), diagnostics


def _poses(recording: Recording, robot: Mechanism, row: int) -> Poses:
    at = {name: float(np.ravel(values[row])[0]) for name, values in _positions(recording).items()}
    return {name: np.asarray(X) for name, X in robot.forward_kinematics(at).items()}


def _positions(recording: Recording) -> dict[str, Array]:
    own = recording.schema.by_family.get("position", {})
    return {name: recording.read(signal) for name, signal in own.items()}


def _size(poses: Poses) -> float:
    places = np.array([X[:3, 3] for X in poses.values()])
    return float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
