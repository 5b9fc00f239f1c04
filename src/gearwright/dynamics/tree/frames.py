"""The choice of body frames and of who carries which mass: constants of the mechanism, moved to where they cost least.

None of this changes the motion. A turn's frame may be rotated about and slid along its axis (as Denavit and
Hartenberg do), and mass that a joint cannot tell from its parent's may be given to the parent (as Khalil and Dombre
do with their regrouped parameters). Kinetic and potential energy and momentum stay what they are, to the last term.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import atan2

import numpy as np

from gearwright.dynamics.algebra.rotation import Rotation, Transform, snapped
from gearwright.dynamics.algebra.scalar import Scalar, is_number, is_zero
from gearwright.dynamics.algebra.spatial import ZERO, Mass, Symmetric, Vector
from gearwright.dynamics.tree.bodies import GROUND, Bodies, Body, Place, matrix, settled
from gearwright.dynamics.tree.joints import SlideFreedom, TurnFreedom
from gearwright.given_numbers import Array


def optimised(system: Bodies) -> Bodies:
    orient(system)
    slide_origins(system)
    center_leaves(system)
    regroup(system)
    return system


# --- orientations --------------------------------------------------------------------------------------------------


def orient(system: Bodies) -> None:
    """Outwards: each freedom in its cheapest axes, each turn's x axis where it suits what it carries."""
    for i, body in enumerate(system.bodies):
        R, freedom, R_BJ = body.freedom.framed(body.place.R)
        if isinstance(freedom, TurnFreedom):
            angle = best_angle([(R_BJ @ d, weight) for d, weight in carried_vectors(system, i)])
            freedom = replace(freedom, offset=angle)
            R_BJ = snapped(about_z(-angle) @ R_BJ) if angle else R_BJ
        body.place, body.freedom = Place(snapped(R), body.place.p), freedom
        reframe(system, i, Place(snapped(R_BJ), ZERO))


def carried_vectors(system: Bodies, i: int) -> Iterator[tuple[Array, int]]:
    """Constant vectors of body i, in its axes, each with the weight of its components.

    They are the directions of the freedoms that it carries (a tilted one costs a rotation for every vector that
    passes), the way to them across their axes (along these their origins are free to slide), and its own first
    moment. A slide keeps its parent's axes, so that what it carries counts for the parent too.
    """
    for k, child in enumerate(system.bodies):
        if child.parent != i or not isinstance(child.freedom, (TurnFreedom, SlideFreedom)):
            continue
        d, weight = child.place.R @ np.array(child.freedom.direction), descendants(system, k)
        yield d, 2 * weight
        if all(map(is_number, child.place.p)):
            p = np.array(child.place.p)
            yield (p - d * (d @ p) if isinstance(child.freedom, TurnFreedom) else p), weight
        if isinstance(child.freedom, SlideFreedom):
            yield from ((child.place.R @ d, weight) for d, weight in carried_vectors(system, k))
    if all(map(is_number, system.bodies[i].mass.h)):
        yield np.array(system.bodies[i].mass.h), 1


def descendants(system: Bodies, i: int) -> int:
    """How many bodies hang on body i, itself included."""
    inside = {i}
    for k in range(i + 1, len(system.bodies)):
        if system.bodies[k].parent in inside:
            inside.add(k)
    return len(inside)


def best_angle(carried: list[tuple[Array, int]]) -> float:
    """The turn of the x axis about z that leaves the fewest components in the vectors; 0 if none helps."""

    def cost(angle: float) -> int:
        return sum(w * int(np.count_nonzero(snapped(about_z(-angle) @ d))) for d, w in carried)

    candidates = [0.0] + [atan2(d[1], d[0]) for d, _ in carried if snapped(d)[0] and snapped(d)[1]]
    return min(candidates, key=cost)


def about_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def reframe(system: Bodies, i: int, X_new: Place) -> None:
    """Gives body i another frame, in which the old one stands at X_new."""
    body = system.bodies[i]
    move = Transform(Rotation((matrix(X_new.R),)), X_new.p)
    body.mass, body.weightless = without_rounding(move.mass(body.mass)), without_rounding(move.mass(body.weightless))
    for k in range(i + 1, len(system.bodies)):
        if system.bodies[k].parent == i:
            system.bodies[k].place = X_new @ system.bodies[k].place
    for name, (at, X_BL) in system.links.items():
        if at == i:
            system.links[name] = (i, X_new @ X_BL)


