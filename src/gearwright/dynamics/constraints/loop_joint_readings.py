"""Coordinates of joints that close loops, read off the two sides of each: they are no coordinates of the tree."""

from __future__ import annotations

from collections.abc import Mapping

from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.spatial import REST
from gearwright.dynamics.constraints.closures import whole_closure
from gearwright.dynamics.constraints.loop_joint_axes import middle
from gearwright.dynamics.constraints.relative_pose import loop_coordinates
from gearwright.dynamics.tree.bodies import Bodies
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.model import Mechanism


def cut_joint_readings(
    mechanism: Mechanism, system: Bodies, values: Mapping[str, Scalar], at: Configuration, v: list[Scalar]
) -> tuple[list[Scalar], list[Scalar]]:
    """Positions and velocities of all of them, in the order of `mechanism.tree.cuts`.

    Angles are within half a turn of the middle of their range.
    """
    positions: list[Scalar] = []
    velocities: list[Scalar] = []
    for joint in mechanism.tree.cuts:
        x, twists = whole_closure(joint, system, values).seen(at)
        V = REST
        for k, twist in twists.items():
            V = V + twist * v[k]
        coordinates = loop_coordinates(joint)
        about = [0.0] * (len(coordinates) - len(joint.axes)) + [middle(axis.limits) for axis in joint.axes]
        for coordinate, near in zip(coordinates, about, strict=True):
            positions += coordinate.values(x, near)
            velocities += coordinate.rates(x, V)
    return positions, velocities
