"""The hash of everything that decides a simulation's programs, found without writing the equations down.

Conservative: whatever of the model is not known to be without influence is part of it, and so is the text of every
module on the way to the code. A model with a part that cannot be written down (a user's function) has no key.
"""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.model import Pose

SOURCES = ("compiler", "dynamics", "model", "sim")  # packages whose text decides the equations
LIBRARIES = ("casadi", "numpy")
WITHOUT_INFLUENCE = {"source", "reported", "visuals", "collisions"}  # fields


class NoKeyError(Exception):
    """The model holds something that cannot be written down."""


def model_digest(part: Any) -> str | None:
    """Hash of the content of a mechanism, or of a part of one; None if something in it cannot be hashed."""
    digest = hashlib.sha256()
    try:
        for piece in _parts(part):
            digest.update(piece)
    except NoKeyError:
        return None
    return digest.hexdigest()


def _parts(value: Any) -> Iterator[bytes]:
    """A value as bytes, so that different values give different bytes."""
    yield f"<{type(value).__qualname__}>".encode()
    if value is None or isinstance(value, bool | int | float | str):
        yield repr(value).encode()
    elif isinstance(value, np.ndarray):
        yield repr((value.shape, value.dtype.str)).encode() + value.tobytes()
    elif isinstance(value, Pose):
        yield value.R.tobytes() + value.p.tobytes()
    elif isinstance(value, Mapping):
        yield from _sequence([*value, *value.values()])
    elif isinstance(value, tuple | list):
        yield from _sequence([*value])
    elif dataclasses.is_dataclass(value):
        if type(value).__module__.partition(".")[0] != "gearwright":
            raise NoKeyError(type(value).__qualname__)  # its methods are no text of ours, and may change
        fields = [f.name for f in dataclasses.fields(value) if f.name not in WITHOUT_INFLUENCE]
        yield from _sequence([getattr(value, name) for name in fields])
    else:
        raise NoKeyError(type(value).__qualname__)


def _sequence(values: list[Any]) -> Iterator[bytes]:
    yield f"{len(values)}:".encode()
    for value in values:
        yield from _parts(value)


def foreign_constraints() -> bool:
    """Whether a script has added constraint groups: their text is not part of a key."""
    module = sys.modules.get("gearwright.dynamics.steps.constraint_groups")  # not loaded: nobody has
    return module is not None and module.CONSTRAINTS != module.OWN


def key(*parts: object) -> str:
    """Hash of the given parts and this installation."""
    text = "\n".join(map(repr, (*parts, *installation())))
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def installation() -> tuple[str, ...]:
    """Versions of the libraries, and a digest of our own text."""
    digest = hashlib.sha256()
    package = Path(__file__).parents[1]
    for folder in SOURCES:
        for source in sorted((package / folder).rglob("*.py")):
            digest.update(source.relative_to(package).as_posix().encode() + b"\0" + source.read_bytes() + b"\0")
    return (*(f"{name} {version(name)}" for name in LIBRARIES), digest.hexdigest())
