"""Stops and friction of joint axes. Axes that exact couplings tie together are one row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import TINY, Scalar, is_number, is_zero, maximum, minimum, total, where
from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.constraints.friction import FrictionAxis, StateRow
from gearwright.dynamics.constraints.friction_rows import SmoothFrictionRow, friction_rows
from gearwright.dynamics.constraints.moment import Moment, spring_damper
from gearwright.dynamics.constraints.rows import Instant, OneRow
from gearwright.dynamics.parameters import axes
from gearwright.dynamics.solve.laws import FAR, ForceLaw, Vertex, friction_and_stops
from gearwright.dynamics.solve.terms import Line, Polyline, Term
from gearwright.model import Axis, AxisRef, Coupling, Limits, Mechanism, compose

ENDLESS = 1e15  # limits beyond this are no limits: files write 1e16 for infinity [rad, m]
NEAR = 1e6  # a stop that is no further away is reached at less than FAR in any step above 1 µs [rad, m]
AT_STOP, ON_STOP = 1e-11, 1e-9  # as little before its stop, or beyond it, an axis stands on it [rad, m]
ROUNDED = 8.0  # eps of the stop's position, or of 1: the same in single precision, where loops move what is on its stop
RECOVERY = 0.2  # share of what an axis is beyond its hard stop that is taken back in a step
RECOVERY_SPEED = 1.0  # and never faster than this, so that a bad start does not become a shot [rad/s, m/s]


class FrictionTerm(NamedTuple):
    """One axis of those that turn together: its velocity coordinate, its ratio to the first, and its friction.

    `models`: dry friction of the axis itself and of shafts that turn with it, with their ratios to it.
    """

    velocity: int
    ratio: float
    friction: Scalar
    models: tuple[tuple[Scalar, FrictionAxis], ...] = ()

    def level(self, now: Moment) -> Scalar:
        """The most that resists now."""
        return total(self.friction, *(abs(ratio) * model.level(now) for ratio, model in self.models))


class ElasticRange(NamedTuple):
    """A range with springs and dampers beyond its ends."""

    lower: Scalar
    upper: Scalar
    stiffness: Scalar
    dissipation: Scalar

    @classmethod
    def of(cls, limits: Limits) -> ElasticRange:
        return cls(limits.lower, limits.upper, limits.stiffness or 0.0, limits.dissipation or 0.0)


class Stop(NamedTuple):
    """One end of a range: where the first axis stands at it, and the axis whose stop it is."""

    position: float
    velocity: int
    ratio: float


@dataclass(frozen=True)
class AxisRow(OneRow):
    """Coulomb friction and hard stops of one axis in one row: what holds it still is the same impulse.

    `|λ| ≤ f·h` resists every motion; a stop takes what it needs to keep the axis within its range at the end.
    Axes that exact couplings tie to it at constant ratios are one with it: `f = Σ |m|·f`, and the nearest stops.
    """

    name: str
    position: int
    velocity: int
    friction_terms: tuple[FrictionTerm, ...]  # itself first
    lower: Stop | None
    upper: Stop | None

    def friction(self, now: Moment) -> Scalar:
        return total(*(abs(r.ratio) * r.level(now) for r in self.friction_terms))

    @property
    def by_load(self) -> bool:
        """Whether its friction depends on what acts."""
        return any(model.model.by_load for term in self.friction_terms for _, model in term.models)

    @property
    def ends(self) -> tuple[float, float]:
        return self.lower.position if self.lower else -inf, self.upper.position if self.upper else inf

    def read(self, now: Instant) -> tuple[Scalar, Sparse]:
        return now.tree.q[self.position], {self.velocity: 1.0}

    def act(self, now: Moment) -> list[Term]:
        q = now.tree.q[self.position]
        return [Polyline({self.velocity: 1.0}, friction_within(now, q, self.friction(now), self.ends))]

    def spread(self, now: Moment, impulses: Sequence[Scalar]) -> dict[int, Scalar]:
        """Friction on each axis by its share, the rest at the stop that gives it."""
        (impulse,), h = impulses, now.h
        if len(self.friction_terms) == 1:
            return {self.velocity: impulse}
        f = self.friction(now) * h
        found: dict[int, Scalar] = {}
        slid = maximum(minimum(impulse, f), -f)
        for r in self.friction_terms:
            own = r.level(now)
            share = 0.0 if is_zero(own) else own * h / maximum(f, TINY)
            along = slid * (share * (1.0 if r.ratio > 0 else -1.0))
            found[r.velocity] = found.get(r.velocity, 0.0) + along
        for stop, pushes in (
            (self.lower, maximum(impulse - f, 0.0)),
            (self.upper, minimum(impulse + f, 0.0)),
        ):
            if stop is not None:
                found[stop.velocity] = found.get(stop.velocity, 0.0) + pushes / stop.ratio
        return found


def way_back(q: Scalar, ends: tuple[float, float], h: Scalar) -> Scalar:
    """How far an axis beyond its stop is brought back in a step."""
    lower, upper = ends
    way: Scalar = 0.0
    if lower > -inf:
        way = _part(maximum(lower - q, 0.0), h)
    if upper < inf:
        way = way - _part(maximum(q - upper, 0.0), h)
    return way


def _part(beyond: Scalar, h: Scalar) -> Scalar:
    """The part of the way that is made in a step. Rounding is left, which would shake what rests on its stop."""
    part, most = RECOVERY * beyond, RECOVERY_SPEED * h
    return where(beyond > ON_STOP, where(part < most, part, most), 0.0)


def friction_within(now: Moment, q: Scalar, friction: Scalar, ends: tuple[float, float]) -> ForceLaw:
    """Friction and hard stops of an axis at q. One beyond its stop is not pushed back: it only goes no further."""
    lower, upper = ends
    below = None if lower == -inf else -_rate_to(now, q - lower, _at_stop(now, lower))
    above = None if upper == inf else _rate_to(now, upper - q, _at_stop(now, upper))
    near = not is_zero(now.phase.travel) and all(abs(end) < NEAR for end in ends if abs(end) < inf)
    return replace(friction_and_stops(friction * now.phase.acts_for, below, above), reachable=near)


def _at_stop(now: Moment, end: float) -> float:
    """How far before its stop an axis stands on it."""
    return max(AT_STOP, ROUNDED * now.eps * max(1.0, abs(end)))


def _rate_to(now: Moment, distance: Scalar, near: float) -> Scalar:
    """With which an axis gets to its stop in the phase; where positions stand still, 0 on the stop, else any."""
    if is_zero(now.phase.travel):
        return where(distance > near, FAR, 0.0)
    return maximum(distance / now.phase.travel, 0.0)


def elastic_stops(now: Moment, J: Sparse, q: Scalar, limits: ElasticRange) -> Polyline:
    """Springs and dampers beyond either end of the range, which only push; a damper is not felt before its stop."""
    k, d = limits.stiffness, limits.dissipation
    if is_zero(k) and is_zero(d):
        return Polyline(J, ForceLaw((Vertex(0.0, 0.0),), (0.0,), home=0))
    lower, upper = _ends(limits.lower), _ends(limits.upper)
    vertices: list[Vertex] = []
    slopes: list[Scalar | None] = [0.0]
    if lower:
        damping = 0.0 if is_zero(d) else where((q - limits.lower) <= 0.0, d, 0.0)
        line = spring_damper(now, J, k, damping, q - limits.lower)
        vertices, slopes = [_where_it_lets_go(line)], [line.slope, *slopes]
    if upper:
        damping = 0.0 if is_zero(d) else where((q - limits.upper) >= 0.0, d, 0.0)
        line = spring_damper(now, J, k, damping, q - limits.upper)
        vertex = _where_it_lets_go(line)
        if vertices:
            vertex = Vertex(maximum(vertex.rate, vertices[0].rate), vertex.impulse)
        vertices, slopes = [*vertices, vertex], [*slopes, line.slope]
    return Polyline(J, ForceLaw(tuple(vertices), tuple(slopes), home=int(lower)))


def _where_it_lets_go(line: Line) -> Vertex:
    return Vertex(line.constant / maximum(line.slope, TINY), 0.0)


@dataclass(frozen=True)
class SoftStopRow(OneRow):
    """A stop with the file's stiffness and dissipation, at whichever end of the range is nearer."""

    name: str
    position: int
    velocity: int
    limits: Limits

    def act(self, now: Moment) -> list[Term]:
        return [elastic_stops(now, {self.velocity: 1.0}, now.tree.q[self.position], ElasticRange.of(self.limits))]

    def stored(self, now: Instant) -> Scalar:
        return stop_energy(now.tree.q[self.position], ElasticRange.of(self.limits))


