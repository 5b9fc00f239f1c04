"""Where the noise of sensors starts: the state of Wichmann and Hill's generator for every robot, seed and name."""

from __future__ import annotations

import hashlib
from math import prod
from typing import Any

import numpy as np

MODULI = (30269.0, 30307.0, 30323.0)  # of the generator's three congruences, all prime
ENTRIES = len(MODULI)  # numbers of a generator's state
_EACH = tuple(int(m) - 1 for m in MODULI)  # states of a congruence: 1 … m − 1, as 0 would stay 0
_STATES = prod(_EACH)  # just below 2⁴⁵


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