def without_rounding(mass: Mass) -> Mass:
    """Components that turning the frame should have made zero made so: 1e-15 is rounding, 1e-14 leaves a margin."""

    def kept(values: Sequence[Scalar]) -> list[Scalar]:
        scale = max((abs(c) for c in values if is_number(c)), default=0.0)
        return [0.0 if is_number(c) and abs(c) < 1e-14 * scale else c for c in values]

    return Mass(mass.m, Vector(*kept(mass.h)), Symmetric(*kept(mass.S)))


# --- origins -------------------------------------------------------------------------------------------------------


def slide_origins(system: Bodies) -> None:
    """Slides origins along their turns' axes to where the fewest components of translation are left.

    A component costs in every force that passes it on its way to the world, so it weighs by what hangs behind it.
    Two sweeps settle it: an origin only deals with its neighbours'.
    """
    weights = [0 if b.parent == GROUND else descendants(system, i) for i, b in enumerate(system.bodies)]
    for _ in range(2):
        for i, body in enumerate(system.bodies):
            if isinstance(body.freedom, TurnFreedom):
                slide_origin(system, i, weights)


def slide_origin(system: Bodies, i: int, weights: list[int]) -> None:
    body = system.bodies[i]
    axis = body.place.R[:, 2].tolist()
    children = [(b, weights[k]) for k, b in enumerate(system.bodies) if b.parent == i]
    # an axis nearly across a component (1.5708 for π/2) would meet it only kilometres away, and lose digits there
    shifts = [0.0] + [-p / d for p, d in zip(body.place.p, axis, strict=True) if abs(d) > 0.3 and is_number(p) and p]
    shifts += [b.place.p.z for b, _ in children if is_number(b.place.p.z) and b.place.p.z]

    def cost(shift: float) -> int:
        own = weights[i] * components(slid(body.place.p, axis, shift))
        return own + sum(w * components(slid(b.place.p, (0.0, 0.0, 1.0), -shift)) for b, w in children)

    shift = min(shifts, key=cost)
    if shift:
        body.place = Place(body.place.R, slid(body.place.p, axis, shift))
        reframe(system, i, Place(np.eye(3), Vector(0.0, 0.0, -shift)))


def slid(p: Vector, axis: Sequence[float], shift: float) -> Vector:
    return settled(p + Vector(*axis) * shift)


def components(p: Vector) -> int:
    return sum(not is_zero(c) for c in p)


def center_leaves(system: Bodies) -> None:
    """The body of a slide that carries nothing gets its origin at the centre of mass: its force needs no moment."""
    for i, body in enumerate(system.bodies):
        leaf = all(b.parent != i for b in system.bodies)
        if isinstance(body.freedom, SlideFreedom) and leaf and is_number(body.mass.m) and body.mass.m > 0.0:
            center = body.mass.h * (1.0 / body.mass.m)
            body.place = Place(body.place.R, body.place.p + center)
            reframe(system, i, Place(np.eye(3), -center))
            body.mass = Mass(body.mass.m, ZERO, body.mass.S)


# --- masses --------------------------------------------------------------------------------------------------------


def regroup(system: Bodies) -> None:
    """Inwards: gives each parent the mass that its child's joint cannot tell from the parent's."""
    for body in reversed(system.bodies):
        body.mass, shared = parted(body, body.mass)
        body.weightless, shared_weightless = parted(body, body.weightless)
        if body.parent == GROUND:
            system.ground += Mass(shared.m - shared_weightless.m, shared.h - shared_weightless.h, shared.S)
        else:
            system.bodies[body.parent].mass += shared
            system.bodies[body.parent].weightless += shared_weightless


def parted(body: Body, mass: Mass) -> tuple[Mass, Mass]:
    """The mass that the body keeps, and the mass that it hands to its parent, in the parent's frame."""
    shared = body.freedom.shared(mass)
    kept = [0.0 if given is own else own for own, given in zip(_flat(mass), _flat(shared), strict=True)]
    X = Transform(Rotation((matrix(body.place.R),)), body.place.p)
    return Mass(kept[0], Vector(*kept[1:4]), Symmetric(*kept[4:])), X.mass(shared)


def _flat(mass: Mass) -> tuple[Scalar, ...]:
    return (mass.m, *mass.h, *mass.S)
