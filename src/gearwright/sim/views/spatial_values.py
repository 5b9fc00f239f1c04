"""Pairs of vectors by joint or link: reactions, velocities and accelerations, now or over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from gearwright.sim.state.values import Array, Values

Table = Callable[[str], Array]  # a quantity's numbers, (…, rows, 6)


class Reaction(NamedTuple):
    """Wrench of a joint's parent on its child, about the joint's origin, in the joint's axes on the child; (…, 3)."""

    force: Array  # [N]
    torque: Array  # [N·m]


class Twist(NamedTuple):
    """A link's velocity, or acceleration, at its origin, in the world's axes; (…, 3)."""

    linear: Array  # [m/s], [m/s²]
    angular: Array  # [rad/s], [rad/s²]


def reactions(joints: Sequence[str], table: Table) -> Values:
    return _rows("joint", joints, Reaction, partial(table, "reaction"))


def link_motion(links: Sequence[str], table: Table, quantity: str) -> Values:
    """`link_velocity` or `link_acceleration`."""
    return _rows("link", links, Twist, partial(table, quantity))


def _rows(kind: str, names: Sequence[str], made: Callable[[Array, Array], Any], table: Callable[[], Array]) -> Values:
    def read(i: int) -> Any:
        row = table()[..., i, :]
        return made(row[..., :3], row[..., 3:])

    return Values(kind, {name: partial(read, i) for i, name in enumerate(names)}, {})
