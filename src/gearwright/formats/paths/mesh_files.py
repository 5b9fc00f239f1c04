"""Mesh files on this machine: where a model's addresses lead, and which lead nowhere. Nothing is opened."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from gearwright.diagnostics import Diagnostic, Source
from gearwright.formats.paths.model_folders import ModelFolders, mesh_folders
from gearwright.model import Mechanism, Mesh

MOST_MISSING = 20  # diagnostics of one robot
SCHEMES = ("file", "package", "model")  # that lead to files of this machine
OUTSIDE = "outside the model's folder, its package and the search path"
ABOVE = 8  # folders around a model that may be its package, though they do not say so


class MeshFiles:
    """Files are looked for beside the model, in its package and on the search path, and found nowhere else."""

    def __init__(self, file: str | os.PathLike[str] | None, search: Sequence[str | os.PathLike[str]] = ()) -> None:
        self._file = Path(file).absolute() if file and Path(file).exists() else None
        self._folders = ModelFolders(self._file, search)
        self._folders.roots += [folder for place in self._folders.places for folder in mesh_folders(place)]

    @property
    def roots(self) -> list[Path]:
        """Folders that hold all files that were found so far."""
        return [*self._folders.roots, *self._folders.packages.found()]

    def find(self, uri: str, file: str | None = None) -> Path | None:
        """The file that a URI means in the file that names it (by default the model's), its links followed."""
        return next((path for path in self._there(uri, file) if self._folders.holds(path)), None)

    def lies_outside(self, uri: str, file: str | None = None) -> bool:
        """Whether a file that is not found is there, but where none may be read."""
        return next(self._there(uri, file), None) is not None

    def absent(self, uri: str, file: str | None = None) -> str:
        """The package or folder of a mesh that is not there, if that is missing, too; else the mesh itself."""
        scheme, colon, rest = uri.partition("://")
        package = unquote(rest).partition("/")[0]
        if package and colon and scheme != "file" and self._folders.packages.find(package) is None:
            return f"package {package[:80]!r}"
        folder = str(PurePosixPath(unquote(uri)).parent)
        if not colon and folder != "." and not any(_is_folder(p / folder) for p in self._beside(file)):
            return f"folder {folder[:200]!r}"
        return f"file {uri[:200]!r}"

    def _there(self, uri: str, file: str | None) -> Iterator[Path]:
        """Files that it could mean, wherever they are."""
        for path in self._candidates(uri, file):
            with suppress(OSError, RuntimeError, ValueError):
                if path.is_file():
                    yield path.resolve()

    def _candidates(self, uri: str, file: str | None) -> Iterator[Path]:
        scheme, colon, rest = uri.partition("://")
        if not colon:
            yield from (folder / unquote(uri) for folder in self._beside(file))
        elif scheme == "file":
            yield Path(unquote(rest))
        elif scheme in SCHEMES:
            package, _, inside = unquote(rest).partition("/")
            folder = self._folders.packages.find(package)
            yield from (p / inside for p in ([folder] if folder is not None else self._named(package)))

    def _beside(self, file: str | None) -> list[Path]:
        models = [Path(p).parent for p in (file, self._file) if p]
        return [*models, *self._folders.search]

    def _named(self, package: str) -> Iterator[Path]:
        """A package without package.xml: a folder of that name around the model, or beside one of these."""
        for folder in list(self._file.parents)[:ABOVE] if self._file else []:
            if folder.name == package:
                yield folder
            yield folder / package


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
            where = OUTSIDE if files.lies_outside(uri, source.file) else files.absent(uri, source.file)
            missing.setdefault(where, []).append((uri, source))
    found = [_diagnostic(where, own) for where, own in islice(missing.items(), MOST_MISSING)]
    if len(missing) > MOST_MISSING:
        rest = f"{len(missing) - MOST_MISSING} more packages, folders or meshes were not found"
        found.append(Diagnostic(severity="warning", code="mesh-missing", message=rest, file=str(file)))
    return found


def _meshes(robot: Mechanism) -> Iterator[tuple[str, Source]]:
    """Addresses by link, each once."""
    seen: set[str] = set()
    for link in robot.links.values():
        for g in (*link.visuals, *link.collisions):
            if isinstance(g.shape, Mesh) and g.shape.uri not in seen:
                seen.add(g.shape.uri)
                yield g.shape.uri, g.source or link.source or Source(file="", line=0)


def _is_local(uri: str) -> bool:
    scheme, colon, _ = uri.partition("://")
    return bool(uri) and (not colon or scheme in SCHEMES)


def _diagnostic(where: str, missing: Sequence[tuple[str, Source]]) -> Diagnostic:
    uri, source = missing[0]
    single = len(missing) == 1
    which = f"mesh {uri[:200]!r} {{}}" if single else f"{len(missing)} meshes {{}}"
    if where == OUTSIDE:
        said = which.format(f"{'lies' if single else 'lie'} {OUTSIDE}")
    else:
        said = which.format("was not found" if single else "were not found")
        said += "" if where.startswith("file") else f", nor was {'its' if single else 'their'} {where}"
    return Diagnostic(
        severity="warning", code="mesh-missing", message=f"{said}; give its folder with search_path= or --path",
        file=source.file, line=source.line, element=source.element,
    )  # fmt: skip


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
