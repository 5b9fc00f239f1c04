"""Mesh files: from what a model file says to something that a browser draws. A mesh that cannot be had is a diagnostic,
never an error."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from gearwright.diagnostics import Diagnostic, Source
from gearwright.formats.meshes.mesh_process import MeshProcess, UnreadableMeshError
from gearwright.formats.paths.mesh_files import OUTSIDE, MeshFiles
from gearwright.page.glb import linearised, painted

LARGEST = 100 << 20  # bytes of a file
MOST = 512 << 20  # bytes of all meshes of a robot, each as often as it is shown
LONGEST = 120.0  # [s] for reading all of them
ENDINGS = (".stl", ".obj", ".dae", ".glb", ".gltf", ".ply")


@dataclass(frozen=True)
class LoadedMesh:
    """A mesh in metres."""

    glb: bytes  # binary glTF, with its colours
    bounds: Any  # (2, 3), lowest and highest corner [m]

    def coloured(self, rgba: tuple[float, float, float, float] | None) -> bytes:
        """With the colour that the model file gives, or its own."""
        return self.glb if rgba is None else painted(self.glb, rgba)


class RobotMeshes:
    """The meshes of one robot."""

    def __init__(self, file: str | None, search: Sequence[str | os.PathLike[str]] = ()) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._file = file if file and Path(file).exists() else None
        self._files = MeshFiles(file, search)
        self._loaded: dict[str, LoadedMesh | None] = {}
        self._process = MeshProcess()
        self._shown, self._seconds = 0, 0.0  # bytes, [s] so far

    def close(self) -> None:
        """Ends the process that reads; files that were read stay."""
        self._process.close()

    def load(self, uri: str, source: Source | None = None) -> LoadedMesh | None:
        """A mesh for one shape; None if it cannot be had."""
        try:
            if uri not in self._loaded:
                self._loaded[uri] = None
                self._loaded[uri] = self._load(uri)
            if (found := self._loaded[uri]) is not None:
                self._count(found)
        except UnreadableMeshError as error:
            self._missing(uri, str(error), source)
            return None
        return found

    def brightness(self, uri: str, source: Source | None = None) -> Any:
        """Rows of an image of heights, from 0 to 1, from its top; None if it cannot be had."""
        try:
            path = self._path(uri)
            answer = self._process.read(path, self._files.roots, "heights")
        except UnreadableMeshError as error:
            self._missing(uri, str(error), source)
            return None
        return np.frombuffer(answer[9:]).reshape(int.from_bytes(answer[1:9], "little"), -1)

    def _count(self, mesh: LoadedMesh) -> None:
        """Raises where meshes are too large together."""
        if self._shown + len(mesh.glb) > MOST:
            raise UnreadableMeshError(
                f"is too much after {self._shown >> 20} MiB of other meshes; the limit is {MOST >> 20} MiB"
            )
        self._shown += len(mesh.glb)

    def _path(self, uri: str) -> Path:
        path = self._files.find(uri)
        if path is None:
            where = f"lies {OUTSIDE}; add" if self._files.lies_outside(uri) else "was not found: give"
            raise UnreadableMeshError(f"{where} its folder with search_path= or --path")
        return path

    def _load(self, uri: str) -> LoadedMesh:
        path = self._path(uri)
        if path.suffix.lower() not in ENDINGS:
            raise UnreadableMeshError(f"is not a mesh that can be shown ({', '.join(ENDINGS)})")
        if path.stat().st_size > LARGEST:
            raise UnreadableMeshError(f"is larger than {LARGEST >> 20} MiB")
        if self._seconds > LONGEST:
            raise UnreadableMeshError(f"comes after {LONGEST:g} s of reading meshes, and is not read")
        begun = monotonic()
        try:
            answer = self._process.read(path, self._files.roots)
        finally:
            self._seconds += monotonic() - begun
        glb = answer[49:] if path.suffix.lower() in (".glb", ".gltf") else linearised(answer[49:])
        return LoadedMesh(glb, np.frombuffer(answer[1:49]).reshape(2, 3))

    def _missing(self, uri: str, why: str, source: Source | None) -> None:
        file = str(Path(self._file).absolute()) if self._file else "<string>"
        message = f"mesh {uri!r} {why}; a box stands for it"
        found = Diagnostic(
            severity="warning", code="mesh-missing", message=message,
            file=source.file if source else file, line=source.line if source else 0,
        )  # fmt: skip
        if found not in self.diagnostics:
            self.diagnostics.append(found)
