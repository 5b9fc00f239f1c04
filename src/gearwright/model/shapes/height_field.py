"""Terrain: heights over a rectangular grid, linear between them along each axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.poses import Array

MOST_NODES = 33  # along each side: a compiled step looks at every one


@dataclass(frozen=True, kw_only=True, slots=True)
class HeightField:
    """Heights above the plane z = 0 of its frame, its middle at the origin."""

    size: tuple[float, float]  # along x and y [m]
    heights: tuple[tuple[float, ...], ...]  # rows along y, from −y; in them along x, from −x [m]
    uri: str = ""  # the image that it is made of
    error: float = 0.0  # how far the image's heights are from it at most [m]

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.heights}
        if len(self.heights) < 2 or len(widths) != 1 or min(widths) < 2:
            raise ModelError("a height field takes at least two rows of at least two heights, all of the same length")
        if not np.isfinite(self.heights).all():
            raise ModelError("a height of a height field is not finite")
        if not all(np.isfinite(s) and s > 0 for s in self.size):
            raise ModelError(f"the size of a height field must be positive, not {self.size}")


def height_field(size: tuple[float, float], heights: Array, uri: str = "", most: int = MOST_NODES) -> HeightField:
    """From any number of rows: thinned to at most `most` a side, the error stated."""
    if heights.ndim != 2 or min(heights.shape) < 2:
        raise ModelError(f"a height field takes rows of heights, not an array of shape {heights.shape}")
    rows, columns = (min(n, most) for n in heights.shape)
    thinned = _resampled(heights, rows, columns)
    error = float(np.abs(_resampled(thinned, *heights.shape) - heights).max())
    return HeightField(size=size, heights=tuple(tuple(map(float, r)) for r in thinned), uri=uri, error=error)


def _resampled(heights: Array, rows: int, columns: int) -> Array:
    """At evenly spaced places, linear along each axis."""
    y, x = (np.linspace(0, n - 1, m) for n, m in zip(heights.shape, (rows, columns), strict=True))
    along_x = np.array([np.interp(x, np.arange(heights.shape[1]), row) for row in heights])
    return np.array([np.interp(y, np.arange(heights.shape[0]), column) for column in along_x.T]).T
