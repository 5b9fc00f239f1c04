"""The hash of everything that determines a simulation's programs, computed without deriving the equations.

It is conservative: everything in the model that might have an influence is part of it, and so is the text of every
module on the way to the code. Anything that cannot be hashed has no key, and is never mistaken for something else.
"""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from gearwright.model import Pose
from gearwright.sim.programs.function_content import NoKeyError, code_parts

SOURCES = ("compiler", "dynamics", "model", "sim")  # packages whose text decides the equations
LIBRARIES = ("casadi", "numpy")
WITHOUT_INFLUENCE = {"source", "reported", "visuals", "collisions", "search_path"}  # fields


def model_digest(part: Any) -> str | None:
    """Hash of a mechanism, or of a part of one; None if it holds a user's function."""
    try:
        return _Content(functions=False).digest(part)
    except NoKeyError:
        return None


def content_digest(value: Any) -> str:
    """Hash of any value that decides a result, users' functions included. Raises NoKeyError for what is not known."""
    return _Content(functions=True).digest(value)


class _Content:
    """Values as bytes, so that different values give different bytes."""

    def __init__(self, *, functions: bool) -> None:
        self._functions = functions
        self._open: list[int] = []  # functions that are being written: one may call itself

    def digest(self, value: Any) -> str:
        digest = hashlib.sha256()
        for piece in self.parts(value):
            digest.update(piece)
        return digest.hexdigest()

    def parts(self, value: Any) -> Iterator[bytes]:
        yield f"<{type(value).__qualname__}>".encode()
        if value is None or isinstance(value, bool | int | float | str | bytes):
            yield repr(value).encode()
        elif isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
            yield repr((value.shape, value.dtype.str)).encode() + value.tobytes()
        elif isinstance(value, Pose):
            yield value.R.tobytes() + value.p.tobytes()
        elif isinstance(value, Mapping):
            yield from self._sequence([*value, *value.values()])
        elif isinstance(value, tuple | list | range):
            yield from self._sequence([*value])
        elif dataclasses.is_dataclass(value) and _is_ours(value):
            fields = [f.name for f in dataclasses.fields(value) if f.name not in WITHOUT_INFLUENCE]
            yield from self._sequence([getattr(value, name) for name in fields])
        elif self._functions and (callable(value) or isinstance(value, ModuleType)):
            yield from self._code(value)
        else:
            raise NoKeyError(f"an object of the class {type(value).__qualname__!r}")

    def _code(self, value: Any) -> Iterator[bytes]:
        if id(value) in self._open:
            yield f"{self._open.index(id(value))}".encode()
            return
        self._open.append(id(value))
        yield from code_parts(value, self.parts)
        self._open.pop()

    def _sequence(self, values: list[Any]) -> Iterator[bytes]:
        yield f"{len(values)}:".encode()
        for value in values:
            yield from self.parts(value)


def _is_ours(value: Any) -> bool:
    """The methods of other classes are no text of ours, and may change."""
    return not isinstance(value, type) and type(value).__module__.partition(".")[0] == "gearwright"


def foreign_constraints() -> bool:
    """Whether a script has added constraint groups: their text is not part of a key."""
    module = sys.modules.get("gearwright.dynamics.steps.constraint_groups")  # not loaded: nobody has
    return module is not None and module.CONSTRAINTS != module.OWN


def identity(*parts: object) -> str:
    """Hash of the given parts and this installation. A back end and its options are added by `cache.entry_key`."""
    text = "\n".join(map(repr, (*parts, *installation())))
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def installation() -> tuple[str, ...]:
    """Versions of the libraries, and a digest of our own text."""
    digest = hashlib.sha256()
    package = Path(__file__).parents[2]
    for folder in SOURCES:
        for source in sorted((package / folder).rglob("*.py")):
            digest.update(source.relative_to(package).as_posix().encode() + b"\0" + source.read_bytes() + b"\0")
    return (*(f"{name} {version(name)}" for name in LIBRARIES), digest.hexdigest())
