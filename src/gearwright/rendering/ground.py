"""The ground of a picture: tiles of a plane behind everything else, and the shadow of what is above it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from gearwright.display.solids import Array, Camera, Poses
from gearwright.model import Mechanism
from gearwright.model.geometry import Plane
from gearwright.rendering.raster import PictureFrame, Points
from gearwright.rendering.triangles import Triangles

LIGHT, DARK = np.array([237.0, 239.0, 242.0]), np.array([222.0, 224.0, 229.0])  # of tiles
SHADE = 0.80  # of the light that is left in a shadow
BLUR = 2  # pixels to either side that a shadow's edge is spread over
TILES = 8.0  # across what is seen
NEAR, FAR = 0.9, 1.7  # of what is seen: where tiles begin to fade, and where they have


@dataclass(frozen=True)
class Ground:
    """`X`: the plane's pose in the world, its normal along z."""

    X: Array
    centre: Array  # of what is seen, (2,) in the plane [m]
    reach: float  # [m]

    @staticmethod
    def of(robot: Mechanism, shapes: Mapping[str, Triangles], moments: Iterable[tuple[Poses, Camera]]) -> Ground | None:
        """The first plane that a link has."""
        poses = [poses for poses, _ in moments]
        planes = [
            poses[0][link.name] @ np.asarray(g.pose.matrix) @ _upright(g.shape)
            for link in robot.links.values() if link.name in poses[0]
            for g in (*link.visuals, *link.collisions) if isinstance(g.shape, Plane)
        ]  # fmt: skip
        if not planes or not shapes:
            return None
        X = planes[0]
        ends = [_ends(own) for own in shapes.values()]
        some = poses[:: max(1, len(poses) // 16)]
        places = np.concatenate(
            [end @ P[link][:3, :3].T + P[link][:3, 3] for P in some for link, end in zip(shapes, ends, strict=True)]
        )
        local = ((places - X[:3, 3]) @ X[:3, :3])[:, :2]
        low, high = local.min(axis=0), local.max(axis=0)
        return Ground(X, (low + high) / 2, float((high - low).max()) or 1.0)

    def seen(
        self, points: Mapping[str, Points], poses: Poses, camera: Camera, frame: PictureFrame, back: Array | None
    ) -> Array:
        """(height, width, 4) bytes: tiles and shadow over the background."""
        right, up, forward = camera.axes
        normal = self.X[:3, 2]
        blank = np.zeros(4) if back is None else np.array([*back, 255.0])
        image = np.broadcast_to(blank, (frame.height, frame.width, 4)).copy()
        if forward @ normal > -1e-3:
            return np.asarray(image, np.uint8)  # from below, or along it
        x = frame.left + (np.arange(frame.width) + 0.5) / frame.scale
        y = frame.top - (np.arange(frame.height) + 0.5) / frame.scale
        eye = x[None, :, None] * right + y[:, None, None] * up
        depth = (self.X[:3, 3] - eye) @ normal / (forward @ normal)
        at = (eye + depth[..., None] * forward - self.X[:3, 3]) @ self.X[:3, :2]
        tiles = np.floor(at * (TILES / self.reach / 2)).astype(int).sum(axis=-1) % 2
        colour = np.where(tiles[..., None] == 0, LIGHT, DARK) * self._shadow(points, poses, camera, frame)[..., None]
        away = np.linalg.norm(at - self.centre, axis=-1) / self.reach
        cover = np.clip((FAR - away) / (FAR - NEAR), 0.0, 1.0)[..., None]
        image[..., :3] = cover * colour + (1.0 - cover) * image[..., :3]
        image[..., 3:] = np.maximum(image[..., 3:], 255.0 * cover)
        return np.asarray(np.round(image), np.uint8)

    def _shadow(self, points: Mapping[str, Points], poses: Poses, camera: Camera, frame: PictureFrame) -> Array:
        """Share of light by pixel: what is straight above takes some."""
        dark = np.zeros((frame.height, frame.width))
        normal, origin = self.X[:3, 2], self.X[:3, 3]
        for link, own in points.items():
            P = np.asarray(poses[link])
            places = own.places.T @ P[:3, :3].T + P[:3, 3]
            height = (places - origin) @ normal
            flat = camera.seen((places - height[:, None] * normal)[height > 0])
            column = ((flat[:, 0] - frame.left) * frame.scale).astype(int)
            row = ((frame.top - flat[:, 1]) * frame.scale).astype(int)
            inside = (column >= 0) & (column < frame.width) & (row >= 0) & (row < frame.height)
            dark[row[inside], column[inside]] = 1.0
        for axis in (0, 1):
            dark = np.mean([np.roll(dark, k, axis) for k in range(-BLUR, BLUR + 1)], axis=0)
        light: Array = 1.0 - (1.0 - SHADE) * dark
        return light


def over(back: Array | None, picture: Array) -> Array:
    """A picture over a colour (3,), another picture (height, width, 4), or nothing."""
    if back is None:
        return picture
    cover = picture[..., 3:].astype(float) / 255.0
    if back.ndim == 1:
        back = np.array([*back, 255.0])
    return np.asarray(np.round(cover * np.maximum(picture, [0, 0, 0, 255]) + (1.0 - cover) * back), np.uint8)


def _upright(plane: Plane) -> Array:
    """Turns z to the plane's normal."""
    z = np.asarray(plane.normal, float) / np.linalg.norm(plane.normal)
    x = np.cross([0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0], z)
    x /= np.linalg.norm(x)
    turn = np.eye(4)
    turn[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    return turn


def _ends(own: Triangles) -> Array:
    flat = own.corners.reshape(-1, 3)
    ends: Array = flat[np.concatenate([flat.argmin(axis=0), flat.argmax(axis=0)])]
    return ends
