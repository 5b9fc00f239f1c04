"""Mesh files of a robot that is written: referred to where they are, or copied beside the new file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from gearwright import files
from gearwright.errors import ModelError
from gearwright.formats.paths.mesh_files import MeshFiles
from gearwright.model import Geometry, Mechanism, Mesh
from gearwright.writing.report import LossLog

MeshMode = Literal["reference", "copy"]
FOLDER = "meshes"


@dataclass(kw_only=True)
class MeshCopies:
    """The addresses of meshes in the new file, and what has to be copied for them."""

    target: Path
    mode: MeshMode
    by_file: bool = False  # whether readers of the format take an address as the name of a file, which must be there
    search: tuple[str, ...] = ()  # folders where files are looked for
    found: dict[str, Path | None] = field(default_factory=dict)  # by address: the file that it means
    names: dict[str, str] = field(default_factory=dict)  # by address: its name in the folder
    wanted: set[str] = field(default_factory=set)  # addresses that the writer asked for

    @staticmethod
    def of(
        robot: Mechanism, target: Path, mode: MeshMode, source: str | os.PathLike[str] | None, losses: LossLog, *,
        by_file: bool = False,
    ) -> MeshCopies:  # fmt: skip
        if mode not in ("reference", "copy"):
            raise ModelError(f"meshes must be 'reference' or 'copy', not {mode!r:.60}")
        copies = MeshCopies(target=target, mode=mode, by_file=by_file, search=robot.search_path)
        for link in robot.links.values():
            named = source or (link.source.file if link.source is not None else None)
            for g in (*link.visuals, *link.collisions):
                if isinstance(g.shape, Mesh) and g.shape.uri not in copies.found:
                    copies.look_up(g.shape.uri, None if named is None else os.fspath(named), losses)
        return copies

    def look_up(self, uri: str, file: str | None, losses: LossLog) -> None:
        path = MeshFiles(file, self.search).find(uri, file)
        self.found[uri] = path
        if path is None and not self.by_file:
            losses.note(f"mesh {uri!r:.200} was not found: its URI is written unchanged")
        elif path is not None and self.mode == "copy":
            self.names[uri] = _free_name(path.name, set(self.names.values()))

    def address(self, mesh: Mesh) -> str:
        """Relative ones are made to lead from the new file to where the mesh is; "" of a file that is not there."""
        path = self.found.get(mesh.uri)
        self.wanted.add(mesh.uri)
        if path is None:
            return "" if self.by_file else mesh.uri
        if mesh.uri in self.names:
            beside = f"{FOLDER}/{self.names[mesh.uri]}"
        elif "://" in mesh.uri and not self.by_file:
            return mesh.uri
        else:
            beside = Path(os.path.relpath(path, self.target.absolute().parent)).as_posix()
        return beside if self.by_file else quote(beside)

    def copy(self) -> tuple[Path, ...]:
        """Copies what the new file refers to, each file as a whole; none goes outside the folder of the new file."""
        copied = []
        for uri, name in ((uri, name) for uri, name in self.names.items() if uri in self.wanted):
            path, target = self.found[uri], self.target.absolute().parent / FOLDER / name
            assert path is not None
            if not target.resolve().is_relative_to(self.target.absolute().parent.resolve()):
                raise ModelError(f"{target} leads elsewhere by a link: meshes are copied beside the new file only")
            with files.replacing(target) as temporary:
                shutil.copyfile(path, temporary)
            copied.append(target)
        return tuple(copied)


def with_addresses(robot: Mechanism, address: Callable[[Mesh], str]) -> Mechanism:
    """The robot with the addresses of meshes that it has in the new file."""

    def moved(shapes: tuple[Geometry, ...]) -> tuple[Geometry, ...]:
        return tuple(
            replace(g, shape=replace(g.shape, uri=address(g.shape))) if isinstance(g.shape, Mesh) else g for g in shapes
        )

    links = {n: replace(x, visuals=moved(x.visuals), collisions=moved(x.collisions)) for n, x in robot.links.items()}
    return replace(robot, links=links)


def _free_name(name: str, taken: set[str]) -> str:
    stem, ending = os.path.splitext(name)
    free, n = name, 2
    while free in taken:
        free, n = f"{stem}_{n}{ending}", n + 1
    return free
