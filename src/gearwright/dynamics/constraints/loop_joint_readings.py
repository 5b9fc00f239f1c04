"""Coordinates of joints that close loops, read off the two sides of each: they are no coordinates of the tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gearwright.dynamics.algebra.rotation import Rows, rotate_inverse
from gearwright.dynamics.algebra.scalar import Scalar, greatest, plus, square_root, where
from gearwright.dynamics.algebra.spatial import REST, Motion
from gearwright.dynamics.constraints.closures import whole_closure
from gearwright.dynamics.constraints.loop_joint_axes import CutAxis, middle
from gearwright.dynamics.constraints.relative_pose import RelativePose, basis_of
from gearwright.dynamics.tree.bodies import Bodies
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.model import Joint, Mechanism

Reading = tuple[list[Scalar], list[Scalar]]  # positions and velocities


def cut_joint_readings(
    mechanism: Mechanism, system: Bodies, values: Mapping[str, Any], at: Configuration, v: list[Scalar]
) -> Reading:
    """Of all of them, in the order of `mechanism.tree.cuts`. Angles are within half a turn of the range's middle."""
    positions: list[Scalar] = []
    velocities: list[Scalar] = []
    for joint in mechanism.tree.cuts:
        closure = whole_closure(joint, system, values)
        x, twists = closure.seen(at)
        V = REST
        for k, twist in twists.items():
            V = V + twist * v[k]
        axes = [CutAxis(joint.name, closure, joint, i, middle(a.limits)) for i, a in enumerate(joint.axes)]
        q, rate = _read(joint, axes, x, V)
        positions += q
        velocities += rate
    return positions, velocities


def _read(joint: Joint, axes: list[CutAxis], x: RelativePose, V: Motion) -> Reading:
    along = [a.position(x) for a in axes], [a.rate(x, V) for a in axes]
    if joint.kind == "planar":
        plane = basis_of(joint)
        return [*(e @ x.d for e in plane), *along[0]], [*(e @ V.linear for e in plane), *along[1]]
    if joint.type.quaternion is None:
        return along
    turn = quaternion_of(x.R), list(rotate_inverse(x.R, V.angular))
    if joint.kind == "ball":
        return turn
    return [*x.d, *turn[0]], [*V.linear, *turn[1]]


def quaternion_of(R: Rows) -> list[Scalar]:
    """(w, x, y, z) with w ≥ 0, by the largest of the four (Shepperd, 1978), so that nothing small is divided by."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R
    squares = [plus(1.0, t) for t in (xx + yy + zz, xx - yy - zz, yy - xx - zz, zz - xx - yy)]  # four times each
    half = [square_root(greatest(s, 1e-300)) * 0.5 for s in squares]
    a, b, c = zy - yz, xz - zx, yx - xy  # 4·w·(x, y, z)
    d, e, f = xy + yx, xz + zx, yz + zy  # 4·xy, 4·xz, 4·yz
    by = [
        [half[0], *(n / (4.0 * half[0]) for n in (a, b, c))],
        [n / (4.0 * half[1]) for n in (a, squares[1], d, e)],
        [n / (4.0 * half[2]) for n in (b, d, squares[2], f)],
        [n / (4.0 * half[3]) for n in (c, e, f, squares[3])],
    ]
    best, found = squares[0], by[0]
    for square, own in zip(squares[1:], by[1:], strict=True):
        larger = square > best
        found = [where(larger, new, old) for new, old in zip(own, found, strict=True)]
        best = greatest(best, square)
    negative = found[0] < 0.0
    return [where(negative, -n, n) for n in found]