def stop_energy(q: Scalar, limits: ElasticRange) -> Scalar:
    """`k·x²/2` of what an axis at q is beyond its range [J]."""
    beyond: Scalar = 0.0
    if _ends(limits.lower):
        beyond = maximum(limits.lower - q, 0.0)
    if _ends(limits.upper):
        beyond = beyond + maximum(q - limits.upper, 0.0)
    return 0.5 * limits.stiffness * (beyond * beyond)


# --- of a mechanism -------------------------------------------------------------------------------------------------


def axis_rows(
    mechanism: Mechanism, values: Mapping[str, Scalar], shafts: Mapping[int, Sequence[ShaftFriction]]
) -> Iterator[AxisRow | SoftStopRow | SmoothFrictionRow | StateRow]:
    """One row for all axes that turn together, and one for each friction that is not dry.

    `shafts`: friction of actuators along each velocity coordinate.
    """
    along = _axes(mechanism)
    families = _families(mechanism, values, along)
    for ref, place in along.items():
        limits = place.axis.limits
        if limits.stiffness is not None and _bounded(limits):
            yield SoftStopRow(place.name, place.position, place.velocity, limits)
        if (own := place.friction(values)) is not None:
            yield from friction_rows(own)
        members = families.get(ref, [])
        friction_terms = tuple(_friction_term(m, values, shafts) for m in members)
        lower, upper = _nearest(members)
        if lower or upper or any(r.models or not is_zero(r.friction) for r in friction_terms):
            yield AxisRow(place.name, place.position, place.velocity, friction_terms, lower, upper)


