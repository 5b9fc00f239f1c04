"""Whether what may touch is far apart: then a step without most contacts does.

Of the pairs that may touch, few are near each other at any time: a robot stands on its feet. So the pairs that touch
where the robot is drawn, put down on the ground, have a step of their own. It is taken as long as all others are
farther apart than they can move in a step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from gearwright.dynamics.algebra.scalar import Scalar, maximum_of, total, where
from gearwright.dynamics.algebra.spatial import Motion, Vector
from gearwright.dynamics.contact.clearance import clearance, reach
from gearwright.dynamics.contact.frame import WorldFrame
from gearwright.dynamics.motion import Model
from gearwright.dynamics.steps.slots import Slots
from gearwright.dynamics.tree.bodies import GROUND, Bodies
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.kinematics import body_poses, link_poses, velocities
from gearwright.model import Mechanism
from gearwright.model.contacts.counts import point_count
from gearwright.model.contacts.pair import ContactPair
from gearwright.model.layout.slots import SlotName

TOUCHING = 5e-3  # [m] at most between what touches where a robot is drawn
FASTER = 1.5  # what may move in a step: by its speed at the start,
KICK = 100.0  # and by an acceleration [m/s²]
MANY = 20  # points that the shorter step leaves out at least,
SHARE = 2  # and times as many as it keeps: for fewer it does not pay to compile it


def near_pairs(robot: Mechanism, bodies: Bodies) -> tuple[ContactPair, ...] | None:
    """Pairs that touch where the robot is drawn; None where a step without the others does not pay."""
    near = [*_touching(robot, bodies)]
    kept, left = _points(near), _points(robot.contacts) - _points(near)
    return tuple(near) if left >= max(MANY, SHARE * kept) else None


def _points(pairs: Sequence[ContactPair]) -> int:
    return sum(point_count(pair.a.shape, pair.b.shape) for pair in pairs)


def _touching(robot: Mechanism, bodies: Bodies) -> Iterator[ContactPair]:
    """Each tree stands on what is still with its lowest point."""
    frames = {
        name: WorldFrame(tuple(Vector(*row) for row in X.R.tolist()), Vector(*X.p.tolist()))  # type: ignore[arg-type]
        for name, X in robot.poses().items()
    }
    gaps = [float(clearance(pair, *(frames[link] for link in pair.links))) for pair in robot.contacts]
    trees = [{_root(bodies, bodies.links[link][0]) for link in pair.links} for pair in robot.contacts]
    lowest: dict[int, float] = {}
    for own, gap in zip(trees, gaps, strict=True):
        if GROUND in own:
            lowest[max(own)] = min(gap, lowest.get(max(own), inf))
    for pair, own, gap in zip(robot.contacts, trees, gaps, strict=True):
        if gap - (lowest[max(own)] if GROUND in own else 0.0) < TOUCHING:
            yield pair


def _root(bodies: Bodies, body: int) -> int:
    """The first body of its tree."""
    while body != GROUND and (parent := bodies.bodies[body].parent) != GROUND:
        body = parent
    return body


def apart(model: Model, pairs: Sequence[ContactPair], state: State, dt: Scalar) -> dict[SlotName, Scalar]:
    """Whether all pairs are farther apart than they can move in a step; by slot, 1 or 0."""
    tree = model.tree(state)
    at = model.configuration(tree)
    frames = {name: WorldFrame(*pose) for name, pose in link_poses(at).items()}
    bodies = [WorldFrame(*pose) for pose in body_poses(at)]
    moving = [
        Motion(X.direction(V.angular), X.direction(V.linear))
        for X, V in zip(bodies, velocities(at, tree.v), strict=True)
    ]

    def speed(pair: ContactPair) -> Scalar:
        """Of one shape against the other, at most: by the relative twist where the first one's body has its origin."""
        first, second = pair.a, pair.b
        if model.bodies.links[first.link][0] == GROUND:
            first, second = second, first
        (a, place), (b, _) = model.bodies.links[first.link], model.bodies.links[second.link]
        V = moving[a]
        if b != GROUND:
            W = moving[b]
            arm = bodies[a].p - bodies[b].p
            V = Motion(V.angular - W.angular, V.linear - (W.linear + W.angular.cross(arm)))
        far = reach(first) + total(*map(abs, place.p))
        return total(*map(abs, V.linear)) + far * total(*map(abs, V.angular))

    kick = KICK * dt * dt
    gaps = [clearance(pair, *(frames[link] for link in pair.links)) for pair in pairs]
    ways = [FASTER * dt * speed(pair) + kick for pair in pairs]
    nearest = maximum_of([way - gap for way, gap in zip(ways, gaps, strict=True)])
    far = where(nearest < 0.0, 1.0, 0.0)
    return {Slots.apart: far, Slots.near: 1.0 - far}
