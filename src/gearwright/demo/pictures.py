"""A robot's motion as pictures: a strip of moments, and a loop that moves. SVG, small enough for a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from gearwright.display.solids import Array, Camera, Face, Poses, faces
from gearwright.model import Mechanism

MARGIN = 0.05  # of the larger side


@dataclass(frozen=True, kw_only=True)
class Trace:
    """A point's path, drawn behind the robot."""

    points: Array  # (n, 3) in the world [m]
    colour: str = "red"


@dataclass(frozen=True, kw_only=True)
class Window:
    """The part of the camera's plane that pictures show, the same in all of them."""

    left: float  # [m]
    top: float  # [m]
    width: float  # [m]
    height: float  # [m]
    pixels: float  # across

    @property
    def scale(self) -> float:
        """[px/m]."""
        return self.pixels / self.width

    @property
    def size(self) -> tuple[float, float]:
        return self.pixels, self.height * self.scale

    def points(self, corners: Array) -> str:
        x, y = (corners[:, 0] - self.left) * self.scale, (self.top - corners[:, 1]) * self.scale
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))


@dataclass(frozen=True, kw_only=True)
class Film:
    """A robot at several moments, seen by a camera."""

    robot: Mechanism
    camera: Camera
    times: Sequence[float]  # [s]
    poses: Sequence[Poses]
    trace: Trace | None = None
    label: str = ""

    def strip(self, moments: Sequence[int], pixels: float = 150) -> list[str]:
        """One small picture a moment, its time since the first below."""
        seen = {k: faces(self.robot, self.poses[k], self.camera) for k in moments}
        window = self._window(list(seen.values()), pixels)
        return [self._still(seen[k], window, f"{1e3 * (self.times[k] - self.times[0]):.0f} ms") for k in moments]

    def loop(self, seconds: float, pixels: float = 460, still: int = 0) -> str:
        """All moments one after the other, for ever; who wants no motion sees the one that is `still`."""
        seen = [faces(self.robot, at, self.camera) for at in self.poses]
        window = self._window(seen, pixels)
        n = len(seen)
        name = f"f{n}"
        frames = f"<style>@keyframes {name}{{0%{{visibility:visible}}{100 / n:.4f}%,100%{{visibility:hidden}}}}"
        frames += f".{name}{{animation:{name} {seconds:g}s step-end infinite}}</style>"
        body = [frames, self._path(window)]
        for k, found in enumerate(seen):
            kind = f"f {name} still" if k == still else f"f {name}"
            delay = seconds * (k - n) / n
            body.append(f'<g class="{kind}" style="animation-delay:{delay:.3f}s">{_polygons(found, window)}</g>')
        return _svg(window.size, "".join(body), self.label)

    def _still(self, found: Sequence[Face], window: Window, caption: str) -> str:
        width, height = window.size
        text = f'<text x="{width / 2:.0f}" y="{height + 16:.0f}" text-anchor="middle">{escape(caption)}</text>'
        body = self._path(window) + _polygons(found, window) + text
        return _svg((width, height + 22), body, f"{self.label}, {caption}")

    def _path(self, window: Window) -> str:
        if self.trace is None:
            return ""
        points = window.points(self.camera.seen(self.trace.points))
        return f'<polyline class="path {self.trace.colour}" points="{points}"/>'

    def _window(self, seen: Sequence[Sequence[Face]], pixels: float) -> Window:
        """Room for every moment; its middle is at the height at which the robot is on average."""
        parts = [face.corners for found in seen for face in found]
        if self.trace is not None:
            parts.append(self.camera.seen(self.trace.points))
        points = np.concatenate(parts)
        low, high = points.min(axis=0), points.max(axis=0)
        heights = [np.concatenate([face.corners[:, 1] for face in found]) for found in seen]
        middle = float(np.mean([(h.min() + h.max()) / 2 for h in heights]))
        half = max(high[1] - middle, middle - low[1])
        low[1], high[1] = middle - half, middle + half
        edge = MARGIN * float((high - low).max())
        width, height = (float(x) + 2 * edge for x in high - low)
        return Window(left=float(low[0]) - edge, top=float(high[1]) + edge, width=width, height=height, pixels=pixels)


def _polygons(found: Sequence[Face], window: Window) -> str:
    """Outlined in their own colour, which closes the hairlines between faces (`style`)."""
    return "".join(f'<polygon color="{_hex(f.colour)}" points="{window.points(f.corners)}"/>' for f in found)


def _hex(colour: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(255 * min(1.0, c)):02x}" for c in colour)


def _svg(size: tuple[float, float], body: str, label: str) -> str:
    width, height = size
    return (
        f'<svg class="robot" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        f'role="img" aria-label="{escape(label)}">{body}</svg>'
    )