class ShaftFriction(NamedTuple):
    """Dry friction of a shaft that turns with one coordinate: by its ratio to it, a number, and by models."""

    ratio: Scalar
    friction: Scalar
    models: tuple[FrictionAxis, ...] = ()


def _friction_term(
    m: Member, values: Mapping[str, Scalar], shafts: Mapping[int, Sequence[ShaftFriction]]
) -> FrictionTerm:
    place, turning = m.place, shafts.get(m.place.velocity, ())
    coulomb = total(values[f"{place.name}.friction"], *(abs(s.ratio) * s.friction for s in turning))
    own = place.friction(values)
    models: list[tuple[Scalar, FrictionAxis]] = [(1.0, own)] if own is not None and own.model.dry else []
    models += [(s.ratio, model) for s in turning for model in s.models]
    return FrictionTerm(place.velocity, m.ratio, coulomb, tuple(models))


class PlacedAxis(NamedTuple):
    """An axis, and its coordinates in the tree."""

    name: str
    axis: Axis
    position: int
    velocity: int
    states: tuple[int, ...]  # places of its friction's

    def friction(self, values: Mapping[str, Scalar]) -> FrictionAxis | None:
        """Its friction model."""
        return FrictionAxis.of(self.name, self.axis.dynamics.friction_model, values, self.seen, self.states)

    def seen(self, now: Instant | Moment) -> tuple[Scalar, Sparse]:
        """Where it is, and its direction over the tree's velocities."""
        return now.tree.q[self.position], {self.velocity: 1.0}


class Member(NamedTuple):
    """An axis that turns with another one: `q = ratio·q_first + offset`."""

    place: PlacedAxis
    ratio: float
    offset: float


def _axes(mechanism: Mechanism) -> dict[AxisRef, PlacedAxis]:
    layout, found = mechanism.layout, {}
    for joint in mechanism.tree.joints:
        for index, (name, axis) in enumerate(axes(joint)):
            at = layout.positions.index(name), layout.velocities.index(name)
            found[AxisRef(joint.name, index)] = PlacedAxis(name, axis, *at, layout.states_of(name))
    return found


def _families(
    mechanism: Mechanism, values: Mapping[str, Scalar], places: Mapping[AxisRef, PlacedAxis]
) -> dict[AxisRef, list[Member]]:
    """By axis that leads or is alone: itself, and those that exact couplings tie to it at constant ratios."""
    exact = [c for c in mechanism.couplings.exact if _constant(c, values)]
    families = {ref: [Member(place, 1.0, 0.0)] for ref, place in places.items()}
    for follower, (terms, offset) in compose(exact).items():
        leader, ratio = next(iter(terms.items())) if len(terms) == 1 else (follower, 0.0)
        if ratio and follower in places and leader in places:
            families[leader].append(Member(places[follower], ratio, offset))
            del families[follower]
    return families


def _nearest(members: Sequence[Member]) -> tuple[Stop | None, Stop | None]:
    """The hard stop that is met first at either end; the first axis's among equals."""
    ends: tuple[list[Stop], list[Stop]] = ([], [])
    for m in members:
        if m.place.axis.limits.stiffness is not None:
            continue  # has a row of its own
        for own, side in zip(hard_range(m.place.axis.limits), (0, 1), strict=True):
            if abs(own) < inf:
                stop = Stop((own - m.offset) / m.ratio, m.place.velocity, m.ratio)
                ends[side if m.ratio > 0 else 1 - side].append(stop)
    lower = max(ends[0], key=lambda s: s.position, default=None)
    return lower, min(ends[1], key=lambda s: s.position, default=None)


def _constant(c: Coupling, values: Mapping[str, Scalar]) -> bool:
    if not c.linear:
        return False
    only = len(c.leaders) == 1
    names = [f"{c.name}.offset", f"{c.name}.reference"]
    names += [f"{c.name}.multiplier" + ("" if only else f".{t.axis}") for t in c.leaders]
    return all(is_number(values[name]) for name in names)


def hard_range(limits: Limits) -> tuple[float, float]:
    """The ends that are any."""
    return limits.lower if _ends(limits.lower) else -inf, limits.upper if _ends(limits.upper) else inf


def _bounded(limits: Limits) -> bool:
    return _ends(limits.lower) or _ends(limits.upper)


def _ends(limit: Scalar) -> bool:
    return not is_number(limit) or abs(limit) < ENDLESS
