"""Where a cylinder's rim, or its side, lies across an edge of a box.

The normal n is perpendicular to the edge, so that it turns in a plane: `n ∝ (1 − t)·f + t·g`, with the directions f and
g of the two faces that meet at the edge. Along n, the bodies are `S(n) = n·d − σ_box(n) − σ_cylinder(n)` apart, with
the extents σ; the right n is the one of the greatest S, which bisection finds.
"""

from __future__ import annotations

from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import Scalar, maximum, sqrt, where
from gearwright.dynamics.algebra.spatial import UNIT, Vector
from gearwright.dynamics.contact.frame import Touch, WorldFrame, chosen
from gearwright.model.geometry import Cylinder

HALVINGS = 12  # of the quarter turn between two faces: the normal is found to 0.02°
LEVEL = 1e-3  # cosine of the angle between normal and axis below which it is the side that touches
FAR = 1.0  # [m] of a candidate that does not count
FLAT = 2.0**-11  # of the quarter turn next to a face
SMALL = 1e-12  # of squared lengths that are divided by


class EdgeView(NamedTuple):
    """A cylinder seen along one of the edges of a box."""

    past: tuple[Scalar, Scalar]  # how far its middle is beyond the two faces [m]
    u: tuple[Scalar, Scalar]  # its axis along their normals
    half: float  # of its length [m]
    radius: float

    def apart(self, t: Scalar) -> Scalar:
        """S(n) [m]."""
        m = (1.0 - t, t)
        size = sqrt(m[0] * m[0] + m[1] * m[1])
        along = self.u[0] * m[0] + self.u[1] * m[1]
        round_part = sqrt(maximum(size * size - along * along, 0.0))
        reach = self.half * abs(along) + self.radius * round_part
        return (self.past[0] * m[0] + self.past[1] * m[1] - reach) / size

    def rises(self, t: Scalar) -> Scalar:
        """The slope of S(n), times something positive."""
        m, step = (1.0 - t, t), (-1.0, 1.0)
        squared, turn = m[0] * m[0] + m[1] * m[1], m[0] * step[0] + m[1] * step[1]
        along, rate = (self.u[0] * x[0] + self.u[1] * x[1] for x in (m, step))
        round_part = sqrt(maximum(squared - along * along, SMALL))
        reach = self.half * abs(along) + self.radius * round_part
        slope = self.half * where(along < 0.0, -rate, rate)
        slope = slope + self.radius * (turn - along * rate) / round_part
        F, dF = self.past[0] * m[0] + self.past[1] * m[1] - reach, self.past[1] - self.past[0] - slope
        return dF * squared - F * turn

    def best(self) -> Scalar:
        low: Scalar = 0.0
        high: Scalar = 1.0
        for _ in range(HALVINGS):
            t = 0.5 * (low + high)
            up = self.rises(t) > 0.0
            low, high = where(up, t, low), where(up, high, t)
        return 0.5 * (low + high)


def rim_on_edge(c: Vector, u: Vector, a: Cylinder, h: Vector, B: WorldFrame) -> Touch:
    """At the edge across which they are farthest apart; c and u are a's middle and axis in the box's frame.

    Beyond the end of the edge, or on the cylinder's side, it is no such crossing, and does not count.
    """
    sign = Vector(*(where(x < 0.0, -1.0, 1.0) for x in c))
    best: Scalar = -1e9
    of_edge: Scalar = 0.0
    n, edge = UNIT[0], UNIT[0]
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        seen = EdgeView(
            (abs(c[i]) - h[i], abs(c[j]) - h[j]), (u[i] * sign[i], u[j] * sign[j]), 0.5 * a.length, a.radius
        )
        t = seen.best()
        S, between = seen.apart(t), where((t > FLAT) & (t < 1.0 - FLAT), 1.0, 0.0)
        m = UNIT[i] * (sign[i] * (1.0 - t)) + UNIT[j] * (sign[j] * t)
        m = m * (1.0 / sqrt(m @ m))
        more = best < S
        best, n, edge = where(more, S, best), chosen(more, m, n), chosen(more, UNIT[k], edge)
        of_edge = where(more, between, of_edge)  # otherwise a face is met
    along = u @ n
    out = u * along - n
    lowest = u * where(along > 0.0, -0.5 * a.length, 0.5 * a.length)
    lowest = lowest + out * (a.radius / sqrt(maximum(out @ out, SMALL)))
    none = (of_edge < 0.5) | (abs((c + lowest) @ edge) > h @ edge) | (abs(along) < LEVEL)
    gap = where(none, FAR, best)
    return Touch(gap, B.point(c + lowest - n * (0.5 * gap)), B.direction(n))
