"""A link taken by the mouse: while the simulation runs, dragging a shape pulls its link, and empty space the camera."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.page.player import Player
from gearwright.page.scene import RobotScene

COLOUR = (226, 88, 62)
FARTHEST = 1e4  # [m] from the origin that something may be pulled to
BALL = 0.012  # radius of the spring's ends, of the robot's size


class Dragging:
    """Shapes take the pointer only while the simulation runs: paused, a drag anywhere turns the camera."""

    def __init__(self, scene: RobotScene, player: Player, size: float) -> None:
        self._scene, self._player, self._size = scene, player, size
        self._bound: list[Any] = []
        self._client: int | None = None  # the browser that pulls
        self._spring: tuple[Any, Any] | None = None  # line and ball
        self.enabled = True

    def refresh(self) -> None:
        wanted = self.enabled and self._player.playing
        if wanted and not self._bound:
            self._bind()
        elif not wanted and self._bound:
            self._unbind()
        self._show()

    def _bind(self) -> None:
        for link, drawn in self._scene.shapes:
            if link in self._player.sim.options.wrenches:
                drawn.node.on_drag("left")(self._callback(link))
                self._bound.append(drawn.node)

    def _unbind(self) -> None:
        for node in self._bound:
            node.remove_drag_callback("all")
        self._bound.clear()
        self._player.release()
        self._client = None

    def _callback(self, link: str) -> Any:
        async def dragged(event: Any) -> None:  # awaited, so that a start comes before its end
            self.drag(link, event)

        return dragged

    def drag(self, link: str, event: Any) -> None:
        """One browser pulls at a time."""
        if self._client not in (None, event.client_id):
            return
        if event.phase == "end":
            self._player.release()
            self._client = None
            return
        start, end = _point(event.start_position), _point(event.end_position)
        if start is None or end is None:
            return
        if self._client is None:
            self._client = event.client_id
            self._player.grab(link, start)
        self._player.pull(end)

    def _show(self) -> None:
        ends = self._player.stretch()
        if ends is None:
            if self._spring is not None:
                for node in self._spring:
                    node.visible = False
            return
        if self._spring is None:
            scene = self._scene.server.scene
            line = scene.add_line_segments(
                "/spring", np.zeros((1, 2, 3)), COLOUR, thickness=3.0, thickness_units="screen"
            )
            self._spring = line, scene.add_icosphere("/spring/goal", BALL * self._size, color=COLOUR)
        line, ball = self._spring
        line.points, ball.position = np.array([ends]), np.asarray(ends[1])
        line.visible = ball.visible = True


def _point(given: Any) -> Any:
    """A point that a browser names; None if it is not a point."""
    try:
        point = np.asarray(given, float)
    except (TypeError, ValueError):
        return None
    return point if point.shape == (3,) and (np.abs(point) < FARTHEST).all() else None
