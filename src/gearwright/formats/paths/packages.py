"""ROS packages and search paths: where `$(find pkg)`, package:// and model:// lead, without ROS installed."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from gearwright.formats.xml.file_bytes import bounded

PATH_VARIABLE = "GEARWRIGHT_PATH"
ROS_VARIABLE = "ROS_PACKAGE_PATH"
AMENT_VARIABLE = "AMENT_PREFIX_PATH"
GAZEBO_VARIABLE = "GZ_SIM_RESOURCE_PATH"
MAX_LEVELS = 4  # folders between an entry of the path and a package
MAX_FOLDERS = 2_000  # looked through in search of a package
_NAME = re.compile(r"<name>\s*([\w.-]{1,200})\s*</name>")
_PACKAGE = re.compile(r"[A-Za-z0-9_][\w.-]*")


def search_folders(search: Sequence[str | os.PathLike[str]]) -> tuple[Path, ...]:
    """The caller's folders first, then those of the environment; relative ones begin where the program runs."""
    listed = [Path(p) for p in search]
    for variable in (PATH_VARIABLE, ROS_VARIABLE, AMENT_VARIABLE, GAZEBO_VARIABLE):
        entries = [Path(p) for p in os.environ.get(variable, "").split(os.pathsep) if p]
        listed += [p / "share" for p in entries] if variable == AMENT_VARIABLE else entries
    return tuple(p.absolute() for p in listed)


def enclosing_package(file: Path) -> Path | None:
    """The package that a file belongs to: the nearest folder above it with a package.xml."""
    for folder in list(file.absolute().parents)[:12]:
        if is_package(folder):
            return folder
    return None


def package_name(folder: Path) -> str:
    """Name in its package.xml, or else the folder's own name."""
    with suppress(OSError):
        found = _NAME.search(bounded(folder / "package.xml")[:65_536].decode(errors="replace"))
        if found:
            return found[1]
    return folder.name


class Packages:
    """Packages by name: the model's own, and those below the search path."""

    def __init__(self, own: Sequence[Path], search: Sequence[Path]) -> None:
        self._own = own  # packages around the model
        self._search = search
        self._found: dict[str, Path | None] = {}

    def find(self, name: str) -> Path | None:
        if name not in self._found:
            known = _PACKAGE.fullmatch(name) is not None
            self._found[name] = next(self._candidates(name), None) if known else None
        return self._found[name]

    def holds(self, path: Path) -> bool:
        """Whether a path without links lies in one of the packages that were found, wherever links led to it.

        A folder is a package by its package.xml: a link to any other folder opens nothing.
        """
        return any(path.is_relative_to(folder) for folder in self.found())

    def found(self) -> list[Path]:
        """Packages that were found so far, their links followed."""
        folders = {folder for folder in self._found.values() if folder is not None}
        return [folder.resolve() for folder in folders if is_package(folder)]

    def _candidates(self, name: str) -> Iterator[Path]:
        yield from (folder for folder in self._own if package_name(folder) == name)
        for folder in self._search:
            with suppress(OSError):
                for candidate in (folder / name, folder / "share" / name):
                    if candidate.is_dir():
                        yield candidate
                if folder.absolute().name == name and folder.is_dir():
                    yield folder
        if name in self._below:
            yield self._below[name]

    @cached_property
    def _below(self) -> dict[str, Path]:
        """The first package of each name below the search path, looked through once."""
        packages = (folder for folder in _folders_below(self._search) if is_package(folder))
        found: dict[str, Path] = {}
        for folder in packages:
            found.setdefault(package_name(folder), folder)
        return found


def is_package(folder: Path) -> bool:
    with suppress(OSError):
        return (folder / "package.xml").is_file()
    return False


def _folders_below(roots: Sequence[Path]) -> Iterator[Path]:
    """Folders level by level, through links as well, each once; a package holds no other."""
    todo = deque((root, 0) for root in roots)
    seen: set[tuple[int, int]] = set()  # devices and inodes: links may lead in a circle
    while todo and len(seen) < MAX_FOLDERS:
        folder, level = todo.popleft()
        with suppress(OSError):
            status = folder.stat()
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            yield folder
            if level < MAX_LEVELS and not is_package(folder):
                with os.scandir(folder) as entries:
                    names = sorted(e.name for e in entries if e.is_dir())
                todo.extend((folder / n, level + 1) for n in names if not n.startswith("."))
