"""Contacts: one cone per candidate point (`solve.cones`), between two links, or a link and the environment.

Where nothing gives a stiffness, contacts are nearly rigid. With w the inverse inertia that a contact feels,

    Rₙ = β²/4π²·w,    Rₜ = 10⁻³·w

are compliances far below the mechanism's own and far above rounding (Castro, Permenter and Han 2022 have β). Where
something light carries something heavy, w is that of the light one; there the load makes both stiffer. Two springs of
that size carry what acts at rest:

    normal      v̂ = −gap/h before the surfaces touch: they meet at the end of the step;
                −gap/(h·(1 + β/π)) beyond, a spring with its damper.
    friction    the impulse of the last step, `λₜ = λₜ,last − cₜ/Rₜ`, which is a spring that holds on to a point of the
                surface (an anchor): nothing creeps. Where it would leave the cone, it slips.

Shapes that begin inside each other would shoot apart. So v̂ is no more than `RECOVERY_SPEED` above what carries the last
step's load, and what takes back by how much a turning body has sunk in that step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import ClassVar, NamedTuple

import casadi

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.rotation import composed, rotate
from gearwright.dynamics.algebra.scalar import (
    TINY,
    Condition,
    Expression,
    Scalar,
    column,
    is_zero,
    maximum,
    minimum,
    scalars,
    sqrt,
    total,
    where,
)
from gearwright.dynamics.algebra.sparse import Sparse, combined
from gearwright.dynamics.algebra.spatial import UNIT, ZERO, Motion, Vector
from gearwright.dynamics.constraints.moment import Moment, spring_damper
from gearwright.dynamics.constraints.rows import Instant, PositionRow
from gearwright.dynamics.contact.frame import ContactPoint, WorldFrame
from gearwright.dynamics.contact.pairs import contact_points
from gearwright.dynamics.solve.cones import Cone, SharedTwist, response
from gearwright.dynamics.solve.terms import Term
from gearwright.dynamics.tree.bodies import GROUND, Bodies
from gearwright.dynamics.tree.kinematics import Configuration, body_poses, velocities
from gearwright.model import Mechanism
from gearwright.model.contacts.counts import point_count
from gearwright.model.contacts.pair import ContactPair, ContactSide, ContactSurface

BETA = 0.1  # of Rₙ: a step's length over the period of a mass on the contact; larger is softer and rings less
STICTION = 1e-3  # Rₜ/w: ten times as stiff and sliding takes several times as many iterations
NORMAL = BETA * BETA / (4.0 * pi * pi)  # Rₙ/w
GIVE = 1e-3  # [m/s] the most that Rₙ gives way by under the last step's load: less sinks less and takes more iterations
MOST_LOAD = 1e5  # [m/s] times 1/w: of bodies that begin jammed into each other, loads grow from step to step, so far
DISSIPATION = BETA / pi  # time constant of a nearly rigid contact, over h
RECOVERY = 0.2  # share of an overlap that is taken back in a step,
RECOVERY_SPEED = 0.01  # [m/s] at most: shapes that overlap part without a jump
ELASTIC = 0.05  # of Rₙ in a bounce: it takes a share of about (1 + e)·Rₙ/w of the speed
MOST_TURN = 0.2  # share of a slip, by which it changes in half of a step
FULL = 1.0 - 1e-6  # square of the share of friction that what slides has
SHARED = 4  # points between two bodies from which on they share a twist: so they take less, and so does a lone point
APART = -1e5  # [m/s] a rate that nothing reaches: the contact is off


class Sight(NamedTuple):
    """A candidate point in a configuration, with its directions over the tree's velocities, or the six of a twist."""

    point: ContactPoint
    normal: Sparse
    tangents: tuple[Sparse, Sparse]
    spins: tuple[Sparse, Sparse, Sparse]  # relative rotation about the normal and the tangents
    across: tuple[Sparse, ...]  # any three directions at right angles
    belt: Vector  # velocity of surface a against surface b, beside that of the links
    weight: Scalar  # acceleration with which a falls towards b [m/s²]
    twist: SharedTwist | None = None

    def rate(self, J: Sparse, v: Sequence[Scalar]) -> Scalar:
        """Along a direction, with these velocities of the tree."""
        along = v if self.twist is None else self.twist.rates(v)
        return total(*(x * along[k] for k, x in J.items()))


