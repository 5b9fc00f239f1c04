"""Two boxes: the axis along which they overlap least, then up to four corners of the part that they share.

The axes are the three of each box and the nine products of their edges (the separating-axis theorem, which is exact for
boxes). Along the axis, the two faces that look at each other are drawn in one plane; their common part is a polygon
whose corners lie on the edges of one of them. Of these, the outermost four count.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import Condition, Scalar, maximum, minimum, sqrt, total, where
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.contact.boxes import halves
from gearwright.dynamics.contact.frame import Touch, WorldFrame, chosen, length, unit
from gearwright.model.geometry import Box

FACES_FIRST = 1e-3  # of the smaller box: by so much must an edge's axis beat those of the faces
PARALLEL = 1e-6  # squared sine of the angle between two edges that give no axis
DEEP = 0.5  # of a corner's depth, beside how far out it is, when the four are chosen
DEEPEST = 1e3  # the same where two edges cross: there only the crossing counts
LEVEL = 1e-9  # of an edge's direction in units of a face, below which it runs beside that face's sides
NOWHERE = 1e9  # [m] depth given to a corner that does not exist
APART = 1e-9  # share of a face by which an edge may miss it


class BoxFace(NamedTuple):
    """A face: its middle, and half of each of its two edges."""

    middle: Vector
    u: Vector
    v: Vector


class SeparatingAxis(NamedTuple):
    separation: Scalar  # along it; negative where the boxes overlap
    n: Vector  # from b to a
    crossing: Condition  # whether it belongs to two edges


class Corner(NamedTuple):
    """Of the common part: where it is on a, and how far b is below it."""

    p: Vector
    gap: Scalar
    depth: Scalar  # what counts as its depth when the outermost are chosen; far above all others where there is none


def box_box(a: Box, A: WorldFrame, b: Box, B: WorldFrame) -> list[Touch]:
    h_a, h_b = halves(a), halves(b)
    axis = best_axis(A, h_a, B, h_b)
    n = axis.n
    below, above = facing(A, h_a, -n), facing(B, h_b, n)
    corners = [*common_corners(below, above, axis, on_a=True), *common_corners(above, below, axis, on_a=False)]
    return [_touch(outermost(corners, d), n) for d in diagonals(below, above)]


def _touch(c: Corner, n: Vector) -> Touch:
    return Touch(c.gap, c.p - n * (0.5 * c.gap), n)


# --- the axis -------------------------------------------------------------------------------------------------------


def best_axis(A: WorldFrame, h_a: Vector, B: WorldFrame, h_b: Vector) -> SeparatingAxis:
    axes_a, axes_b = [A.axis(i) for i in range(3)], [B.axis(i) for i in range(3)]
    R = [[x @ y for y in axes_b] for x in axes_a]
    absolute = [[abs(x) for x in row] for row in R]
    d = A.p - B.p
    d_a, d_b = [d @ x for x in axes_a], [d @ y for y in axes_b]
    faces = [(abs(d_a[i]) - h_a[i] - total(*(h_b[j] * absolute[i][j] for j in range(3))), axes_a[i]) for i in range(3)]
    faces += [(abs(d_b[j]) - h_b[j] - total(*(h_a[i] * absolute[i][j] for i in range(3))), axes_b[j]) for j in range(3)]
    edges = [
        (_edges_apart(d_a, h_a, h_b, R, absolute, i, j), axes_a[i].cross(axes_b[j]))
        for i, j in product(range(3), repeat=2)
    ]
    face, edge = _largest(faces), _largest(edges)
    by_edge = edge[0] > face[0] + FACES_FIRST * min(float(x) for x in (*h_a, *h_b))
    n, _ = unit(chosen(by_edge, edge[1], face[1]), axes_a[0])
    return SeparatingAxis(where(by_edge, edge[0], face[0]), chosen(d @ n < 0.0, -n, n), by_edge)


def _edges_apart(
    d_a: Sequence[Scalar], h_a: Vector, h_b: Vector, R: Sequence[Sequence[Scalar]],
    absolute: Sequence[Sequence[Scalar]], i: int, j: int,
) -> Scalar:  # fmt: skip
    """Along `aᵢ × bⱼ`, which is as long as the sine between the two. d_a: from b to a, along a's axes."""
    (i1, i2), (j1, j2) = ((i + 1) % 3, (i + 2) % 3), ((j + 1) % 3, (j + 2) % 3)
    extent = h_a[i1] * absolute[i2][j] + h_a[i2] * absolute[i1][j]
    extent = extent + h_b[j1] * absolute[i][j2] + h_b[j2] * absolute[i][j1]
    squared = 1.0 - R[i][j] * R[i][j]
    apart = (abs(d_a[i2] * R[i1][j] - d_a[i1] * R[i2][j]) - extent) / sqrt(maximum(squared, PARALLEL))
    return where(squared < PARALLEL, -1e9, apart)


