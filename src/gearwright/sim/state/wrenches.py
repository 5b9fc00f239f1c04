"""Wrenches on links, as callers give them: pairs of force and torque."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_numbers import numbers
from gearwright.model import Mechanism
from gearwright.sim.state.names import Group
from gearwright.sim.state.values import Array


def wrench_group(links: Sequence[str]) -> Group:
    """Six numbers a link, force first."""
    parts = ("fx", "fy", "fz", "tx", "ty", "tz")
    names = tuple(f"{link}.{part}" for link in links for part in parts)
    return Group("link", names, {link: tuple(range(6 * i, 6 * i + 6)) for i, link in enumerate(links)})


def as_columns(robot: Mechanism, links: Sequence[str], batch: int, wrench: Any) -> dict[str, Array]:
    """`{link: (force, torque)}` to six numbers along the last axis, (6,) or (B, 6)."""
    if not isinstance(wrench, Mapping):
        raise ModelError(f"wrench must be a mapping {{link: (force, torque)}}, not a {type(wrench).__name__}")
    return {link: _six(robot, links, batch, link, pair) for link, pair in wrench.items()}


def _six(robot: Mechanism, links: Sequence[str], batch: int, link: str, pair: Any) -> Array:
    if link not in links:
        if link not in robot.links:
            raise UnknownNameError("link", link, robot.links)
        declared = (*links, link)
        raise ModelError(f"link {link!r} takes no wrench: declare it with compile(wrenches={declared!r})")
    if not isinstance(pair, Sequence | np.ndarray) or isinstance(pair, str) or len(pair) != 2:
        raise ModelError(
            f"the wrench on {link!r} must be a pair (force, torque) of three numbers each, not {pair!r:.80}"
        )
    halves = [numbers(repr(link), half) for half in pair]
    for half, what in zip(halves, ("force", "torque"), strict=True):
        if half.shape not in ((3,), (batch, 3)):
            many = "" if batch == 1 else f" or ({batch}, 3)"
            raise ModelError(f"the {what} on {link!r} has the shape (3,){many}, not {half.shape}")
    shape = np.broadcast_shapes(*(half.shape for half in halves))
    return np.concatenate([np.broadcast_to(half, shape) for half in halves], axis=-1)
