"""ROS packages and search paths: where `$(find pkg)`, package:// and model:// lead, without ROS installed."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from gearwright.formats.file_bytes import bounded

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
        with suppress(OSError):
            if (folder / "package.xml").is_file():
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

    def _candidates(self, name: str) -> Iterator[Path]:
        yield from (folder for folder in self._own if package_name(folder) == name)
        for folder in self._search:
            with suppress(OSError):
                for candidate in (folder / name, folder / "share" / name):
                    if candidate.is_dir():
                        yield candidate
                if folder.absolute().name == name and folder.is_dir():
                    yield folder
        for folder in _folders_below(self._search):
            if (folder / "package.xml").is_file() and package_name(folder) == name:
                yield folder


def _folders_below(roots: Sequence[Path]) -> Iterator[Path]:
    """Folders level by level; links are not followed, and a package holds no other."""
    todo = deque((root, 0) for root in roots)
    seen = 0
    while todo and seen < MAX_FOLDERS:
        folder, level = todo.popleft()
        seen += 1
        yield folder
        with suppress(OSError):
            if level < MAX_LEVELS and not (folder / "package.xml").is_file():
                with os.scandir(folder) as entries:
                    names = sorted(e.name for e in entries if e.is_dir(follow_symlinks=False))
                todo.extend((folder / n, level + 1) for n in names if not n.startswith("."))
