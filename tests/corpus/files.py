"""Where the robots' files lie: the project's corpus, and the package example-robot-data. Both may be absent."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
VARIABLE = "GEARWRIGHT_CORPUS"

URDF = (".urdf",)
SDF = (".sdf", ".world")


@dataclass(frozen=True)
class RobotFile:
    """A file and the name that the tables of the tests know it by: `corpus/…` or `example-robot-data/…`."""

    name: str
    path: Path

    def __str__(self) -> str:
        return self.name


@cache
def corpus() -> Path | None:
    """$GEARWRIGHT_CORPUS, or ../shared/corpus beside the repository."""
    folder = Path(os.environ.get(VARIABLE) or REPOSITORY.parent / "shared" / "corpus")
    return folder if (folder / "manifest.json").is_file() else None


@cache
def robot_data() -> Path | None:
    """The robots' folder of the installed package example-robot-data; nothing of it is imported."""
    try:
        folder = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix")))
    except PackageNotFoundError:
        return None
    folder = folder / "share" / "example-robot-data" / "robots"
    return folder if folder.is_dir() else None


@cache
def robot_files(suffixes: tuple[str, ...]) -> tuple[RobotFile, ...]:
    """Every file with one of the suffixes, in either case; those of the specification itself are no robots."""
    found = []
    for origin, folder in (("corpus", corpus()), ("example-robot-data", robot_data())):
        for path in sorted(folder.rglob("*")) if folder is not None else ():
            if path.suffix.lower() in suffixes and not path.name.startswith("spec_"):
                found.append(RobotFile(f"{origin}/{path.relative_to(folder).as_posix()}", path))
    return tuple(found)