def _largest(found: Sequence[tuple[Scalar, Vector]]) -> tuple[Scalar, Vector]:
    best = found[0]
    for other in found[1:]:
        more = other[0] > best[0]
        best = where(more, other[0], best[0]), chosen(more, other[1], best[1])
    return best


def facing(X: WorldFrame, h: Vector, n: Vector) -> BoxFace:
    """The face that looks along n."""
    x, y, z = (X.axis(k) * h[k] for k in range(3))
    along = [X.axis(k) @ n for k in range(3)]
    of_x = (abs(along[0]) >= abs(along[1])) & (abs(along[0]) >= abs(along[2]))
    of_y = abs(along[1]) >= abs(along[2])
    out = chosen(of_x, x, chosen(of_y, y, z))
    u = chosen(of_x, y, chosen(of_y, z, x))
    v = chosen(of_x, z, chosen(of_y, x, y))
    return BoxFace(X.p + chosen(out @ n < 0.0, -out, out), u, v)


# --- the common part ------------------------------------------------------------------------------------------------


def common_corners(one: BoxFace, other: BoxFace, axis: SeparatingAxis, *, on_a: bool) -> list[Corner]:
    """Both ends of the part of each edge of one face that is over the other, seen along the axis.

    A point p lies at `α·u + β·v` of the other face, which takes |α| ≤ 1 and |β| ≤ 1.
    """
    n = axis.n
    slope = other.u.cross(other.v)  # the other face's own normal
    upright = 1.0 / (slope @ n)
    dual_u, dual_v = other.v.cross(n) * upright, n.cross(other.u) * upright
    height = slope * upright  # of a point of one face above the other face, along n

    def coordinates(p: Vector) -> tuple[Scalar, Scalar, Scalar]:
        return p @ dual_u, p @ dual_v, p @ height

    middle, along_u, along_v = coordinates(one.middle - other.middle), coordinates(one.u), coordinates(one.v)
    weight = where(axis.crossing, DEEPEST, DEEP)
    without = maximum(axis.separation, 0.0)  # what is without a common part is apart
    found = []
    for start, step, origin, edge in (
        (one.v, one.u, along_v, along_u), (one.u, one.v, along_u, along_v),
    ):  # fmt: skip
        for sign in (1.0, -1.0):
            at = [m + sign * o for m, o in zip(middle, origin, strict=True)]
            low, high, there = _clipped(at[:2], edge[:2])
            for t in (low, high):
                p, above = one.middle + start * sign + step * t, at[2] + edge[2] * t
                gap = above if on_a else -above
                on_a_side = p if on_a else p + n * gap
                found.append(Corner(on_a_side, where(there, gap, without), where(there, weight * gap, NOWHERE)))
    return found


def _clipped(at: Sequence[Scalar], edge: Sequence[Scalar]) -> tuple[Scalar, Scalar, Condition]:
    """The range of t in which |at + t·edge| ≤ 1 in both coordinates, within −1 … 1."""
    low: Scalar = -1.0
    high: Scalar = 1.0
    for x, u in zip(at, edge, strict=True):
        inverse = 1.0 / where(abs(u) < LEVEL, LEVEL, u)
        first, last = (-1.0 - APART - x) * inverse, (1.0 + APART - x) * inverse
        low, high = maximum(low, minimum(first, last)), minimum(high, maximum(first, last))
    there = low <= high
    return minimum(low, 1.0), maximum(high, -1.0), there


def diagonals(one: BoxFace, other: BoxFace) -> list[Vector]:
    """Towards the corners of the smaller face, whose form the common part mostly has."""
    smaller = one.u.cross(one.v) @ one.u.cross(one.v) < other.u.cross(other.v) @ other.u.cross(other.v)
    u, v = chosen(smaller, one.u, other.u), chosen(smaller, one.v, other.v)
    u, v = u * (1.0 / length(u)), v * (1.0 / length(v))
    return [u + v, u - v, -u - v, v - u]


def outermost(corners: Sequence[Corner], d: Vector) -> Corner:
    """The corner that lies farthest along d; a deeper one counts as farther out."""
    best, score = corners[0], corners[0].p @ d - corners[0].depth
    for c in corners[1:]:
        mine = c.p @ d - c.depth
        more = mine > score
        score = where(more, mine, score)
        best = Corner(chosen(more, c.p, best.p), where(more, c.gap, best.gap), 0.0)
    return best
