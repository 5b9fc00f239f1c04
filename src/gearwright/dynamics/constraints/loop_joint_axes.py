"""Springs, dampers, friction and stops along the axes of a cut joint, which are no coordinates of the tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import inf, isfinite
from typing import ClassVar, NamedTuple, Protocol

from gearwright.dynamics.algebra.scalar import Scalar, is_zero, total
from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.algebra.spatial import Motion
from gearwright.dynamics.constraints.axis_laws import (
    ElasticRange,
    elastic_stops,
    friction_within,
    hard_range,
    stop_energy,
)
from gearwright.dynamics.constraints.friction import FrictionAxis, StateRow
from gearwright.dynamics.constraints.friction_rows import SmoothFrictionRow, friction_rows
from gearwright.dynamics.constraints.moment import Moment, spring_damper
from gearwright.dynamics.constraints.relative_pose import LoopCoordinate, RelativePose, loop_coordinates
from gearwright.dynamics.constraints.rows import Instant, OneRow
from gearwright.dynamics.parameters import axes
from gearwright.dynamics.solve.terms import Polyline, Term
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.model import Joint, Limits


class LoopSides(Protocol):
    def seen(self, at: Configuration) -> tuple[RelativePose, dict[int, Motion]]: ...


class AngleSum(NamedTuple):
    """How the tree's angles add up to that of a joint which closes a planar loop: they know of whole turns."""

    offset: float
    signs: Sparse  # by the tree's velocities
    positions: dict[int, int]  # of each of them


@dataclass(frozen=True)
class CutAxis:
    """One axis of a cut joint. Angles are read within half a turn of `about`."""

    name: str
    closure: LoopSides
    joint: Joint
    index: int
    about: float = 0.0
    winding: AngleSum | None = None

    def read(self, now: Instant | Moment) -> tuple[Scalar, Sparse]:
        """Its position, and the slope of that over the velocities of the tree."""
        x, twists = self.closure.seen(now.at)
        slopes = {k: self.rate(x, V) for k, V in twists.items()}
        return self.position(x), {k: slope for k, slope in slopes.items() if not is_zero(slope)}

    def wound(self, now: Instant | Moment) -> tuple[Scalar, Sparse]:
        """The same with all of its turns, where the loop is planar."""
        if self.winding is None:
            return self.read(now)
        offset, signs, positions = self.winding
        return total(offset, *(x * now.tree.q[positions[k]] for k, x in signs.items())), dict(signs)

    @property
    def coordinate(self) -> LoopCoordinate:
        return loop_coordinates(self.joint)[self.index - len(self.joint.axes)]

    def position(self, x: RelativePose) -> Scalar:
        return self.coordinate.values(x, self.about)[0]

    def rate(self, x: RelativePose, V: Motion) -> Scalar:
        return self.coordinate.rates(x, V)[0]


@dataclass(frozen=True)
class CutRotation(CutAxis):
    """One component, `index`, of a cut ball joint's angular velocity in the parent side's axes; it has no position."""

    def position(self, x: RelativePose) -> Scalar:
        return 0.0

    def rate(self, x: RelativePose, V: Motion) -> Scalar:
        return V.angular[self.index]


@dataclass(frozen=True)
class CutRow(OneRow, ABC):
    """A row along one axis of a cut joint."""

    axis: CutAxis

    @property
    def name(self) -> str:
        return self.axis.name

    @property
    def joint_name(self) -> str:
        return self.axis.joint.name

    @property
    def closure(self) -> LoopSides:
        return self.axis.closure

    @property
    def rates(self) -> list[Callable[[RelativePose, Motion], Scalar]]:
        """Rate of its row for a twist of the child side against the parent side."""
        return [self.axis.rate]

    @abstractmethod
    def act(self, now: Moment) -> list[Term]: ...