@dataclass(frozen=True)
class Contacts:
    """All contacts of a mechanism: `Sight`s in the order of the pairs, each with `size_of` its surface impulses."""

    pairs: tuple[ContactPair, ...]
    name: ClassVar[str] = "contacts"
    equality: ClassVar[bool] = False
    bounded: ClassVar[bool] = False

    @property
    def size(self) -> int:
        return sum(directions(surface) for surface in self.surfaces)

    @property
    def pair_of_points(self) -> list[ContactPair]:
        """One a point."""
        return [pair for pair in self.pairs for _ in range(point_count(pair.a.shape, pair.b.shape))]

    @property
    def surfaces(self) -> list[ContactSurface]:
        """One a point."""
        return [pair.surface for pair in self.pair_of_points]

    def places(self, pairs: Collection[ContactPair]) -> list[int]:
        """Of the impulses of some pairs."""
        owners = [pair for pair in self.pair_of_points for _ in range(directions(pair.surface))]
        return [i for i, pair in enumerate(owners) if pair in pairs]

    def position_rows(self, now: Instant) -> list[PositionRow]:
        return []

    def act(self, now: Moment) -> list[Term]:
        last, terms = list(now.contact), list[Term]()
        for seen, turning, surface in zip(self.seen(now.at), self._turning(now), self.surfaces, strict=True):
            n = directions(surface)
            own, last = last[:n], last[n:]
            terms.append(_cone(now, seen, surface, own, turning))
        return terms

    def spread(self, now: Moment, impulses: Sequence[Scalar]) -> dict[int, Scalar]:
        found: dict[int, Scalar] = {}
        left = list(impulses)
        shared: dict[tuple[int, int], tuple[SharedTwist, dict[int, Scalar]]] = {}
        for seen, surface in zip(self.seen(now.at), self.surfaces, strict=True):
            twist = seen.twist
            into = found if twist is None else shared.setdefault(twist.bodies, (twist, {}))[1]
            for J in rows(seen, surface):
                _add(into, J, left.pop(0))
        for twist, wrench in shared.values():
            for i, impulse in wrench.items():
                _add(found, twist.rows[i], impulse)
        return found

    # --- where the points are --------------------------------------------------------------------------------------

    def seen(self, at: Configuration) -> list[Sight]:
        """Every candidate."""
        return self._seen(at, [WorldFrame(*pose) for pose in body_poses(at)])

    def _seen(self, at: Configuration, poses: Sequence[WorldFrame]) -> list[Sight]:
        shared = {bodies: _twist(bodies, at, poses) for bodies in self._with_many_points(at.system)}
        return [
            sight for pair in self.pairs for sight in _sights(pair, at, poses, shared.get(_bodies(pair, at.system)))
        ]

    def _with_many_points(self, system: Bodies) -> list[tuple[int, int]]:
        """Pairs of bodies that touch at so many points that these share a twist."""
        counts = Counter(_bodies(pair, system) for pair in self.pair_of_points)
        return [bodies for bodies, n in counts.items() if n >= SHARED]

    def _turning(self, now: Moment) -> list[tuple[Scalar, ...]]:
        """By how much the rates of slip differ, in the middle of the way that positions go on, from those at its start.

        `½·h·J̇ₜ·v`, velocities held: what sticks to a turning body stays at the same radius. A whole step, which is of
        first order, does without where nothing turns below.
        """
        links, system = [pair.links for pair in self.pair_of_points], now.at.system
        turns = [
            any(coefficients(surface)) and (now.phase.half or all(system.links[link][0] != GROUND for link in own))
            for own, surface in zip(links, self.surfaces, strict=True)
        ]
        if is_zero(now.phase.travel) or not any(turns):
            return [(0.0, 0.0)] * len(turns)
        t, v = Expression.symbol("t"), list(now.speeds)
        seen = self._seen(now.at, _moved(now.at, v, t))
        slips = column([slip for each, turning in zip(seen, turns, strict=True) if turning for slip in _slips(each, v)])
        rates = iter(scalars(casadi.substitute(casadi.jacobian(slips, t.sx), t.sx, 0.0)))
        half = 0.5 * now.phase.travel
        return [(half * next(rates), half * next(rates)) if turning else (0.0, 0.0) for turning in turns]


