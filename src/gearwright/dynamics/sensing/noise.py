"""Noise inside the step: uniform numbers by Wichmann and Hill's generator (AS 183), normal ones by Box and Muller.

The generator is three small congruences. Their products stay below 2²³, so that its integers are exact in single
precision, too: a robot draws the same numbers on every lane, in every batch and in either precision.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from math import pi, prod
from typing import Any

import casadi
import numpy as np

from gearwright.dynamics.algebra.scalar import Scalar, square_root

MULTIPLIERS = (171.0, 172.0, 170.0)
MODULI = (30269.0, 30307.0, 30323.0)
ENTRIES = len(MODULI)  # numbers of a generator's state
_EACH = tuple(int(m) - 1 for m in MODULI)  # states of a congruence: 1 … m − 1, as 0 would stay 0
_STATES = prod(_EACH)  # just below 2⁴⁵
_LEAST = 2.0**-25  # of a uniform number: its logarithm must be finite in single precision (5.9 standard deviations)


def advanced(generator: Sequence[Scalar]) -> list[Scalar]:
    """`s ← a·s mod m` of each congruence.

    m is prime, so that a·s/m is at least 1/m = 3.3e-5 away from a whole number; in single precision its rounding is
    below 172·2⁻²³ = 2.1e-5, and cannot change the floor.
    """
    products = [a * s for a, s in zip(MULTIPLIERS, generator, strict=True)]
    return [p - m * casadi.floor(p * (1.0 / m)) for p, m in zip(products, MODULI, strict=True)]


def uniform(generator: Sequence[Scalar]) -> Scalar:
    """In (0, 1): the fraction of `Σ s/m`."""
    x, y, z = (s * (1.0 / m) for s, m in zip(generator, MODULI, strict=True))
    u = x + y + z
    return casadi.fmax(_LEAST, u - casadi.floor(u))


def normals(count: int, generator: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
    """`count` independent numbers of mean 0 and variance 1, and the generator after them."""
    state = list(generator)
    drawn: list[Scalar] = []
    while len(drawn) < count:
        state = advanced(state)
        radius = square_root(-2.0 * casadi.log(uniform(state)))
        state = advanced(state)
        angle = 2.0 * pi * uniform(state)
        drawn += [radius * casadi.cos(angle), radius * casadi.sin(angle)]
    return drawn[:count], state


def seeds(seed: int, name: str, robots: int) -> Any:
    """Where the generators start, (robots, ENTRIES): different for every robot, seed and sensor's name.

    A robot's row does not depend on how many others there are.
    """
    first = int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8], "little") % _STATES
    numbers = _scattered((np.arange(robots, dtype=np.uint64) + np.uint64(first)) % np.uint64(_STATES))
    found = np.empty((robots, ENTRIES))
    for k, states in enumerate(_EACH):  # digits of mixed base
        found[:, k] = numbers % np.uint64(states) + np.uint64(1)
        numbers = numbers // np.uint64(states)
    return found


def _scattered(numbers: Any) -> Any:
    """Each number below _STATES to another one, no two to the same.

    Neighbouring states would give related noise. `_mixed` is one-to-one on 45 bits; following it until it comes back
    below _STATES is one-to-one there.
    """
    numbers = _mixed(numbers)
    while (beyond := numbers >= _STATES).any():
        numbers[beyond] = _mixed(numbers[beyond])
    return numbers


def _mixed(n: Any) -> Any:
    """Odd products and shifted differences, each of which can be undone."""
    for odd in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
        n = ((n ^ (n >> np.uint64(22))) * np.uint64(odd)) & np.uint64(2**45 - 1)
    return n ^ (n >> np.uint64(22))
