"""Distributions as users write them: a number, a range (low, high), or a function of a generator and a count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.given_numbers import numbers
from gearwright.sim.state.values import Array

Distribution = Any  # a number, (low, high), or function(rng, count) → array (count,)
Draw = Callable[[np.random.Generator, int], Array]


def drawn(name: str, given: Distribution) -> Draw:
    """Draws values of one quantity."""
    if callable(given):
        return lambda rng, count: _spread(name, given(rng, count), count)
    ends = numbers(repr(name), given)
    if ends.shape not in ((), (2,)):
        raise ModelError(f"{name!r}: a number, a range (low, high) or a function of (rng, count), not {given!r:.60}")
    if ends.shape == ():
        return lambda rng, count: np.full(count, float(ends))
    low, high = ends.tolist()
    if low > high:
        raise ModelError(f"{name!r}: the range begins at {low:g}, above its end {high:g}")
    return lambda rng, count: rng.uniform(low, high, count)


def _spread(name: str, values: Any, count: int) -> Array:
    drawn = numbers(f"the function of {name!r}", values)
    if drawn.shape not in ((), (1,), (count,)):
        raise ModelError(f"the function of {name!r} returns numbers of shape {drawn.shape}, not ({count},)")
    return np.broadcast_to(drawn, (count,))


def starts(given: Mapping[str, Distribution]) -> dict[str, dict[str, Draw]]:
    """Starting positions and velocities: `knee` or `knee.position`, `knee.velocity`."""
    found: dict[str, dict[str, Draw]] = {"position": {}, "velocity": {}}
    for name, distribution in given.items():
        head, _, last = name.rpartition(".")
        family, joint = (last, head) if last in found else ("position", name)
        found[family][joint] = drawn(name, distribution)
    return found
