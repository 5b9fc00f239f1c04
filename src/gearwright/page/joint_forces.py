"""Arrows at joints: the forces and torques that each joint carries in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import GearwrightError

if TYPE_CHECKING:
    from gearwright.page.player import Player

FORCE, TORQUE = (226, 88, 62), (47, 127, 193)
LONGEST = 0.3  # of an arrow, of the robot's size; the others are to scale
UNITS = {"force": "N", "torque": "N·m"}
NOTHING = 1e-9  # [N, N·m]
SHORTEST = 0.02  # of the longest: shorter arrows would be all head
MOST = 60  # joints


class JointForces:
    """What parents exert on children, at the joints; the longest arrow has a length that can be seen."""

    def __init__(self, server: Any, player: Player, size: float) -> None:
        self._scene, self._player, self._size = server.scene, player, size
        self._joints = [j for j in player.robot.tree.joints if j.dof and j.child in player.robot.links][:MOST]
        self._kinds = {"force": FORCE, "torque": TORQUE}
        self._longest: dict[str, float] = {}
        self._legend: Any = None
        self._shown: set[str] = set()
        self._arrows: dict[str, Any] = {}

    def add_legend(self, gui: Any) -> None:
        """A line that says how much the longest arrows are."""
        self._legend = gui.add_markdown("", visible=False)

    def show(self, kind: str, shown: bool) -> None:
        """kind: `force` or `torque`."""
        (self._shown.add if shown else self._shown.discard)(kind)
        if kind in self._arrows:
            self._arrows[kind].visible = shown
        self.refresh()

    def refresh(self) -> None:
        for kind in self._shown:
            points = self._ends(kind)
            if kind in self._arrows:
                self._arrows[kind].points = points
            elif len(points):
                radius = 0.006 * self._size
                self._arrows[kind] = self._scene.add_arrows(
                    f"/joints/{kind}", points, self._kinds[kind], shaft_radius=radius, head_radius=2.2 * radius,
                    head_length=5 * radius,
                )  # fmt: skip

        if self._legend is not None:
            self._legend.visible = bool(self._shown)
            text = ", ".join(f"{self._longest[kind]:.3g} {UNITS[kind]}" for kind in UNITS if kind in self._shown)
            self._legend.content = f"longest arrows: {text}"

    def _ends(self, kind: str) -> Any:
        """(joints, 2, 3): from the joint's origin on."""
        found = []
        for joint in self._joints:
            X = np.asarray(self._player.sim.pose[joint.child])
            try:
                wrench = self._player.sim.reaction[joint.name]
            except GearwrightError:  # the simulation has failed, and the page says so elsewhere
                self._longest[kind] = float("nan")
                return np.zeros((0, 2, 3))
            along = X[:3, :3] @ np.asarray(joint.X_CJ.R, float) @ np.asarray(getattr(wrench, kind), float)
            start = X[:3, :3] @ np.asarray(joint.X_CJ.p, float) + X[:3, 3]
            found.append((start, along))
        longest = max((float(np.linalg.norm(along)) for _, along in found), default=0.0)
        self._longest[kind] = longest if longest > NOTHING else 0.0
        seen = [(start, along) for start, along in found if np.linalg.norm(along) > max(NOTHING, SHORTEST * longest)]
        scale = LONGEST * self._size / max(longest, NOTHING)
        return np.array([[start, start + scale * along] for start, along in seen]).reshape(-1, 2, 3)
