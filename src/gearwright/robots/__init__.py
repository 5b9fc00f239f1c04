"""Robots that come with Gearwright: small, commented, made to be read."""

from __future__ import annotations

from pathlib import Path

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
