"""Vertices and triangles of mesh files: STL, OBJ and MuJoCo's own MSH. Files are hostile: sizes are checked first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gearwright.formats.xml.file_bytes import MAX_BYTES
from gearwright.model.poses import Array

MOST_FACES = 200_000  # as MuJoCo allows
Faces = NDArray[np.int64]


class MeshError(Exception):
    """A mesh that cannot be used, in words that follow its name."""


@dataclass(frozen=True)
class MeshTriangles:
    vertices: Array  # (n, 3), in single precision as files have them
    faces: Faces  # (m, 3); none: the convex hull


def read_mesh(path: Path) -> MeshTriangles:
    """Raises MeshError."""
    kind = path.suffix.lower()
    if kind not in READERS:
        raise MeshError(f"is not a {', '.join(READERS)} file")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise MeshError(f"is larger than {MAX_BYTES >> 20} MiB")
        data = path.read_bytes()
    except OSError as error:
        raise MeshError(f"cannot be read: {error}") from None
    try:
        return checked(*READERS[kind](data))
    except (ValueError, IndexError, OverflowError):
        raise MeshError("is not such a file, or is damaged") from None


def checked(vertices: Array, faces: Faces) -> MeshTriangles:
    if len(vertices) < 4 or len(faces) > MOST_FACES:
        raise MeshError(f"needs 4 vertices or more, and at most {MOST_FACES} triangles")
    if not np.isfinite(vertices).all():
        raise MeshError("has vertices that are not finite")
    if len(faces) and not (faces.min() >= 0 and faces.max() < len(vertices)):
        raise MeshError("has triangles that refer to missing vertices")
    return MeshTriangles(np.asarray(vertices, dtype=np.float32).astype(np.float64), faces)


def _stl(data: bytes) -> tuple[Array, Faces]:
    """Binary STL: normal and corners of each triangle."""
    count = int.from_bytes(data[80:84], "little")
    if len(data) != 84 + 50 * count or not 0 < count <= MOST_FACES:
        raise MeshError("is not a binary STL file, or has too many triangles")
    rows = np.frombuffer(data, dtype=np.uint8, offset=84).reshape(count, 50)
    corners = np.ascontiguousarray(rows[:, 12:48]).view("<f4").reshape(-1, 3)
    vertices, back = np.unique(corners, axis=0, return_inverse=True)
    return vertices.astype(np.float64), back.reshape(count, 3).astype(np.int64)


def _obj(data: bytes) -> tuple[Array, Faces]:
    """The vertices, and the triangles and squares of the first shape."""
    vertices: list[tuple[float, ...]] = []
    faces: list[tuple[int, int, int]] = []
    first = True
    for line in data.decode("utf-8", errors="replace").splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            vertices.append(tuple(map(float, words[1:4])))
        elif words[0] in ("o", "g"):
            first = not faces
        elif words[0] == "f" and first:
            corner = [_index(w, len(vertices)) for w in words[1:]]
            if not 3 <= len(corner) <= 4:
                raise MeshError("has faces that are neither triangles nor squares")
            faces += [(corner[0], corner[k], corner[k + 1]) for k in range(1, len(corner) - 1)]
            if len(faces) > MOST_FACES:
                break
    return np.array(vertices, dtype=np.float64).reshape(-1, 3), np.array(faces, dtype=np.int64).reshape(-1, 3)


def _index(word: str, count: int) -> int:
    """Counted from 1, or backwards from the last."""
    i = int(word.partition("/")[0])
    return i - 1 if i > 0 else count + i


def _msh(data: bytes) -> tuple[Array, Faces]:
    """Four counts, then vertices, normals, texture coordinates and triangles."""
    vertices, normals, texture, faces = (int(n) for n in np.frombuffer(data[:16], dtype="<i4"))
    if min(vertices, normals, texture, faces) < 0 or len(data) != 16 + 12 * (vertices + normals + faces) + 8 * texture:
        raise MeshError("is not an MSH file")
    points = np.frombuffer(data, dtype="<f4", count=3 * vertices, offset=16)
    corners = np.frombuffer(data, dtype="<i4", count=3 * faces, offset=len(data) - 12 * faces)
    return points.reshape(-1, 3).astype(np.float64), corners.reshape(-1, 3).astype(np.int64)


READERS: dict[str, Callable[[bytes], tuple[Array, Faces]]] = {".stl": _stl, ".obj": _obj, ".msh": _msh}
