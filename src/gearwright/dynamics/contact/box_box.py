"""Two boxes: the axis along which they overlap least, then up to four corners of the part that they share.

The axes are the three of each box and the nine products of their edges (the separating-axis theorem, which is exact for
boxes). Along the axis, the two faces that look at each other are drawn in one plane; their common part is a polygon
whose corners lie on the edges of one of them. Of these, the outermost four count.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import Condition, Scalar, maximum, minimum, sqrt, where
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.contact.boxes import halves
from gearwright.dynamics.contact.frame import Frame, Touch, chosen, length
from gearwright.model.geometry import Box

FACES_FIRST = 1e-3  # of the smaller box: by so much must an edge's axis beat those of the faces
PARALLEL = 1e-6  # squared sine of the angle between two edges that give no axis
DEEP = 0.5  # of a corner's depth, beside how far out it is, when the four are chosen
DEEPEST = 1e3  # the same where two edges cross: there only the crossing counts
LEVEL = 1e-9  # of an edge's direction in units of a face, below which it runs beside that face's sides
APART = 1e-9  # share of a face by which an edge may miss it


class BoxFace(NamedTuple):
    """A face: its middle, and half of each of its two edges."""

    middle: Vector
    u: Vector
    v: Vector


class Axis(NamedTuple):
    separation: Scalar  # along it; negative where the boxes overlap
    n: Vector  # from b to a
    crossing: Condition  # whether it belongs to two edges


class Corner(NamedTuple):
    """Of the common part: where it is on a, how far b is below it, and whether there is one."""

    p: Vector
    gap: Scalar
    there: Condition


def box_box(a: Box, A: Frame, b: Box, B: Frame) -> list[Touch]:
    h_a, h_b = halves(a), halves(b)
    axis = best_axis(A, h_a, B, h_b)
    n = axis.n
    below, above = facing(A, h_a, -n), facing(B, h_b, n)
    corners = [*common_corners(below, above, n), *(_on_a(c, n) for c in common_corners(above, below, -n))]
    weight = where(axis.crossing, DEEPEST, DEEP)
    return [_touch(outermost(corners, d, weight), axis) for d in diagonals(below, above)]


def _on_a(c: Corner, n: Vector) -> Corner:
    """A corner that was found from b."""
    return Corner(c.p + n * c.gap, c.gap, c.there)


def _touch(c: Corner, axis: Axis) -> Touch:
    gap = where(c.there, c.gap, maximum(axis.separation, 0.0))  # without a common part they are apart
    return Touch(gap, c.p - axis.n * (0.5 * gap), axis.n)


# --- the axis -------------------------------------------------------------------------------------------------------


def best_axis(A: Frame, h_a: Vector, B: Frame, h_b: Vector) -> Axis:
    d = A.p - B.p
    axes_a, axes_b = [A.axis(i) for i in range(3)], [B.axis(i) for i in range(3)]
    R = [[x @ y for y in axes_b] for x in axes_a]
    faces: list[tuple[Scalar, Vector]] = []
    for i in range(3):
        faces.append((abs(d @ axes_a[i]) - h_a[i] - sum_of(h_b[j] * abs(R[i][j]) for j in range(3)), axes_a[i]))
    for j in range(3):
        faces.append((abs(d @ axes_b[j]) - h_b[j] - sum_of(h_a[i] * abs(R[i][j]) for i in range(3)), axes_b[j]))
    crossings = [
        _crossing(d, axes_a, h_a, axes_b, h_b, R, i, j) for i, j in product(range(3), repeat=2)
    ]  # fmt: skip
    face, edge = _largest(faces), _largest(crossings)
    better = FACES_FIRST * min(float(x) for x in (*h_a, *h_b))
    by_edge = edge[0] > face[0] + better
    n = chosen(by_edge, edge[1], face[1])
    return Axis(where(by_edge, edge[0], face[0]), chosen(d @ n < 0.0, -n, n), by_edge)


def _crossing(
    d: Vector, axes_a: Sequence[Vector], h_a: Vector, axes_b: Sequence[Vector], h_b: Vector,
    R: Sequence[Sequence[Scalar]], i: int, j: int,
) -> tuple[Scalar, Vector]:  # fmt: skip
    """The axis across edge i of a and edge j of b."""
    n = axes_a[i].cross(axes_b[j])
    squared = 1.0 - R[i][j] * R[i][j]
    none = squared < PARALLEL
    n = n * (1.0 / sqrt(where(none, 1.0, squared)))
    extent = sum_of(h_a[k] * abs(n @ axes_a[k]) for k in range(3) if k != i)
    extent = extent + sum_of(h_b[k] * abs(n @ axes_b[k]) for k in range(3) if k != j)
    return where(none, -1e9, abs(d @ n) - extent), n


def sum_of(values: object) -> Scalar:
    total: Scalar = 0.0
    for x in values:  # type: ignore[attr-defined]
        total = total + x
    return total


def _largest(found: Sequence[tuple[Scalar, Vector]]) -> tuple[Scalar, Vector]:
    best = found[0]
    for other in found[1:]:
        more = other[0] > best[0]
        best = where(more, other[0], best[0]), chosen(more, other[1], best[1])
    return best


def facing(X: Frame, h: Vector, n: Vector) -> BoxFace:
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


def common_corners(one: BoxFace, other: BoxFace, n: Vector) -> list[Corner]:
    """Both ends of the part of each edge of one face that is over the other, seen along n.

    A point p lies at `α·u + β·v` of the other face, which takes |α| ≤ 1 and |β| ≤ 1.
    """
    dual_u, dual_v = other.v.cross(n), n.cross(other.u)
    inverse = 1.0 / (other.u @ dual_u)
    slope = other.u.cross(other.v)  # the other face's own normal
    upright = 1.0 / (slope @ n)

    def coordinates(p: Vector) -> tuple[Scalar, Scalar]:
        return (p @ dual_u) * inverse, (p @ dual_v) * inverse

    middle, along_u, along_v = coordinates(one.middle - other.middle), coordinates(one.u), coordinates(one.v)
    found = []
    for start, step, origin, edge in (
        (one.v, one.u, along_v, along_u), (one.u, one.v, along_u, along_v),
    ):  # fmt: skip
        for sign in (1.0, -1.0):
            at = [m + sign * o for m, o in zip(middle, origin, strict=True)]
            low, high, there = _clipped(at, edge)
            for t in (low, high):
                p = one.middle + start * sign + step * t
                found.append(Corner(p, (slope @ (p - other.middle)) * upright, there))
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


def outermost(corners: Sequence[Corner], d: Vector, weight: Scalar) -> Corner:
    """The corner that lies farthest along d; a deeper one counts as farther out."""
    best = corners[0]
    score = _score(best, d, weight)
    for c in corners[1:]:
        mine = _score(c, d, weight)
        more = mine > score
        score = where(more, mine, score)
        there = where(more, _flag(c.there), _flag(best.there)) > 0.5
        best = Corner(chosen(more, c.p, best.p), where(more, c.gap, best.gap), there)
    return best


def _score(c: Corner, d: Vector, weight: Scalar) -> Scalar:
    return where(c.there, c.p @ d - weight * c.gap, -1e9)


def _flag(there: Condition) -> Scalar:
    return where(there, 1.0, 0.0)
