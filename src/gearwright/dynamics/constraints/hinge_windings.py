"""Joints that close planar loops, by the turns of the tree's joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gearwright.dynamics.algebra.scalar import scalars
from gearwright.dynamics.constraints.loop_joint_axes import AngleSum, LoopSides, middle
from gearwright.dynamics.constraints.relative_pose import loop_coordinates
from gearwright.dynamics.tree.bodies import Bodies
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.model import Joint

PARALLEL = 1e-6  # by which a slope is off 1, -1 or 0: of axes that are parallel to a milliradian


def winding(joint: Joint, closure: LoopSides, system: Bodies, start: Sequence[float]) -> AngleSum | None:
    """How a hinge winds, if its angle is a sum of angles of the tree in any pose; else None."""
    if joint.kind not in ("revolute", "continuous") or not joint.axes[0].dynamics.spring_stiffness:
        return None
    (coordinate,) = loop_coordinates(joint)
    places = {b.velocities[0]: b.positions[0] for b in system.bodies if len(b.positions) == 1}
    away = np.random.default_rng(0).uniform(-1.0, 1.0, len(start))
    slopes: list[dict[int, float]] = []
    for q in (scalars(start), scalars(np.asarray(start) + away)):
        x, twists = closure.seen(Configuration.at(system, q))
        slopes.append({k: float(coordinate.rates(x, V)[0]) for k, V in twists.items()})
    signs = {k: float(round(s)) for k, s in slopes[0].items()}
    if any(abs(each[k] - sign) > PARALLEL or abs(sign) > 1.0 for each in slopes for k, sign in signs.items()):
        return None
    signs = {k: sign for k, sign in signs.items() if sign}
    if not signs.keys() <= places.keys():
        return None
    x, _ = closure.seen(Configuration.at(system, scalars(start)))
    angle = float(coordinate.values(x, middle(joint.axes[0].limits))[0])
    return AngleSum(angle - sum(s * start[places[k]] for k, s in signs.items()), dict(signs), places)
