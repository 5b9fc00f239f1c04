"""The centre of mass in the scene, and a camera that goes along with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gearwright.model import Mechanism

COLOUR = (150, 90, 200)
RADIUS = 0.02  # of the ball, of the robot's size
STILL = 1e-4  # of the robot's size: the camera need not go along with less


class MassCentre:
    """A ball at Σ mᵢ·pᵢ / Σ mᵢ. While `follows` is set, all browsers' cameras move as it moves."""

    def __init__(self, server: Any, robot: Mechanism, size: float) -> None:
        self._server, self._size = server, size
        self._links = {name: link.inertia for name, link in robot.links.items() if link.inertia.mass > 0}
        self._ball: Any = None
        self._shown, self.follows = False, False
        self._followed: Any = None  # where it was when cameras were last moved

    def show(self, shown: bool) -> None:
        if shown and self._ball is None:
            self._ball = self._server.scene.add_icosphere("/centre of mass", radius=RADIUS * self._size, color=COLOUR)
        self._shown = shown
        if self._ball is not None:
            self._ball.visible = shown

    def move(self, poses: Mapping[str, Any]) -> None:
        if not self._links or not (self._shown or self.follows):
            self._followed = None
            return
        p = self.at(poses)
        if self._shown:
            self._ball.position = p
        if self.follows and np.isfinite(p).all():
            self._follow(p)

    def at(self, poses: Mapping[str, Any]) -> Any:
        """In the world [m]."""
        moments, whole = np.zeros(3), 0.0
        for name, inertia in self._links.items():
            X = np.asarray(poses[name])
            moments += inertia.mass * (X[:3, :3] @ np.asarray(inertia.center, float) + X[:3, 3])
            whole += inertia.mass
        return moments / whole

    def _follow(self, p: Any) -> None:
        if self._followed is None:
            self._followed = p
        moved = p - self._followed
        if np.linalg.norm(moved) < STILL * self._size:
            return
        self._followed = p
        for client in self._server.get_clients().values():
            if client.camera.update_timestamp:
                client.camera.position = client.camera.position + moved  # which moves what it looks at, too
