"""The robot in the scene: one frame per link, with its shapes; frames move, shapes stay as they were sent."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gearwright.diagnostics import Diagnostic
from gearwright.model import Mechanism
from gearwright.model.poses import quaternion_of_matrix
from gearwright.page.mesh_progress import mesh_progress
from gearwright.page.meshes import RobotMeshes
from gearwright.page.shapes import Canvas, Colour, Drawn, draw

COLLISION: Colour = (0.85, 0.45, 0.2, 0.35)
STICK = (90, 110, 140)
SMALLEST = 0.05  # [m] of what a picture shows
VIEW = np.array([1.0, -1.25, 0.62])  # from the robot to the camera
ROOM = 1.05  # around the robot
FIELD_OF_VIEW = 0.75  # [rad], from top to bottom
PANEL, NARROW = 320, 640  # [px] that the controls take of a picture that is not narrow
PHONE = 0.8  # width over height from which on controls lie below the picture
BELOW = 0.01  # of its size, that a robot may reach below the ground without the grid going along


class RobotScene:
    """Shapes of a robot, moved by poses of its links."""

    def __init__(self, server: Any, robot: Mechanism, meshes: RobotMeshes) -> None:
        self.server, self.robot, self._canvas = server, robot, Canvas(server.scene, meshes)
        self._frames = {name: server.scene.add_frame(frame_of(name), show_axes=False) for name in robot.links}
        self.visuals = self._draw("visuals")
        self.collisions: list[tuple[str, Drawn]] = []
        if not self.visuals:
            self.show_collisions(True)
        if not self.shapes:
            self._sticks()

    @staticmethod
    def opened(
        server: Any, robot: Mechanism, search_path: Sequence[str | os.PathLike[str]]
    ) -> tuple[RobotScene, list[Diagnostic]]:
        """The scene, and what was to say of its meshes; their files are closed again."""
        file = next((link.source.file for link in robot.links.values() if link.source is not None), None)
        meshes = RobotMeshes(file, search_path)
        try:
            return RobotScene(server, robot, meshes), meshes.diagnostics
        finally:
            meshes.close()

    def _draw(self, which: str) -> list[tuple[str, Drawn]]:
        """(link, shape) of all visuals or collisions."""
        found, links = [], self.robot.links
        with mesh_progress(sum(len(getattr(link, which)) for link in links.values())) as one_more:
            for name, link in links.items():
                for k, shape in enumerate(getattr(link, which)):
                    colour = COLLISION if which == "collisions" else shape.rgba
                    drawn = draw(self._canvas, f"{frame_of(name)}/{which}{k}", shape, colour, link.source)
                    one_more()
                    if drawn is not None:
                        found.append((name, drawn))
        return found

    def _sticks(self) -> None:
        """A robot without shapes: lines from joint to joint."""
        ends = {b.joint.parent: [] for b in self.robot.tree.branches}  # type: dict[str, list[Any]]
        for branch in self.robot.tree.branches:
            ends[branch.joint.parent].append(np.asarray(branch.joint.X_PJ.p, float))
        for link, points in ends.items():
            lines = np.array([[np.zeros(3), p] for p in points if np.linalg.norm(p) > 0]).reshape(-1, 2, 3)
            if link in self._frames and len(lines):
                self.server.scene.add_line_segments(
                    f"{frame_of(link)}/stick", lines, STICK, thickness=4.0, thickness_units="screen"
                )

    @property
    def shapes(self) -> list[tuple[str, Drawn]]:
        return [*self.visuals, *self.collisions]

    def move(self, poses: Mapping[str, Any]) -> None:
        """Poses in the world, 4×4 each."""
        with self.server.atomic():
            for name, X in poses.items():
                if name in self._frames:
                    frame = self._frames[name]
                    frame.wxyz, frame.position = (
                        np.array(quaternion_of_matrix(np.asarray(X)[:3, :3])),
                        np.asarray(X)[:3, 3],
                    )

    # --- size and camera -------------------------------------------------------------------------------------------

    def bounds(self, poses: Mapping[str, Any]) -> tuple[Any, Any]:
        """Lowest and highest corner of all shapes, and of the links' frames [m]."""
        points = [np.asarray(X)[None, :3, 3] for X in poses.values()] or [np.zeros((1, 3))]
        for link, drawn in self.shapes:
            X = np.asarray(poses[link])
            points.append(drawn.corners @ X[:3, :3].T + X[:3, 3])
        every = np.concatenate(points)
        every = every[np.isfinite(every).all(axis=1)]
        return every.min(axis=0), every.max(axis=0)

    def frame_all(self, poses: Mapping[str, Any]) -> float:
        """A grid and a camera for the size that the robot has, which it returns [m]."""
        low, high = self.bounds(poses)
        size = max(SMALLEST, float(np.linalg.norm(high - low)))
        centre, cell = (low + high) / 2, 10.0 ** np.floor(np.log10(size / 2))
        extent = 6 * np.ceil(size / cell) * cell
        floor = float(low[2]) if low[2] < -BELOW * size else 0.0
        self.server.scene.add_grid(
            "/grid", width=extent, height=extent, cell_size=cell, section_size=5 * cell, position=(0.0, 0.0, floor),
            fade_distance=extent, fade_from="origin",
        )  # fmt: skip

        @self.server.on_client_connect  # type: ignore[untyped-decorator]
        def look(client: Any) -> None:
            """The ball around the robot fills the narrower side of the picture; on a phone the upper half of it."""
            camera = client.camera
            width, height = max(1, camera.image_width), max(1, camera.image_height)
            aspect = (width if width < NARROW else max(width / 2, width - PANEL)) / height
            phone, half = aspect < PHONE, np.tan(FIELD_OF_VIEW / 2)
            fill = half * min(1.0, aspect, 0.55 if phone else 1.0)
            distance = size / 2 * ROOM / np.sin(np.arctan(fill))
            down = np.array([0.0, 0.0, 0.4 * distance * half if phone else 0.0])
            camera.fov = FIELD_OF_VIEW
            camera.position = centre + VIEW / np.linalg.norm(VIEW) * distance - down
            camera.look_at = centre - down

        return size

    # --- what is seen ----------------------------------------------------------------------------------------------

    def show_collisions(self, shown: bool) -> None:
        if shown and not self.collisions:
            self.collisions = self._draw("collisions")
        for _, drawn in self.collisions:
            drawn.node.visible = shown

    def show_visuals(self, shown: bool) -> None:
        for _, drawn in self.visuals:
            drawn.node.visible = shown


def frame_of(link: str) -> str:
    """The path of a link's frame in the scene's tree."""
    return f"/robot/link {link.replace('%', '%25').replace('/', '%2F')}"
