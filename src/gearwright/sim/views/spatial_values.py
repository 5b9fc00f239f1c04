"""Pairs of vectors by joint or link: reactions, velocities and accelerations, now or over time."""

from __future__ import annotations

from typing import NamedTuple

from gearwright.sim.state.values import Array


class Reaction(NamedTuple):
    """Wrench of a joint's parent on its child, about the joint's origin, in the joint's axes on the child; (…, 3)."""

    force: Array  # [N]
    torque: Array  # [N·m]


class Twist(NamedTuple):
    """A link's velocity, or acceleration, at its origin, in the world's axes; (…, 3)."""

    linear: Array  # [m/s], [m/s²]
    angular: Array  # [rad/s], [rad/s²]