@dataclass(frozen=True)
class CutSpringRow(CutRow):
    """Damper and spring."""

    damping: Scalar
    stiffness: Scalar
    reference: Scalar
    equality: ClassVar[bool] = True

    def act(self, now: Moment) -> list[Term]:
        q, J = self._read(now)
        stretch = 0.0 if is_zero(self.stiffness) else q - self.reference
        return [spring_damper(now, J, self.stiffness, self.damping, stretch)]

    def force(self, now: Moment) -> Scalar:
        """At this instant."""
        q, J = self._read(now)
        speed = total(*(x * now.tree.v[k] for k, x in J.items()))
        stretch = 0.0 if is_zero(self.stiffness) else q - self.reference
        return -(self.stiffness * stretch + self.damping * speed)

    def stored(self, now: Instant) -> Scalar:
        if is_zero(self.stiffness):
            return 0.0
        stretch = self._read(now)[0] - self.reference
        return 0.5 * (self.stiffness * (stretch * stretch))

    def _read(self, now: Instant | Moment) -> tuple[Scalar, Sparse]:
        """A spring is wound up by whole turns, too."""
        return self.axis.read(now) if is_zero(self.stiffness) else self.axis.wound(now)


@dataclass(frozen=True)
class CutStopRow(CutRow):
    """Coulomb friction and hard stops, as `AxisRow` has them."""

    friction: Scalar
    lower: float
    upper: float
    model: FrictionAxis | None = None

    @property
    def ends(self) -> tuple[float, float]:
        return self.lower, self.upper

    def read(self, now: Instant) -> tuple[Scalar, Sparse]:
        return self.axis.read(now)

    def act(self, now: Moment) -> list[Term]:
        q, J = self.axis.read(now)
        friction = self.friction
        if self.model is not None:
            friction = friction + self.model.level(now)
        return [Polyline(J, friction_within(now, q, friction, self.ends))]


@dataclass(frozen=True)
class CutSoftStopRow(CutRow):
    """A stop with the file's stiffness and dissipation."""

    limits: Limits

    def act(self, now: Moment) -> list[Term]:
        q, J = self.axis.read(now)
        return [elastic_stops(now, J, q, ElasticRange.of(self.limits))]

    def stored(self, now: Instant) -> Scalar:
        return stop_energy(self.axis.read(now)[0], ElasticRange.of(self.limits))


def cut_axis_rows(
    joint: Joint,
    closure: LoopSides,
    values: Mapping[str, Scalar],
    winding: AngleSum | None = None,
    states_of: Callable[[str], tuple[int, ...]] = lambda name: (),
) -> Iterator[CutRow | SmoothFrictionRow | StateRow]:
    if joint.type.damped and not is_zero(damping := values[f"{joint.name}.damping"]):
        for index, name in enumerate(joint.coordinates):
            yield CutSpringRow(CutRotation(name, closure, joint, index), damping, 0.0, 0.0)
    for index, (name, axis) in enumerate(axes(joint)):
        limits = axis.limits
        cut = CutAxis(name, closure, joint, index, middle(limits), winding)
        what = ("damping", "spring_stiffness", "spring_reference", "friction")
        damping, stiffness, reference, friction = (values[f"{name}.{x}"] for x in what)
        if not (is_zero(damping) and is_zero(stiffness)):
            yield CutSpringRow(cut, damping, stiffness, reference)
        lower, upper = hard_range(limits)
        if limits.stiffness is not None and (lower > -inf or upper < inf):
            yield CutSoftStopRow(cut, limits)
            lower, upper = -inf, inf
        own = FrictionAxis.of(name, axis.dynamics.friction_model, values, cut.wound, states_of(name))
        if own is not None:
            yield from friction_rows(own)
        dry = own if own is not None and own.model.dry else None
        if dry or not is_zero(friction) or lower > -inf or upper < inf:
            yield CutStopRow(cut, friction, lower, upper, dry)


def middle(limits: Limits) -> float:
    """Middle of the range: angles are read where it does not matter which of several turns they are in."""
    lower, upper = hard_range(limits)
    return (lower + upper) / 2 if isfinite(lower) and isfinite(upper) else 0.0
