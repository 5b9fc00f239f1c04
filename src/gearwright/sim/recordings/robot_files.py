"""The robot's file in a recording: its place relative to the recording, without private folders.

A recording may be passed on. It names the robot's file relative to its own folder (`../models/arm.urdf`) or to the home
folder (`~/models/arm.urdf`), or by its name alone if both would reveal more, such as the user's name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def to_recording(file: str, folder: Path) -> str:
    """The name of a robot's file in a recording that is written to `folder`."""
    path = Path(file)
    if not path.is_absolute():
        return file
    path, folder, home = path.resolve(), folder.resolve(), _home()
    with suppress(ValueError):  # two drives of Windows have no folder in common
        shared = Path(os.path.commonpath([path, folder]))
        if shared != Path(shared.anchor) and (home is None or not home.is_relative_to(shared) or home == shared):
            return Path(os.path.relpath(path, folder)).as_posix()
    if home is not None and path.is_relative_to(home):
        return (Path("~") / path.relative_to(home)).as_posix()
    return path.name


def from_recording(file: str, folder: Path) -> str:
    """The robot's file as it lies on this machine; what the recording in `folder` says where it is not found."""
    return next((os.path.abspath(path) for path in _places(file, folder) if path.is_file()), file) if file else ""


def _places(file: str, folder: Path) -> Iterator[Path]:
    yield folder / file  # an absolute path stays what it is
    with suppress(RuntimeError):
        yield Path(file).expanduser()
    yield folder / Path(file).name


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except RuntimeError:  # a user without a home
        return None
