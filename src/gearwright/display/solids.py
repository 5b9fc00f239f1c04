"""A robot's shapes as a camera sees them: flat faces, shaded, the far ones first. No perspective."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gearwright.model import Mechanism
from gearwright.model.geometry import Box, Cylinder, Shape, Sphere

Array = np.ndarray[Any, np.dtype[Any]]
Poses = Mapping[str, Array]  # by link: X_WL, (4, 4)
GREY = (0.66, 0.68, 0.72, 1.0)  # of a shape without a colour
SIDES, BAND = 18, 3  # edges of a cylinder's rim, and how many share a face of its side
AMBIENT = 0.74  # of the light
TOUCHING = 1e-6  # shapes closer than this touch [m]


class Face(NamedTuple):
    """A polygon in the picture."""

    corners: Array  # (n, 2) [m]
    colour: tuple[float, float, float]


class ConvexSolid(NamedTuple):
    """A convex shape in the world: the corners and the outward normal of each face, and all corners."""

    faces: list[tuple[Array, Array]]  # (n, 3) [m], (3,)
    points: Array  # (m, 3) [m]
    colour: tuple[float, float, float, float]


@dataclass(frozen=True, kw_only=True)
class Camera:
    """A distant camera, at an azimuth from −y towards −x and at an elevation; the world's z is up in the picture."""

    azimuth: float = 0.0  # from −y towards −x [°]
    elevation: float = 0.0  # above the horizon [°]

    @cached_property
    def axes(self) -> Array:
        """Right, up and forward, as rows."""
        a, e = np.radians([self.azimuth, self.elevation])
        right = np.array([np.cos(a), -np.sin(a), 0.0])
        forward = np.array([np.cos(e) * np.sin(a), np.cos(e) * np.cos(a), -np.sin(e)])
        return np.array([right, np.cross(right, forward), forward])

    @cached_property
    def light(self) -> Array:
        """Where it comes from: over the left shoulder."""
        light: Array = np.array([-0.40, 0.66, -0.64]) @ self.axes
        return light

    def seen(self, points: Array) -> Array:
        """Points (…, 3) [m] in the picture, (…, 2) [m]."""
        flat: Array = points @ self.axes[:2].T
        return flat


FRONT = Camera()  # x to the right, z up
TOP = Camera(elevation=90.0)  # x to the right, y up


def faces(robot: Mechanism, poses: Poses, camera: Camera) -> list[Face]:
    """All visible faces, in drawing order."""
    forward = camera.axes[2]
    found = []
    for solid in _far_to_near(list(_solids(robot, poses, camera)), forward):
        for corners, normal in solid.faces:
            if normal @ forward < -1e-9:  # looks at the camera
                bright = AMBIENT + (1.0 - AMBIENT) * max(0.0, float(normal @ camera.light))
                red, green, blue, _ = solid.colour
                found.append(Face(camera.seen(corners), (bright * red, bright * green, bright * blue)))
    return found


def _solids(robot: Mechanism, poses: Poses, camera: Camera) -> Iterator[ConvexSolid]:
    for name, link in robot.links.items():
        for g in link.visuals or link.collisions:
            X_WG = poses[name] @ np.asarray(g.pose.matrix)
            R, p = X_WG[:3, :3], X_WG[:3, 3]
            own = [(corners @ R.T + p, R @ normal) for corners, normal in _surfaces(g.shape, camera, R)]
            if own:
                yield ConvexSolid(own, np.concatenate([corners for corners, _ in own]), g.rgba or GREY)


def _far_to_near(solids: list[ConvexSolid], forward: Array) -> list[ConvexSolid]:
    """Each after those that it hides; where shapes go through each other, the farther one first."""
    far = sorted(solids, key=lambda s: -float((s.points @ forward).mean()))
    hides = [[a is not b and _hides(a, b, forward) for b in far] for a in far]  # [who][whom]
    left, order = list(range(len(far))), []
    while left:
        hiding_nothing = (i for i in left if not any(hides[i][k] for k in left))
        order.append(next(hiding_nothing, left[0]))
        left.remove(order[-1])
    return [far[i] for i in order]


def _hides(a: ConvexSolid, b: ConvexSolid, forward: Array) -> bool:
    """Whether a is before b: a face of one has the other wholly on its outer side."""
    for corners, normal in b.faces:
        if np.all((a.points - corners[0]) @ normal > -TOUCHING):
            return bool(normal @ forward < 0)
    for corners, normal in a.faces:
        if np.all((b.points - corners[0]) @ normal > -TOUCHING):
            return bool(normal @ forward > 0)
    return False


def _surfaces(shape: Shape, camera: Camera, R_WG: Array) -> Iterator[tuple[Array, Array]]:
    """Corners (n, 3) and outward normal of each face, in the shape's frame; shapes of files are not opened."""
    make = SURFACES.get(type(shape))
    return iter(()) if make is None else make(shape, camera.axes @ R_WG)


def _sphere(radius: float, axes: Array) -> Iterator[tuple[Array, Array]]:
    """A disc that looks at the camera; `axes`: right, up and forward, in the shape's frame."""
    right, up, forward = axes
    turn = np.linspace(0, 2 * np.pi, SIDES, endpoint=False)
    yield radius * (np.outer(np.cos(turn), right) + np.outer(np.sin(turn), up)), -forward


def _box(half: Array) -> Iterator[tuple[Array, Array]]:
    for axis in range(3):
        one, two = (axis + 1) % 3, (axis + 2) % 3
        for sign in (-1.0, 1.0):
            corners = np.zeros((4, 3))
            corners[:, axis] = sign * half[axis]
            corners[:, one] = half[one] * np.array([-1, 1, 1, -1])
            corners[:, two] = half[two] * np.array([-1, -1, 1, 1])
            normal = np.zeros(3)
            normal[axis] = sign
            yield corners, normal


def _cylinder(radius: float, half: float) -> Iterator[tuple[Array, Array]]:
    turn = np.linspace(0, 2 * np.pi, SIDES, endpoint=False)
    ring = radius * np.column_stack([np.cos(turn), np.sin(turn), 0 * turn])
    end = np.array([0.0, 0.0, half])
    for sign in (-1.0, 1.0):
        yield ring + sign * end, np.array([0.0, 0.0, sign])
    for k in range(0, SIDES, BAND):
        part = ring[[j % SIDES for j in range(k, k + BAND + 1)]]
        middle = part.sum(axis=0)
        yield np.concatenate([part - end, part[::-1] + end]), middle / np.linalg.norm(middle)


SURFACES: dict[type[Any], Callable[[Any, Array], Iterator[tuple[Array, Array]]]] = {
    Box: lambda s, axes: _box(np.array(s.size) / 2),
    Cylinder: lambda s, axes: _cylinder(s.radius, s.length / 2),
    Sphere: lambda s, axes: _sphere(s.radius, axes),
}
