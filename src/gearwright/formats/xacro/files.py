"""Files that a xacro file may read: those of its own folder and package, and of the search path."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from gearwright.formats.paths.model_folders import ModelFolders
from gearwright.formats.xacro.errors import XacroError, shown, too_much
from gearwright.formats.xml.file_bytes import bounded

MAX_ENTRIES = 10_000  # of folders that a pattern goes through
_SCHEME = "package://"


class Files:
    """Finds files and packages, and refuses what leaves the allowed folders, links included."""

    def __init__(self, file: Path | None, search: Sequence[str | os.PathLike[str]]) -> None:
        self.folder = None if file is None else file.absolute().parent
        try:
            self._folders = ModelFolders(file, search)
        except (OSError, RuntimeError, ValueError) as e:
            raise XacroError(f"the model's folders cannot be followed: {e}", "include-not-found") from None

    def package(self, name: str) -> Path | None:
        return self._folders.packages.find(name)

    def path(self, name: str, folder: Path | None) -> Path:
        """The path that a name in a file means; relative ones begin at the file that is being expanded."""
        if "\0" in name or len(name) > 4_000:
            raise XacroError(f"{shown(name)} is not the name of a file", "include-not-found")
        if name.startswith(_SCHEME):
            package, _, rest = name.removeprefix(_SCHEME).partition("/")
            found = self.package(package)
            if found is None:
                raise XacroError(self.missing(package), "package-not-found")
            return found / rest
        name = name.removeprefix("file://")
        if folder is None and not os.path.isabs(name):
            raise XacroError(
                f"{shown(name)}: a robot given as text has no folder; load a file instead", "include-not-found"
            )
        return Path(folder or "/", name)

    def allowed(self, path: Path) -> Path:
        """The path with its links followed. Raises XacroError if it leads out of the allowed folders."""
        found = _resolved(path)
        if not self._folders.holds(found):
            raise XacroError(
                f"{shown(path, 200)} lies outside the model's folder, its package and the search path; add its folder "
                "with search_path=[…] or --path",
                "include-unsafe",
            )
        return found

    def read(self, path: Path, most: int) -> bytes:
        """The bytes of an allowed file. Raises FileNotFoundError, or XacroError for what cannot be read."""
        found = self.allowed(path)
        try:
            if not found.is_file():
                if found.exists():
                    raise XacroError(f"{shown(path, 200)} is not a plain file", "include-unsafe")
                raise FileNotFoundError(path)
            if found.stat().st_size > most:
                raise too_much(f"{shown(path, 200)} is larger than {most // 1024} KiB")
            return bounded(found)
        except FileNotFoundError:
            raise
        except OSError as e:
            raise XacroError(f"{shown(path, 200)} cannot be read: {e}", "include-not-found") from None

    def matching(self, pattern: Path) -> list[Path]:
        """The files that a pattern with *, ? or [ names, sorted; only allowed folders are looked through."""
        parts = pattern.parts
        fixed = next(i for i, part in enumerate(parts) if is_pattern(part))
        start = Path(*parts[:fixed])
        self.allowed(start)
        left = [MAX_ENTRIES]
        return sorted(_matches(start, parts[fixed:], left))

    def missing(self, name: str) -> str:
        """Message for a package that is not found; one beside the model is named, though not read."""
        message = (
            f"the package {shown(name)} is not found; give the folder that holds it with search_path=[…] or --path"
        )
        for above in [] if self.folder is None else list(self.folder.parents)[:6]:
            with suppress(OSError):
                if name.isidentifier() and (above / name).is_dir():
                    return f"{message} (--path {shown(above, 200)} has one)"
        return message


def is_pattern(text: str) -> bool:
    return any(c in text for c in "*?[")


def _matches(folder: Path, parts: tuple[str, ...], left: list[int]) -> Iterator[Path]:
    if not parts:
        if folder.is_file():
            yield folder
        return
    if not is_pattern(parts[0]):
        if parts[0] == "..":
            raise XacroError('".." cannot follow a pattern', "include-unsafe")
        yield from _matches(folder / parts[0], parts[1:], left)
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda e: e.name):
            left[0] -= 1
            if left[0] < 0:
                raise too_much(f"a pattern that goes through more than {MAX_ENTRIES:,} files")
            hidden = entry.name.startswith(".") and not parts[0].startswith(".")
            if not hidden and fnmatch.fnmatchcase(entry.name, parts[0]):
                yield from _matches(folder / entry.name, parts[1:], left)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as e:
        raise XacroError(f"{shown(path, 200)} cannot be followed: {e}", "include-not-found") from None