def _moved(at: Configuration, v: list[Scalar], t: Scalar) -> list[WorldFrame]:
    """Poses of the bodies a short time t later: `R + t·R·[ω]`, `p + t·R·v`."""
    return [
        WorldFrame(tuple(row + row.cross(V.angular) * t for row in R), p + rotate(R, V.linear) * t)  # type: ignore[arg-type]
        for (R, p), V in zip(body_poses(at), velocities(at, v), strict=True)
    ]


def _add(into: dict[int, Scalar], J: Sparse, impulse: Scalar) -> None:
    for k, x in J.items():
        into[k] = into.get(k, 0.0) + x * impulse


def _slips(seen: Sight, v: Sequence[Scalar]) -> list[Scalar]:
    """Along the tangents."""
    pairs = zip(seen.point.tangents, seen.tangents, strict=True)
    return [t @ seen.belt + seen.rate(J, v) for t, J in pairs]


def _bodies(pair: ContactPair, system: Bodies) -> tuple[int, int]:
    return system.links[pair.a.link][0], system.links[pair.b.link][0]


def _origin(bodies: tuple[int, int], system: Bodies, poses: Sequence[WorldFrame]) -> Vector:
    """Of the twist of two bodies: that of a ball joint below one of them, which only turns it, or of one that moves."""
    a, b = ({*_carriers(system, body)} for body in bodies)
    balls = [body for body in sorted(a ^ b) if len(system.bodies[body].velocities) > 1]
    return next(poses[body].p for body in (*balls, *bodies) if body != GROUND)


def _twist(bodies: tuple[int, int], at: Configuration, poses: Sequence[WorldFrame]) -> SharedTwist:
    found = _twists(bodies, at, poses, _origin(bodies, at.system, poses))
    each = {k: (*V.angular, *V.linear) for k, V in found.items()}
    return SharedTwist(bodies, tuple({k: V[i] for k, V in each.items() if not is_zero(V[i])} for i in range(6)))


def _sights(
    pair: ContactPair, at: Configuration, poses: Sequence[WorldFrame], shared: SharedTwist | None
) -> Iterator[Sight]:
    A, B = (_link_pose(side, at.system, poses) for side in (pair.a, pair.b))
    belts = [
        frame.at(side.pose).direction(Vector(*velocity))
        for frame, side, velocity in (
            (A, pair.a, pair.surface.velocity_a),
            (B, pair.b, pair.surface.velocity_b),
        )
    ]
    bodies = _bodies(pair, at.system)
    for point in contact_points(pair, A, B):
        if shared is None:
            twists = _twists(bodies, at, poses, point.point)
        else:
            twists = _unit_twists(point.point - _origin(bodies, at.system, poses))
        normal = {k: point.normal @ V.linear for k, V in twists.items()}
        tangents = [{k: t @ V.linear for k, V in twists.items()} for t in point.tangents]
        spins = [{k: e @ V.angular for k, V in twists.items()} for e in (point.normal, *point.tangents)]
        across = [{k: V.linear[i] for k, V in twists.items() if not is_zero(V.linear[i])} for i in range(3)]
        falls = at.system.links[pair.b.link][0] == GROUND
        weight = -(point.normal @ at.system.gravity) if falls else 0.0
        yield Sight(point, normal, tuple(tangents), tuple(spins), tuple(across), belts[0] - belts[1], weight, shared)  # type: ignore[arg-type]


def _unit_twists(r: Vector) -> dict[int, Motion]:
    """How the point at r moves for each of the six of a twist."""
    turns = {i: Motion(e, e.cross(r)) for i, e in enumerate(UNIT)}
    return turns | {i + 3: Motion(ZERO, e) for i, e in enumerate(UNIT)}


