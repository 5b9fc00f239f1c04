"""Mesh files: from what a model file says to something that a browser draws. A mesh that cannot be had is a diagnostic,
never an error."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.diagnostics import Diagnostic, Source
from gearwright.formats.mesh_files import MeshFiles
from gearwright.page.glb import linearised, painted
from gearwright.page.mesh_process import MeshProcess, UnreadableMeshError

LARGEST = 100 << 20  # bytes of a file
MOST = 512 << 20  # bytes that are sent to a browser for one robot
ENDINGS = (".stl", ".obj", ".dae", ".glb", ".gltf", ".ply")


@dataclass(frozen=True)
class LoadedMesh:
    """A mesh in metres."""

    glb: bytes  # binary glTF, with its colours
    bounds: Any  # (2, 3), lowest and highest corner [m]

    def coloured(self, rgba: tuple[float, float, float, float] | None) -> bytes:
        """With the colour that the model file gives, or its own."""
        return self.glb if rgba is None else painted(self.glb, rgba)


class Meshes:
    """The meshes of one robot."""

    def __init__(self, file: str | None, search: Sequence[str | os.PathLike[str]] = ()) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._file = file if file and Path(file).exists() else None
        self._files = MeshFiles(file, search)
        self._loaded: dict[str, LoadedMesh | None] = {}
        self._process = MeshProcess()
        self._bytes = 0

    def close(self) -> None:
        """Ends the process that reads; files that were read stay."""
        self._process.close()

    def load(self, uri: str, source: Source | None = None) -> LoadedMesh | None:
        """None if it cannot be had."""
        if uri not in self._loaded:
            try:
                self._loaded[uri] = self._load(uri)
            except UnreadableMeshError as error:
                self._loaded[uri] = None
                self._missing(uri, str(error), source)
        return self._loaded[uri]

    def _load(self, uri: str) -> LoadedMesh:
        path = self._files.find(uri)
        if path is None:
            raise UnreadableMeshError("is not there: give its folder with search_path= or --path")
        if path.suffix.lower() not in ENDINGS:
            raise UnreadableMeshError(f"is no mesh that can be shown ({', '.join(ENDINGS)})")
        if path.stat().st_size > LARGEST:
            raise UnreadableMeshError(f"is larger than {LARGEST >> 20} MiB")
        answer = self._process.read(path)
        self._bytes += len(answer)
        if self._bytes > MOST:
            raise UnreadableMeshError(f"comes after {MOST >> 20} MiB of meshes, more than a page is sent")
        glb = answer[49:] if path.suffix.lower() in (".glb", ".gltf") else linearised(answer[49:])
        return LoadedMesh(glb, np.frombuffer(answer[1:49]).reshape(2, 3))

    def _missing(self, uri: str, why: str, source: Source | None) -> None:
        file = str(Path(self._file).absolute()) if self._file else "<string>"
        message = f"mesh {uri!r} {why}; a box stands for it"
        self.diagnostics.append(
            Diagnostic(
                severity="warning", code="mesh-missing", message=message,
                file=source.file if source else file, line=source.line if source else 0,
            )
        )  # fmt: skip
