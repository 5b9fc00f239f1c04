"""Contacts of a running simulation in the scene: forces where links touch, and on demand the cones of friction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import GearwrightError

if TYPE_CHECKING:
    from gearwright.page.player import Player

STICKING, SLIDING, CONE = (40, 150, 90), (226, 88, 62), (150, 90, 200)
LONGEST = 0.35  # of an arrow, of the robot's size: of the weight of everything that moves
RAYS = 12  # along a cone
HEIGHT = 0.12  # of a cone, of the robot's size


class ContactView:
    """Drawn anew with every picture; nothing is computed while it is hidden."""

    def __init__(self, server: Any, player: Player, size: float) -> None:
        self._scene, self._player, self._size = server.scene, player, size
        self._shown: set[str] = set()
        self._nodes: dict[str, Any] = {}
        weight = sum(link.inertia.mass for link in player.robot.links.values()) * 9.81
        self._per_newton = LONGEST * size / max(weight, 1e-9)
        self._friction = {
            frozenset(p.links): max(p.surface.friction, p.surface.friction2) for p in player.robot.contacts
        }

    def show(self, kind: str, shown: bool) -> None:
        """kind: `forces` or `cones`."""
        (self._shown.add if shown else self._shown.discard)(kind)
        self.refresh()

    def refresh(self) -> None:
        found = self._contacts() if self._shown else []
        forces = np.array([[c.point, c.point + self._per_newton * c.force] for c in found]).reshape(-1, 2, 3)
        colours = np.array([STICKING if c.sticking else SLIDING for c in found], np.uint8).reshape(-1, 3)
        if "forces" not in self._shown:
            forces, colours = forces[:0], colours[:0]
        self._lines("forces", forces, np.repeat(colours[:, None], 2, axis=1), 4.0)
        cones = [self._cone(c) for c in found] if "cones" in self._shown else []
        rays = np.concatenate(cones) if cones else np.zeros((0, 2, 3))
        self._lines("cones", rays, np.full((len(rays), 2, 3), CONE, np.uint8), 1.5)

    def _contacts(self) -> list[Any]:
        try:
            return list(self._player.sim.contacts)
        except GearwrightError:  # the simulation has failed, and the page says so elsewhere
            return []

    def _cone(self, c: Any) -> Any:
        """Rays from the point along which friction is at its most, and the rim that they end on. (2·RAYS, 2, 3)"""
        mu, n = self._friction.get(frozenset(c.pair), 0.0), np.asarray(c.normal, float)
        e = np.cross(n, np.eye(3)[int(np.abs(n).argmin())])
        e /= np.linalg.norm(e)
        turn = np.linspace(0, 2 * np.pi, RAYS, endpoint=False)[:, None]
        rim = c.point + HEIGHT * self._size * (n + mu * (np.cos(turn) * e + np.sin(turn) * np.cross(n, e)))
        rays = np.stack([np.broadcast_to(c.point, rim.shape), rim], axis=1)
        return np.concatenate([rays, np.stack([rim, np.roll(rim, -1, axis=0)], axis=1)])

    def _lines(self, name: str, points: Any, colours: Any, thickness: float) -> None:
        node = self._nodes.get(name)
        if not len(points):
            if node is not None:
                node.visible = False
            return
        if node is not None and len(node.points) == len(points):
            node.points, node.colors, node.visible = points, colours, True
            return
        if node is not None:
            node.remove()
        self._nodes[name] = self._scene.add_line_segments(
            f"/contact {name}", points, colours, thickness=thickness, thickness_units="screen"
        )
