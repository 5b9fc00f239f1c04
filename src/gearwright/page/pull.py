"""A spring between a point of a link and the pointer.

It acts between steps, so that its force is a step old: stable while `k·dt²` and `c·dt` stay small beside the mass that
the point shows. Stiffness and damping are kept below that, which lets a finger be pulled as well as a whole arm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gearwright.sim import Simulation

FREQUENCY = 20.0  # [rad/s] of the whole robot on the spring
STIFFEST = 0.05  # k·dt²/m, with m the least mass that the point shows
MOST_DAMPED = 0.2  # c·dt/m
LIGHTEST = 1e-6  # [kg]


class PullingSpring:
    """Pulls a point of a link to `goal`."""

    def __init__(self, sim: Simulation, link: str, point: Any) -> None:
        self._sim, self.link, self.goal = sim, link, np.asarray(point, float)
        X = sim.pose[link]
        self._offset = X[:3, :3].T @ (self.goal - X[:3, 3])  # in the link's frame
        least, whole = self._least_mass(), sum(x.inertia.mass for x in sim.robot.links.values())
        self.stiffness = min(max(whole, least) * FREQUENCY**2, STIFFEST * least / sim.dt**2)  # [N/m]
        self.damping = min(2 * max(whole, least) * FREQUENCY, MOST_DAMPED * least / sim.dt)  # [N·s/m]

    def _least_mass(self) -> float:
        """In the direction in which the point moves most easily, with followers and loops free [kg]."""
        J = self._sim.jacobian(self.link, self._offset)[:3]
        M = self._sim.mass_matrix()
        mobility = float(np.linalg.norm(J @ np.linalg.lstsq(M, J.T, rcond=None)[0], 2))
        return max(LIGHTEST, 1.0 / mobility) if mobility > 0 else 1.0 / LIGHTEST

    def point(self) -> Any:
        """Where the point is in the world [m]."""
        X = self._sim.pose[self.link]
        return X[:3, :3] @ self._offset + X[:3, 3]

    def wrench(self) -> tuple[Any, Any]:
        """Force and torque about the link's origin, in the world's axes."""
        X, motion = self._sim.pose[self.link], self._sim.link_velocity[self.link]
        arm = X[:3, :3] @ self._offset
        velocity = np.asarray(motion.linear) + np.cross(motion.angular, arm)
        force = self.stiffness * (self.goal - arm - X[:3, 3]) - self.damping * velocity
        return force, np.cross(arm, force)
