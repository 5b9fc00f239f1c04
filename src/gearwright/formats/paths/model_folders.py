"""The folders that a model's files are read from: its own, its package's and those of the search path. No others are,
however a file spells its way there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from gearwright.formats.paths.packages import Packages, enclosing_package, is_package, search_folders

MODELS = ("urdf", "robots", "sdf", "xacro")  # folders of a package in which models lie
MESHES = ("meshes", "mesh", "assets", "materials", "textures")  # and those in which what they look like lies
LEVELS = 8  # folders between a model and such a one


class ModelFolders:
    """Where a model's addresses may lead. A text has no folder: only the search path is left."""

    def __init__(self, file: str | os.PathLike[str] | None, search: Sequence[str | os.PathLike[str]]) -> None:
        path = None if file is None else Path(file)
        self.places = [] if path is None else [path.absolute(), path.resolve()]  # a linked model has two
        own = [p for p in dict.fromkeys(enclosing_package(place) for place in self.places) if p is not None]
        self.search = search_folders(search)
        self.packages = Packages(own, self.search)
        self.roots = [p.resolve() for p in (*(place.parent for place in self.places), *own, *self.search)]

    def holds(self, path: Path) -> bool:
        """Whether a path whose links were followed lies in one of them."""
        return any(path.is_relative_to(root) for root in self.roots) or self.packages.holds(path)


def mesh_folders(file: Path) -> Iterator[Path]:
    """The folders of meshes in a package without package.xml: those beside the `urdf`, or the like, of a model.

    Their links are followed, and one that leads out of the package opens nothing.
    """
    for folder in list(file.parents)[:LEVELS]:
        if is_package(folder):
            return
        if folder.name in MODELS:
            package = folder.parent.resolve()
            found = ((package / name).resolve() for name in MESHES)
            yield from (path for path in found if path.is_relative_to(package))
            return
