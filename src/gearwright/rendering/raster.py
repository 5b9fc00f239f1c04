"""A robot of many triangles as a picture: its surfaces as points, the nearest of each pixel, as PNG.

Triangles are strewn with points closer than a pixel, each drawn two pixels wide. So a frame is one product per link and
one minimum a pixel.
"""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import NamedTuple

import numpy as np

from gearwright.display.solids import Array, Camera, Poses
from gearwright.rendering.triangles import Triangles

FINER = 2  # pixels of the drawing per pixel of the picture
SPACING = 0.9  # [px of the drawing] between points; each covers two
R2 = (0.7548776662466927, 0.5698402909980532)  # a sequence that fills the plane evenly (1/φ₂, 1/φ₂²)
AMBIENT = 0.62
MOST_POINTS = 3_000_000
OUTLINE = 400  # points of a link that its place in the picture is found by
MARGIN = 0.05  # of the larger side
TALLEST = 1.0  # height over width


class Points(NamedTuple):
    """The surface of a link, in its frame."""

    places: Array  # (3, n) [m]
    normals: Array  # (3, n)
    colours: Array  # (n, 3)


class PictureFrame(NamedTuple):
    """The part of the camera's plane that pictures show."""

    left: float  # [m]
    top: float  # [m]
    scale: float  # [px/m]
    width: int  # [px]
    height: int  # [px]


@dataclass(frozen=True, kw_only=True)
class RasterFilm:
    """A robot at several moments; a `Film` of pixels."""

    shapes: Mapping[str, Triangles]
    camera: Camera
    times: Sequence[float]  # [s]
    poses: Sequence[Poses]
    label: str = ""

    def strip(self, moments: Sequence[int], pixels: int = 150) -> list[str]:
        """One small picture a moment, its time since the first below."""
        frame = self._frame(pixels)
        points = sampled(self.shapes, frame.scale * FINER)
        return [self._still(k, frame, points) for k in moments]

    def _still(self, k: int, frame: PictureFrame, points: Mapping[str, Points]) -> str:
        caption = f"{1e3 * (self.times[k] - self.times[0]):.0f} ms"
        image = _address(png(self._picture(k, frame, points)))
        return (
            f'<div style="text-align:center"><img style="width:100%" alt="{escape(self.label)}, {caption}" '
            f'src="{image}"><div class="small">{caption}</div></div>'
        )

    def loop(self, seconds: float, pixels: int = 460) -> str:
        """All moments one after the other, for ever; who wants no motion sees the first."""
        frame = self._frame(pixels)
        points = sampled(self.shapes, frame.scale * FINER)
        pictures = [self._picture(k, frame, points) for k in range(len(self.poses))]
        still = _address(png(pictures[0]))
        moving = _address(animated(pictures, seconds / len(pictures)))
        return (
            f'<picture><source media="(prefers-reduced-motion:reduce)" srcset="{still}">'
            f'<img style="max-width:100%;height:auto" width="{frame.width}" height="{frame.height}" '
            f'alt="{escape(self.label)}" src="{moving}"></picture>'
        )

    def _picture(self, k: int, frame: PictureFrame, points: Mapping[str, Points]) -> Array:
        return drawn(points, self.poses[k], self.camera, frame)

    @cached_property
    def _extent(self) -> tuple[Array, Array]:
        """Lowest and highest corner in the picture, of all moments."""
        low, high = np.full(2, np.inf), np.full(2, -np.inf)
        for link, own in self.shapes.items():
            flat = own.corners.reshape(-1, 3)
            every = flat[:: max(1, len(flat) // OUTLINE)]
            ends = flat[np.concatenate([flat.argmin(axis=0), flat.argmax(axis=0)])]
            some = np.concatenate([every, ends])
            for X in (at[link] for at in self.poses):
                seen = self.camera.seen(some @ X[:3, :3].T + X[:3, 3])
                low, high = np.minimum(low, seen.min(axis=0)), np.maximum(high, seen.max(axis=0))
        return low, high

    def _frame(self, pixels: int) -> PictureFrame:
        low, high = self._extent
        edge = MARGIN * float((high - low).max())
        width, height = (float(x) + 2 * edge for x in high - low)
        scale = min(pixels / width, TALLEST * pixels / height)
        left, top = (low[0] + high[0]) / 2 - pixels / scale / 2, float(high[1]) + edge
        return PictureFrame(left, top, scale, pixels, max(1, round(height * scale)))


def sampled(shapes: Mapping[str, Triangles], scale: float) -> dict[str, Points]:
    """Points that are closer than a pixel; `scale` [px/m] of the drawing."""
    spacing = SPACING / scale
    area = sum(float(_areas(own.corners).sum()) for own in shapes.values())
    spacing = max(spacing, (area / MOST_POINTS) ** 0.5)
    rng = np.random.default_rng(0)  # the same picture every time
    return {link: _cut(own, spacing, rng) for link, own in shapes.items()}


def _areas(corners: Array) -> Array:
    sides = corners[:, 1:] - corners[:, :1]
    return np.asarray(np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1) / 2)


def _cut(own: Triangles, spacing: float, rng: np.random.Generator) -> Points:
    """On each triangle so many points as squares of this spacing; of smaller ones every so many has one."""
    a, b, c = (own.corners[:, i] for i in range(3))
    cross = np.cross(b - a, c - a)
    twice = np.linalg.norm(cross, axis=1)
    counts = np.floor(twice / 2 / spacing**2 + rng.random(len(twice))).astype(int)
    of = np.repeat(np.arange(len(counts)), counts)
    k = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)  # the number of a point on its triangle
    u, v = (0.5 + k * R2[0]) % 1.0, (0.5 + k * R2[1]) % 1.0
    beyond = u + v > 1
    u, v = np.where(beyond, 1 - u, u)[:, None], np.where(beyond, 1 - v, v)[:, None]
    places = a[of] + u * (b - a)[of] + v * (c - a)[of]
    normals = (cross / np.maximum(twice, 1e-30)[:, None])[of]
    return Points(_rows(places), _rows(normals), own.colours[of])


