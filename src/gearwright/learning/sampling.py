"""Distributions as users write them: a number, a range (low, high), or a function of a generator and a count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.sim.values import Array

Distribution = Any  # a number, (low, high), or function(rng, count) → array (count,)
Draw = Callable[[np.random.Generator, int], Array]


def drawn(name: str, given: Distribution) -> Draw:
    """Draws values of one quantity."""
    if callable(given):
        return lambda rng, count: np.broadcast_to(np.asarray(given(rng, count), dtype=float), (count,))
    try:
        numbers = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        numbers = np.empty(3)
    if isinstance(given, str) or numbers.shape not in ((), (2,)) or not np.isfinite(numbers).all():
        raise ModelError(f"{name!r}: a number, a range (low, high) or a function of (rng, count), not {given!r:.60}")
    if numbers.shape == ():
        return lambda rng, count: np.full(count, float(numbers))
    low, high = map(float, numbers)
    if low > high:
        raise ModelError(f"{name!r}: the range begins at {low:g}, above its end {high:g}")
    return lambda rng, count: rng.uniform(low, high, count)


def starts(given: Mapping[str, Distribution]) -> dict[str, dict[str, Draw]]:
    """Starting positions and velocities: `knee` or `knee.position`, `knee.velocity`."""
    found: dict[str, dict[str, Draw]] = {"position": {}, "velocity": {}}
    for name, distribution in given.items():
        head, _, last = name.rpartition(".")
        family, joint = (last, head) if last in found else ("position", name)
        found[family][joint] = drawn(name, distribution)
    return found
