"""Places where links touch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gearwright.sim.state.values import Array


class Contact(NamedTuple):
    """One point where two links touch. All vectors are in the world's axes."""

    pair: tuple[str, str]  # the links: a, and b, which is the environment if one of them is
    point: Array  # (3,) [m]
    normal: Array  # (3,), from b to a
    depth: float  # by which the shapes overlap [m]; a resting contact has some nanometres
    force: Array  # (3,) on a, mean over the last step [N]
    slip: Array  # (3,) velocity of a's surface against b's, across the normal [m/s]
    sticking: bool  # friction is less than it could be, and the slip below 1 mm/s


def touching(names: Sequence[str], rows: Array) -> list[Any]:
    """Of (points, 14) the points that touch; of (…, points, 14) a list of lists."""
    if rows.ndim > 2:
        return [touching(names, each) for each in rows]
    return [
        _contact(name, row) for name, row in zip(names, rows, strict=True) if row[6] > 0.0 or row[7:10] @ row[3:6] > 0.0
    ]


def _contact(name: str, row: Array) -> Contact:
    a, _, b = name.partition("|")
    return Contact((a, b), row[:3], row[3:6], float(row[6]), row[7:10], row[10:13], bool(row[13] > 0.5))
