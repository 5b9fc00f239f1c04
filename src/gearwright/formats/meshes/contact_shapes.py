"""Shapes of files as they touch: a mesh as its convex hull, an image as a height field. Files are opened here only."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from gearwright.diagnostics import Diagnostic, Severity, Source
from gearwright.errors import GearwrightError, ModelError
from gearwright.formats.meshes.mesh_process import MeshProcess, UnreadableMeshError
from gearwright.formats.paths.mesh_files import MeshFiles
from gearwright.model import Mechanism
from gearwright.model.geometry import Geometry, Heightmap, Mesh, Shape
from gearwright.model.poses import IDENTITY, Array, Pose
from gearwright.model.shapes.height_field import height_field
from gearwright.model.shapes.hull import hull_of

LARGEST = 100 << 20  # bytes of a file
KEPT = 64  # files of this process: the next robot is often the same one
_ANSWERS: dict[tuple[Path, int, str], bytes] = {}
SAID = 1e-3  # share of a shape's size: a coarser hull or terrain is reported


class ContactShapes:
    """The shapes of one robot's files, each read once."""

    def __init__(self, robot: Mechanism) -> None:
        self._robot = robot
        self._process = MeshProcess()
        self._made: dict[Shape, tuple[Shape, Pose]] = {}
        self.diagnostics: list[Diagnostic] = []  # about what could not be read, or is coarser than its file

    @cached_property
    def _files(self) -> MeshFiles:
        return MeshFiles(next((s for s in _sources(self._robot) if s), None), self._robot.search_path)

    def __enter__(self) -> ContactShapes:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.close()

    def touching(self, g: Geometry) -> Geometry:
        """The geometry with a shape that can touch; as it is where it has one, or its file cannot be read."""
        if not isinstance(g.shape, Mesh | Heightmap):
            return g
        if g.shape not in self._made:
            self._made[g.shape] = self._read(g, g.shape)
        shape, X = self._made[g.shape]
        return replace(g, shape=shape, pose=g.pose @ X)

    def _read(self, g: Geometry, shape: Mesh | Heightmap) -> tuple[Shape, Pose]:
        file = g.source.file if g.source is not None else None
        try:
            made, X, coarser = self._hull(shape, file) if isinstance(shape, Mesh) else self._terrain(shape, file)
        except GearwrightError as error:
            self._say("warning", g, f"{shape.uri!r:.200} {error}; nothing touches it")
            return shape, IDENTITY
        if coarser:
            self._say("info", g, f"{shape.uri!r:.200} {coarser}")
        return made, X

    def _say(self, severity: Severity, g: Geometry, message: str) -> None:
        s = g.source or Source(file="", line=0)
        found = Diagnostic(
            severity=severity, code="contact-shape", message=message, file=s.file, line=s.line, element=s.element
        )
        self.diagnostics.append(found)

    def _hull(self, mesh: Mesh, file: str | None) -> tuple[Shape, Pose, str]:
        """Shape, its pose, and what it misses of the file."""
        answer = self._bytes(mesh.uri, file, "points")
        points = np.frombuffer(answer[1:]).reshape(-1, 3) * np.array(mesh.scale)
        hull = hull_of(points, mesh.uri)
        coarser = hull.error > SAID * float(np.ptp(points, axis=0).max())
        off = f"which lies up to {1e3 * hull.error:.2g} mm inside it"
        said = f"touches as a convex hull of {len(hull.vertices)} points, {off}" if coarser else ""
        return hull, IDENTITY, said

    def _terrain(self, image: Heightmap, file: str | None) -> tuple[Shape, Pose, str]:
        answer = self._bytes(image.uri, file, "heights")
        (rows,) = struct.unpack("<Q", answer[1:9])
        pixels: Array = np.frombuffer(answer[9:]).reshape(rows, -1)
        field = height_field((image.size[0], image.size[1]), pixels[::-1] * image.size[2], image.uri)
        grid = f"{len(field.heights[0])}×{len(field.heights)} heights, which are up to {field.error:.2g} m off"
        said = f"touches as a grid of {grid}" if field.error > SAID * image.size[2] else ""
        return field, Pose.from_rpy(image.position, (0.0, 0.0, 0.0)), said

    def _bytes(self, uri: str, file: str | None, want: str) -> bytes:
        path = self._files.find(uri, file)
        if path is None:
            raise ModelError("was not found: give its folder with search_path=")
        if path.stat().st_size > LARGEST:
            raise UnreadableMeshError(f"is larger than {LARGEST >> 20} MiB")
        key = (path, path.stat().st_mtime_ns, want)
        if key not in _ANSWERS:
            while len(_ANSWERS) >= KEPT:
                del _ANSWERS[next(iter(_ANSWERS))]
            _ANSWERS[key] = self._process.read(path, self._files.roots, want)
        return _ANSWERS[key]


def _sources(robot: Mechanism) -> Iterator[str]:
    for link in robot.links.values():
        if link.source is not None:
            yield link.source.file
