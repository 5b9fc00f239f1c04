"""Limits of actuators, and the polygons of efforts and velocities that they make at two outputs."""

from __future__ import annotations

from itertools import combinations
from math import inf, isinf
from typing import NamedTuple

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.actuators import Actuator
from gearwright.model.poses import Array

TOUCHES = 1e-9  # share of a limit by which a corner may be beyond it: rounding


class ReachLimits(NamedTuple):
    """Limits of actuators, without the losses of gears."""

    actuators: tuple[Actuator, ...]

    def efforts(self) -> Array:
        """Highest effort at standstill, (actuators,) [N·m | N]."""
        return np.array([_known(a, "effort", effort_limit(a)) for a in self.actuators])

    def velocities(self) -> Array:
        """Highest speed that it reaches by itself, (actuators,) [rad/s | m/s]."""
        return np.array([_known(a, "velocity", velocity_limit(a)) for a in self.actuators])


def effort_limit(a: Actuator) -> float:
    """At standstill: the drive's, or the curve's."""
    return min(a.effort_limit, a.torque_speed[0][1] if a.torque_speed else inf)


def velocity_limit(a: Actuator) -> float:
    """The given one, or that at which its curve ends."""
    return min(a.velocity_limit, a.torque_speed[-1][0] if a.torque_speed else inf)


def _known(a: Actuator, what: str, limit: float) -> float:
    if isinf(limit):
        raise ModelError(f"actuator {a.name!r} has no {what} limit: give it one, or a torque-speed curve")
    return limit


def zonotope(G: Array) -> Array:
    """Corners of {G·x : |x| ≤ 1}, G (2, n), counterclockwise: its sides are ±2·G, by their direction."""
    up = np.where((G[1] < 0) | ((G[1] == 0) & (G[0] < 0)), -1.0, 1.0)
    sides = (G * up)[:, np.abs(G).max(axis=0) > 0]
    sides = sides[:, np.argsort(np.arctan2(sides[1], sides[0]), kind="stable")]
    half = -sides.sum(axis=1)[:, None] + 2.0 * np.cumsum(np.hstack([np.zeros((2, 1)), sides]), axis=1)[:, :-1]
    return np.asarray(np.hstack([half, -half]).T, dtype=np.float64)


def halfplanes(A: Array, limits: Array) -> Array:
    """Corners of {v : |A·v| ≤ limits}, A (n, 2), counterclockwise."""
    scale = A / limits[:, None]
    corners = []
    for i, k in combinations(range(len(scale)), 2):
        pair = scale[[i, k]]
        if abs(np.linalg.det(pair)) > 1e-12 * np.abs(pair).max() ** 2:
            found = (np.linalg.solve(pair, [x, y]) for x in (1.0, -1.0) for y in (1.0, -1.0))
            corners += [v for v in found if np.abs(scale @ v).max() <= 1.0 + TOUCHES]
    if not corners:
        raise ModelError("the actuators do not bound the velocities of both outputs")
    return np.array(sorted(corners, key=lambda v: float(np.arctan2(v[1], v[0]))))
