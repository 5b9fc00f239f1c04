"""A part of a robot as a table of its values, by the path of fields that leads to each."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any

import numpy as np

from gearwright.model import Pose

NOT_COMPARED = {"source", "reported", "spelling"}  # where in a file something was, and how it was spelt
Path = tuple[str, ...]


def values(part: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """(path, value) of every number, text and pose in it; the class of a part is a value, too."""
    if isinstance(part, Pose | np.ndarray) or callable(part):
        yield path, part
    elif dataclasses.is_dataclass(part):
        yield (*path, "class"), type(part).__name__
        for f in dataclasses.fields(part):
            if f.name not in NOT_COMPARED and f.init and f.compare:
                yield from values(getattr(part, f.name), (*path, f.name))
    elif isinstance(part, Mapping):
        for name, value in part.items():
            yield from values(value, (*path, str(name)))
    elif isinstance(part, tuple | list) and not all(isinstance(x, int | float | str) for x in part):
        for i, value in enumerate(part, 1):
            yield from values(value, (*path, str(i)))
    else:
        yield path, part


def alike(a: Any, b: Any, tolerance: float) -> bool:
    """Whether two values are the same; numbers to a tolerance, relative above 1 and absolute below."""
    if isinstance(a, Pose) and isinstance(b, Pose):
        return bool(np.abs(a.matrix - b.matrix).max() <= tolerance * max(1.0, float(np.abs(a.p).max(initial=0.0))))
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and bool(np.allclose(a, b, rtol=tolerance, atol=tolerance))
    if _is_number(a) and _is_number(b):
        return a == b or isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return len(a) == len(b) and all(alike(x, y, tolerance) for x, y in zip(a, b, strict=True))
    if callable(a) and callable(b):
        return a is b or getattr(a, "__code__", a) == getattr(b, "__code__", b)
    return type(a) is type(b) and bool(a == b)


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool)