def _link_pose(side: ContactSide, system: Bodies, poses: Sequence[WorldFrame]) -> WorldFrame:
    body, place = system.links[side.link]
    carrier = poses[body] if body != GROUND else WorldFrame(UNIT, ZERO)
    return WorldFrame(*composed(carrier.R, carrier.p, place.rotation, place.p))


def _twists(bodies: tuple[int, int], at: Configuration, poses: Sequence[WorldFrame], p: Vector) -> dict[int, Motion]:
    """How a's material at the point moves against b's, for each unit velocity of the tree; world axes."""
    system = at.system
    ways = [_carriers(system, body) for body in bodies]
    found: dict[int, Motion] = {}
    for sign, way, other in ((1.0, ways[0], ways[1]), (-1.0, ways[1], ways[0])):
        for i in way:
            if i in other:
                continue
            for s, k in zip(at.S[i], system.bodies[i].velocities, strict=True):
                w = rotate(poses[i].R, s.angular)
                arm = ZERO if p is poses[i].p else p - poses[i].p
                v = rotate(poses[i].R, s.linear) + w.cross(arm)
                found[k] = Motion(w, v) * sign
    return found


def _carriers(system: Bodies, body: int) -> list[int]:
    """The body and all that carry it."""
    way: list[int] = []
    while body != GROUND:
        way.append(body)
        body = system.bodies[body].parent
    return way


# --- the law of a point ---------------------------------------------------------------------------------------------


def coefficients(surface: ContactSurface) -> list[float]:
    """Of friction along each direction after the normal; none of a surface without friction."""
    found = [surface.friction, surface.friction2] if max(surface.friction, surface.friction2) > 0.0 else []
    found += [surface.torsional_friction] if surface.torsional_friction > 0.0 else []
    return found + ([surface.rolling_friction] * 2 if surface.rolling_friction > 0.0 else [])


def directions(surface: ContactSurface) -> int:
    """Number of impulses of a point."""
    return 1 + len(coefficients(surface))


def rows(seen: Sight, surface: ContactSurface) -> tuple[Sparse, ...]:
    """The normal, and the directions of friction times their coefficients: their impulses stay in a round cone."""
    along = list(seen.tangents) if max(surface.friction, surface.friction2) > 0.0 else []
    along += [seen.spins[0]] if surface.torsional_friction > 0.0 else []
    along += seen.spins[1:] if surface.rolling_friction > 0.0 else []
    return seen.normal, *({k: mu * x for k, x in J.items()} for mu, J in zip(coefficients(surface), along, strict=True))


def _cone(now: Moment, seen: Sight, surface: ContactSurface, last: Sequence[Scalar], turning: Sequence[Scalar]) -> Cone:
    """`last`: its impulses in a phase such as this, as they were last."""
    w = _inverse_inertia(now, seen)
    coarse = max(coefficients(surface), default=0.0)
    load = minimum(maximum(last[0], 0.0), MOST_LOAD / (w + TINY))
    w = w / (1.0 + w * (NORMAL * load / GIVE))
    Rn, Rt = NORMAL * w, STICTION * coarse * coarse * w
    gap = seen.point.gap
    if surface.stiffness is not None:
        line = spring_damper(now, seen.normal, surface.stiffness, where(gap <= 0.0, surface.damping, 0.0), gap)
        Rn, target = 1.0 / line.slope, line.constant / line.slope
    else:
        sinking = -_rate(now, seen, now.moved)
        recovery = minimum(RECOVERY * -gap / now.h, RECOVERY_SPEED)
        target = _target(now, gap, recovery + Rn * load + maximum(sinking, 0.0), last[0])
    if surface.restitution > 0.0:
        made, speed = _bounce(now, seen, surface, last[0])
        target, Rn = where(made, maximum(speed, target), target), where(made, ELASTIC * Rn, Rn)
    slips = [t @ seen.belt + x for t, x in zip(seen.point.tangents, turning, strict=True)]
    belt = [mu * slip for mu, slip in zip(coefficients(surface)[:2], slips, strict=False)]
    belt += [0.0] * (len(last) - 1 - len(belt))
    offset = [b - Rt * x for b, x in zip(belt, last[1:], strict=True)]
    cone = Cone(rows(seen, surface), target, tuple(offset), Rn, Rt, last[0], seen.twist)
    if now.phase.half >= 0.0 or len(offset) < 2:
        return cone
    turned = _turned_back(now, cone, belt, last)
    return replace(cone, offset=tuple(a + x for a, x in zip(offset, turned, strict=True)))


