"""Names in the scene: each browser shows as many as its picture has room for, and none covers another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gearwright.model.poses import rotation_quaternion

CHARACTER, LINE, PADDING = 7.0, 15.0, 3.0  # [px] of viser's text, the last on each side
STEADY = 0.8  # the distance of a name that is shown counts less, so that names do not flicker
Box = tuple[float, float, float, float]  # left, top, right, bottom [px]


@dataclass(eq=False)
class Label:
    """A text at a point of a frame."""

    path: str  # in the scene's tree
    text: str
    position: Any  # in the frame that the path is below [m]
    link: str | None = None  # of that frame; None is the world
    centred: bool = False  # above the point; else to the right of it, and below
    visible: bool = True  # if there is room
    nodes: dict[int, Any] = field(default_factory=dict)  # per browser that shows it

    def point(self, poses: Mapping[str, Any]) -> Any:
        """In the world [m]."""
        p = np.asarray(self.position, float)
        if self.link is None or self.link not in poses:
            return p
        X = np.asarray(poses[self.link])
        return X[:3, :3] @ p + X[:3, 3]

    def box(self, x: float, y: float) -> Box:
        width, height = CHARACTER * len(self.text) + 2 * PADDING, LINE + 2 * PADDING
        left, top = (x - width / 2, y - height) if self.centred else (x, y)
        return left, top, left + width, top + height


class SceneLabels:
    """`arrange` decides anew what is shown, also when a camera moves: near names first."""

    def __init__(self, server: Any, lock: AbstractContextManager[Any]) -> None:
        self._server, self._lock = server, lock
        self._labels: list[Label] = []
        self._poses: Mapping[str, Any] = {}

        @server.on_client_connect  # type: ignore[untyped-decorator]
        def arrange_with_its_camera(client: Any) -> None:
            client.camera.on_update(lambda _: self.arrange())

    def add(self, label: Label) -> Label:
        self._labels.append(label)
        return label

    def move(self, poses: Mapping[str, Any]) -> None:
        self._poses = poses
        self.arrange()

    def arrange(self) -> None:
        if not self._labels:
            return
        with self._lock:
            for number, client in self._server.get_clients().items():
                if client.camera.update_timestamp:
                    self._show(number, client)

    def _show(self, number: int, client: Any) -> None:
        visible = [label for label in self._labels if label.visible]
        points = np.array([label.point(self._poses) for label in visible]).reshape(-1, 3)
        held = [number in label.nodes and label.nodes[number].visible for label in visible]
        chosen = {visible[k] for k in fitting(visible, *projected(client.camera, points), held)}
        for label in self._labels:
            node = label.nodes.get(number)
            if node is None and label in chosen:
                anchor = "bottom-center" if label.centred else "top-left"
                label.nodes[number] = client.scene.add_label(
                    label.path, label.text, position=label.position, anchor=anchor
                )
            elif node is not None:
                node.visible = label in chosen
                if node.visible:
                    node.position = label.position


def projected(camera: Any, points: Any) -> tuple[Any, Any]:
    """(n, 2) [px], and distances ahead of the camera [m]. The camera looks along its z axis, y is down."""
    seen = (points - np.asarray(camera.position)) @ np.asarray(rotation_quaternion(*camera.wxyz), float)
    ahead = seen[:, 2]
    scale = camera.image_height / 2 / np.tan(camera.fov / 2) / np.where(ahead > 0, ahead, np.inf)
    return scale[:, None] * seen[:, :2], ahead


def fitting(labels: Sequence[Label], pixels: Any, ahead: Any, held: Sequence[bool]) -> Iterable[int]:
    """Those that cover no other, the nearest first."""
    taken: list[Box] = []
    for k in np.argsort(np.where(held, STEADY, 1.0) * ahead, kind="stable"):
        box = labels[k].box(*pixels[k])
        if ahead[k] > 0 and np.isfinite(pixels[k]).all() and not any(overlap(box, other) for other in taken):
            taken.append(box)
            yield int(k)


def overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
