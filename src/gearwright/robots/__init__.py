"""Robots that come with Gearwright: small, commented, made to be read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from gearwright.errors import UnknownNameError

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """The bundled robots, e.g. `gripper`."""
    return sorted(p.stem for p in _FOLDER.iterdir() if p.suffix in (".sdf", ".urdf"))


def path(name: str) -> Path:
    """The file of a bundled robot, for `gearwright.load`."""
    for suffix in (".sdf", ".urdf"):
        file = _FOLDER / f"{name}{suffix}"
        if name.isidentifier() and file.is_file():
            return file
    raise UnknownNameError("bundled robot", name, names())


class _Robots(ModuleType):
    """`list(gw.robots)`: the names of the bundled robots."""

    def __iter__(self) -> Iterator[str]:
        return iter(names())

    def __len__(self) -> int:
        return len(names())

    def __contains__(self, name: object) -> bool:
        return name in names()

    def __repr__(self) -> str:
        return f"<bundled robots: {', '.join(names())}>"


sys.modules[__name__].__class__ = _Robots
