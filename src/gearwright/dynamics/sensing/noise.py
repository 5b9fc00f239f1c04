"""Noise inside the step: uniform numbers by Wichmann and Hill's generator (AS 183), normal ones by Box and Muller.

The generator is three small congruences. Their products stay below 2²³, so that its integers are exact in single
precision, too: a robot draws the same numbers on every lane, in every batch and in either precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

from gearwright.dynamics.algebra.scalar import Scalar, cos, floor, log, maximum, sin, sqrt
from gearwright.model.sensors.noise_seeds import MODULI

MULTIPLIERS = (171.0, 172.0, 170.0)
_LEAST = 2.0**-25  # of a uniform number: its logarithm must be finite in single precision (5.9 standard deviations)


def advanced(generator: Sequence[Scalar]) -> list[Scalar]:
    """`s ← a·s mod m` of each congruence.

    m is prime, so that a·s/m is at least 1/m = 3.3e-5 away from a whole number; in single precision its rounding is
    below 172·2⁻²³ = 2.1e-5, and cannot change the floor.
    """
    products = [a * s for a, s in zip(MULTIPLIERS, generator, strict=True)]
    return [p - m * floor(p * (1.0 / m)) for p, m in zip(products, MODULI, strict=True)]


def uniform(generator: Sequence[Scalar]) -> Scalar:
    """In (0, 1): the fraction of `Σ s/m`."""
    x, y, z = (s * (1.0 / m) for s, m in zip(generator, MODULI, strict=True))
    u = x + y + z
    return maximum(_LEAST, u - floor(u))


def normals(count: int, generator: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
    """`count` independent numbers of mean 0 and variance 1, and the generator after them."""
    state = list(generator)
    drawn: list[Scalar] = []
    while len(drawn) < count:
        state = advanced(state)
        radius = sqrt(-2.0 * log(uniform(state)))
        state = advanced(state)
        angle = 2.0 * pi * uniform(state)
        drawn += [radius * cos(angle), radius * sin(angle)]
    return drawn[:count], state
