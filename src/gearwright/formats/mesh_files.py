"""Mesh files on this machine: where a model's addresses lead, and which lead nowhere. Nothing is opened."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from gearwright.diagnostics import Diagnostic, Source
from gearwright.formats.packages import Packages, enclosing_package, search_folders
from gearwright.model import Mechanism, Mesh

MOST_MISSING = 20  # diagnostics of one robot
SCHEMES = ("file", "package", "model")  # that lead to files of this machine
ABOVE = 8  # folders around a model that may be its package, though they do not say so


class MeshFiles:
    """Files are looked for beside the model, in its package and on the search path."""

    def __init__(self, file: str | os.PathLike[str] | None, search: Sequence[str | os.PathLike[str]] = ()) -> None:
        self._file = Path(file).absolute() if file and Path(file).exists() else None
        self._search = search_folders(search)
        package = enclosing_package(self._file) if self._file else None
        self._packages = Packages([package] if package else [], self._search)

    def find(self, uri: str, file: str | None = None) -> Path | None:
        """The file that a URI means, in the file that names it (by default the model's)."""
        scheme, colon, rest = uri.partition("://")
        if not colon:
            return self._relative(unquote(uri), file)
        if scheme == "file":
            return _file(Path(unquote(rest)))
        if scheme in SCHEMES:
            package, _, inside = unquote(rest).partition("/")
            folder = self._packages.find(package)
            return self._above(package, inside) if folder is None else _file(folder / inside)
        return None

    def absent(self, uri: str, file: str | None = None) -> str:
        """The package or folder of a mesh that is not there, if that is missing, too; else the mesh itself."""
        scheme, colon, rest = uri.partition("://")
        package = unquote(rest).partition("/")[0]
        if package and colon and scheme != "file" and self._packages.find(package) is None:
            return f"package {package[:80]!r}"
        folder = str(PurePosixPath(unquote(uri)).parent)
        if not colon and folder != "." and not any(_is_folder(p / folder) for p in self._folders(file)):
            return f"folder {folder[:200]!r}"
        return f"file {uri[:200]!r}"

    def _folders(self, file: str | None) -> list[Path]:
        models = [Path(p).parent for p in (file, self._file) if p]
        return [*models, *self._search]

    def _relative(self, name: str, file: str | None) -> Path | None:
        return next((found for folder in self._folders(file) if (found := _file(folder / name))), None)

    def _above(self, package: str, inside: str) -> Path | None:
        """A package without package.xml: a folder of that name around the model, or beside one of these."""
        for folder in list(self._file.parents)[:ABOVE] if self._file else []:
            for candidate in (folder if folder.name == package else None, folder / package):
                if candidate is not None and (found := _file(candidate / inside)):
                    return found
        return None


def missing_meshes(
    robot: Mechanism, file: str | os.PathLike[str], search: Sequence[str | os.PathLike[str]] = ()
) -> list[Diagnostic]:
    """A warning for each mesh that is not there, or one for all of a package or folder that is not."""
    if not Path(file).is_file():
        return []
    files = MeshFiles(file, search)
    missing: dict[str, list[tuple[str, Source]]] = {}
    for uri, source in _meshes(robot):
        if _is_local(uri) and files.find(uri, source.file) is None:
            missing.setdefault(files.absent(uri, source.file), []).append((uri, source))
    found = [_diagnostic(where, own) for where, own in islice(missing.items(), MOST_MISSING)]
    if len(missing) > MOST_MISSING:
        rest = f"{len(missing) - MOST_MISSING} more packages, folders or meshes are not there"
        found.append(Diagnostic(severity="warning", code="mesh-missing", message=rest, file=str(file)))
    return found


def _meshes(robot: Mechanism) -> Iterator[tuple[str, Source]]:
    """Addresses by link, each once."""
    seen: set[str] = set()
    for link in robot.links.values():
        for shape in (g.shape for g in (*link.visuals, *link.collisions)):
            if isinstance(shape, Mesh) and shape.uri not in seen:
                seen.add(shape.uri)
                yield shape.uri, link.source or Source(file="", line=0)


def _is_local(uri: str) -> bool:
    scheme, colon, _ = uri.partition("://")
    return bool(uri) and (not colon or scheme in SCHEMES)


def _diagnostic(where: str, missing: Sequence[tuple[str, Source]]) -> Diagnostic:
    uri, source = missing[0]
    what = f"mesh {uri[:200]!r} is not there" if len(missing) == 1 else f"{len(missing)} meshes are not there"
    said = what if where.startswith("file") else f"{what}, nor is {'its' if len(missing) == 1 else 'their'} {where}"
    return Diagnostic(
        severity="warning", code="mesh-missing", message=f"{said}; give its folder with search_path= or --path",
        file=source.file, line=source.line, element=source.element,
    )  # fmt: skip


def _file(path: Path) -> Path | None:
    try:
        return path if path.is_file() else None
    except (OSError, ValueError):
        return None


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
