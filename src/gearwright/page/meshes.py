"""Mesh files: from what a model file says to triangles. A mesh that cannot be had is a diagnostic, never an error."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from gearwright.diagnostics import Diagnostic
from gearwright.formats.packages import Packages, enclosing_package, search_folders

LARGEST = 100 << 20  # bytes of a file
ENDINGS = (".stl", ".obj", ".dae", ".glb", ".gltf", ".ply")


class Meshes:
    """The meshes of one robot. Files are looked for beside the model, in its package and on the search path."""

    def __init__(self, file: str | None, search: Sequence[str | os.PathLike[str]] = ()) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._file = Path(file).absolute() if file and Path(file).exists() else None
        self._search = search_folders(search)
        package = enclosing_package(self._file) if self._file else None
        self._packages = Packages([package] if package else [], self._search)
        self._loaded: dict[str, Any] = {}

    def load(self, uri: str) -> Any:
        """All its triangles as one trimesh; None if it cannot be had."""
        if uri not in self._loaded:
            self._loaded[uri] = self._load(uri)
        return self._loaded[uri]

    def _load(self, uri: str) -> Any:
        path = self.find(uri)
        if path is None:
            return self._missing(uri, "is not there: give its folder with search_path= or --path")
        if path.suffix.lower() not in ENDINGS:
            return self._missing(uri, f"is no mesh that can be shown ({', '.join(ENDINGS)})")
        if path.stat().st_size > LARGEST:
            return self._missing(uri, f"is larger than {LARGEST >> 20} MiB")
        try:
            import trimesh

            loaded = trimesh.load(path, process=False)
            mesh = loaded.to_geometry() if hasattr(loaded, "to_geometry") else loaded
            if len(getattr(mesh, "faces", ())):
                return mesh
            return self._missing(uri, "has no triangles")
        except ImportError:
            return self._missing(uri, "needs trimesh: pip install 'gearwright[view]'")
        except Exception as error:  # readers of foreign files raise anything
            return self._missing(uri, f"cannot be read: {type(error).__name__}: {str(error)[:120]}")

    def _missing(self, uri: str, why: str) -> None:
        file = str(self._file) if self._file else "<string>"
        message = f"mesh {uri!r} {why}; a box stands for it"
        self.diagnostics.append(Diagnostic(severity="warning", code="mesh-missing", message=message, file=file))

    def find(self, uri: str) -> Path | None:
        """The file that a URI means."""
        scheme, colon, rest = uri.partition("://")
        if not colon:
            return self._relative(unquote(uri))
        if scheme == "file":
            return _file(Path(unquote(rest)))
        if scheme in ("package", "model"):
            package, _, inside = unquote(rest).partition("/")
            folder = self._packages.find(package)
            return self._above(package, inside) if folder is None else _file(folder / inside)
        return None

    def _relative(self, name: str) -> Path | None:
        folders = ([self._file.parent] if self._file else []) + list(self._search)
        return next((found for folder in folders if (found := _file(folder / name))), None)

    def _above(self, package: str, inside: str) -> Path | None:
        """A package without package.xml: a folder of that name around the model, or beside one of these."""
        for folder in list(self._file.parents)[:8] if self._file else []:
            for candidate in (folder if folder.name == package else None, folder / package):
                if candidate is not None and (found := _file(candidate / inside)):
                    return found
        return None


def _file(path: Path) -> Path | None:
    try:
        return path if path.is_file() else None
    except OSError:
        return None