def _turned_back(now: Moment, cone: Cone, belt: Sequence[Scalar], last: Sequence[Scalar]) -> list[Scalar]:
    """What takes the slip of the end to the direction of friction in the first half, which is that of the middle.

    With the slip of the end in the second half, the direction of both would be that of three quarters of the step. An
    impact is as it is.
    """
    middle, change = _rates(now, cone, now.moved), _rates(now, cone, Column(now.moved) - now.begun)
    end = [b + x + y for b, x, y in zip(belt, middle[1:], change[1:], strict=True)]
    normal, friction = last[0], last[1:]
    square = total(TINY, *(x * x for x in friction))
    along = total(*(x * y for x, y in zip(end, friction, strict=True))) / square
    smooth = total(*(x * x for x in change)) < MOST_TURN * MOST_TURN * total(*(x * x for x in end))
    slides = smooth & (square > FULL * (normal * normal))
    return [where(slides, along * x - c, 0.0) for c, x in zip(end, friction, strict=True)]


def _rates(now: Moment, cone: Cone, u: Sequence[Scalar]) -> list[Scalar]:
    return [*cone.reduced(now.tree.G).rates(u)]


def _target(now: Moment, gap: Scalar, most: Scalar, load: Scalar) -> Scalar:
    """v̂ of a nearly rigid contact."""
    inside = minimum(-gap / (now.h * (1.0 + DISSIPATION)), most)
    if is_zero(now.phase.travel):  # positions stand still: what has touched stays, what has not is off
        return where(gap <= 0.0, inside, where(load > 0.0, 0.0, APART))
    return where(gap <= 0.0, inside, -gap / now.phase.travel)


def _bounce(now: Moment, seen: Sight, surface: ContactSurface, load: Scalar) -> tuple[Condition, Scalar]:
    """Whether the contact is made in this step, fast enough, and the speed with which the surfaces part.

    The speed is the one at the surface, `u² + 2·a·gap` of a body that falls with the acceleration a from where the step
    began, so that the energy of a bounce is that of the fall. An Euler step bounces where it begins, with the energy
    `½·u² ± ½·a·h·u + a·gap` that it keeps in a fall.
    """
    u, a, e = -_rate(now, seen, now.begun), seen.weight, surface.restitution
    fast = u > surface.restitution_speed
    if is_zero(now.phase.travel):
        way = maximum(-now.h * _rate(now, seen, now.moved), 0.0)
        return (load > 0.0) & fast, e * sqrt(maximum(u * u + 2.0 * a * way, 0.0))
    if now.phase.half:
        return False, 0.0
    gap, kick = maximum(seen.point.gap, 0.0), a * now.h
    twice = e * e * (u * u + 2.0 * a * gap + kick * u) - 2.0 * a * gap
    return (gap - now.h * (u + kick) < 0.0) & fast, sqrt(maximum(0.25 * kick * kick + twice, 0.0)) - 0.5 * kick


def _rate(now: Moment, seen: Sight, u: Sequence[Scalar]) -> Scalar:
    """Of the gap, with these independent velocities."""
    if seen.twist is None:
        return total(*(x * u[n] for n, x in combined(seen.normal, now.tree.G).items()))
    return seen.rate(seen.normal, [total(*(g * u[n] for n, g in row.items())) for row in now.tree.G])


def _inverse_inertia(now: Moment, seen: Sight) -> Scalar:
    """Mean over the directions, by the diagonal of M."""
    if seen.twist is None:
        return 1.0 / 3.0 * total(*(response(combined(J, now.tree.G), now.diagonal, None) for J in seen.across))
    twist = seen.twist.reduced(now.tree.G)
    return 1.0 / 3.0 * total(*(response(J, now.diagonal, twist) for J in seen.across))


def contact_groups(mechanism: Mechanism) -> Iterator[Contacts]:
    if mechanism.contacts:
        yield Contacts(mechanism.contacts)