def _rows(vectors: Array) -> Array:
    return np.ascontiguousarray(vectors.T, np.float32)


def drawn(points: Mapping[str, Points], poses: Poses, camera: Camera, frame: PictureFrame) -> Array:
    """(height, width, 4) bytes; nothing is transparent."""
    width, height = frame.width * FINER, frame.height * FINER
    nearest = np.full(width * height, np.inf, np.float32)
    seen = {link: _projected(own, np.asarray(poses[link]), camera, frame) for link, own in points.items()}
    for pixel, depth, _ in seen.values():
        for beside in (0, 1, width, width + 1):
            np.minimum.at(nearest, pixel + beside, depth)
    image = np.zeros((width * height, 4), np.float32)
    for link, (pixel, depth, index) in seen.items():
        own, R = points[link], np.asarray(poses[link])[:3, :3]
        for beside in (width + 1, width, 1, 0):
            front = depth <= nearest[pixel + beside]
            image[pixel[front] + beside, :3] = _shaded(own, index[front], R, camera)
            image[pixel[front] + beside, 3] = 1.0
    small = image.reshape(frame.height, FINER, frame.width, FINER, 4).mean(axis=(1, 3))
    cover = small[..., 3:]
    small[..., :3] = np.divide(small[..., :3], cover, out=np.zeros_like(small[..., :3]), where=cover > 0)
    return np.asarray(np.round(255 * np.clip(small, 0, 1)), np.uint8)


def _projected(own: Points, X: Array, camera: Camera, frame: PictureFrame) -> tuple[Array, Array, Array]:
    """Pixel, depth and index of each point that is inside the picture."""
    scale, width, height = frame.scale * FINER, frame.width * FINER, frame.height * FINER
    turn, shift = camera.axes @ X[:3, :3], camera.axes @ X[:3, 3]
    x, y, z = own.places
    right, up, away = (np.float32(a) * x + np.float32(b) * y + np.float32(c) * z + np.float32(d)
                       for (a, b, c), d in zip(turn, shift, strict=True))  # fmt: skip
    column, row = ((right - frame.left) * scale).astype(np.int32), ((frame.top - up) * scale).astype(np.int32)
    index = np.nonzero((column >= 0) & (column < width - 1) & (row >= 0) & (row < height - 1))[0]
    return row[index] * width + column[index], away[index], index


def _shaded(own: Points, index: Array, R: Array, camera: Camera) -> Array:
    """Colours in the light; files turn their triangles either way, so that a normal is taken towards the camera."""
    x, y, z = own.normals[:, index]
    towards, light = ((v @ R).astype(np.float32) for v in (camera.axes[2], camera.light))
    away = towards[0] * x + towards[1] * y + towards[2] * z > 0
    lit = (light[0] * x + light[1] * y + light[2] * z) * np.where(away, -1, 1)
    shaded: Array = (AMBIENT + (1 - AMBIENT) * np.clip(lit, 0, 1))[:, None] * own.colours[index]
    return shaded


# --- PNG -----------------------------------------------------------------------------------------------------------


def png(image: Array) -> bytes:
    return animated([image], 0.0)


def animated(images: Sequence[Array], delay: float) -> bytes:
    """An animated PNG; every frame replaces the one before. `delay` [s]."""
    from PIL import Image

    first, *others = (Image.fromarray(image) for image in images)
    file = io.BytesIO()
    first.save(file, "PNG", save_all=bool(others), append_images=others, duration=1000 * delay, loop=0)
    return file.getvalue()


def _address(data: bytes) -> str:
    return f"data:image/png;base64,{b64encode(data).decode()}"
