"""Constraint groups: what acts through impulses that are found together with all others.

A group of one cause, such as a coupling, a loop or a stop, is one small class. In a phase of a step it `act`s: it gives
its terms (`solve.terms`), one an impulse. `steps.constraint_groups` is the list of those that a mechanism has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

from gearwright.dynamics.algebra.scalar import Scalar, is_number, is_zero, maximum, total
from gearwright.dynamics.algebra.sparse import Sparse, combined
from gearwright.dynamics.constraints.compliant_springs import Spring
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.shared_springs import coupled_springs
from gearwright.dynamics.parameters import multiplier_names
from gearwright.dynamics.solve.rows import Equality
from gearwright.dynamics.solve.terms import Line, Term
from gearwright.dynamics.tree.couplings import Follower, follower_of
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.dynamics.tree.reduction import TreeState
from gearwright.model import Coupling, Mechanism, in_order
from gearwright.model.loops.coupling_cycles import unrounded

PARALLEL = 1e-12  # of the response of its axes one by one: one that is smaller is rounding


# --- rows -----------------------------------------------------------------------------------------------------------


class PositionRow(NamedTuple):
    """An error of positions and its slope over the tree's velocities."""

    J: Sparse
    error: Scalar
    reach: Sparse | None = None  # the most that J could be, whichever way the row looked; None: J itself
    group: str | None = None  # rows that may depend on each other: the largest says what is rounding
    disagreement: float = 0.0  # share of its own answer, where rows follow from others but for a file's rounding


class Instant(NamedTuple):
    """Where the mechanism is, for energies and position errors."""

    tree: TreeState
    at: Configuration
    h: Scalar
    target: Sequence[Scalar] = ()  # of drives: position and rate of each


class ConstraintGroup(Protocol):
    """Rows of one cause. `equality` and `size` are known before anything is traced."""

    @property
    def name(self) -> str: ...
    @property
    def equality(self) -> bool: ...
    @property
    def size(self) -> int: ...
    @property
    def bounded(self) -> bool:
        """Whether it is a force law with segments."""

    def position_rows(self, now: Instant) -> list[PositionRow]:
        """Errors that positions are brought back from where a robot has closed loops."""

    def act(self, now: Moment) -> list[Term]:
        """One term an impulse."""

    def spread(self, now: Moment, impulses: Sequence[Scalar]) -> dict[int, Scalar]:
        """Its impulses along the velocities of the tree, where they act."""


@runtime_checkable
class Elastic(Protocol):
    """A group that stores energy in a spring of constant stiffness."""

    def stored(self, now: Instant) -> Scalar:
        """[J]."""


@runtime_checkable
class Passive(Protocol):
    """A group of one row whose force follows from positions and velocities alone."""

    def force(self, now: Moment) -> Scalar:
        """At this instant."""


@runtime_checkable
class Limited(Protocol):
    """A group that keeps an axis between hard stops."""

    @property
    def ends(self) -> tuple[float, float]:
        """Its range; infinite where it has no stop."""

    def read(self, now: Instant) -> tuple[Scalar, Sparse]:
        """Its position, and the slope of that over the velocities of the tree."""


def stored_energy(groups: Sequence[ConstraintGroup], now: Instant) -> Scalar:
    """[J] in the springs of rows."""
    return total(*(group.stored(now) for group in groups if isinstance(group, Elastic)))


class AlongRows:
    """A group whose impulses act along its terms: `Jᵀ·λ`."""

    def spread(self: ConstraintGroup, now: Moment, impulses: Sequence[Scalar]) -> dict[int, Scalar]:
        found: dict[int, Scalar] = {}
        rows = [J for term in self.act(now) for J in term.rows]
        for J, impulse in zip(rows, impulses, strict=True):
            for k, x in J.items():
                found[k] = found.get(k, 0.0) + x * impulse
        return found

    def position_rows(self, now: Instant) -> list[PositionRow]:
        return []


class OneRow(AlongRows):
    """A group of one term with bounds, to which positions are not brought back: most are."""

    equality: ClassVar[bool] = False
    size: ClassVar[int] = 1

    @property
    def bounded(self) -> bool:
        return not self.equality


@dataclass(frozen=True)
class CouplingRow(OneRow):
    """`C = follower − f(leaders)`: one row over all of its axes; the base of hard and compliant ones."""

    tie: Follower
    equality: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return self.tie.name


@dataclass(frozen=True)
class HardCouplingRow(CouplingRow):
    """A share of the error is taken off in each step (Baumgarte)."""

    erp: Scalar

    def act(self, now: Moment) -> list[Term]:
        q, travel = now.tree.q, now.phase.travel
        J, error = self.tie.jacobian(q), self.tie.error(q)
        if is_zero(travel):
            return [Equality(J)]
        return [Equality(J, self.erp * error / travel, erp=self.erp)]


@dataclass(frozen=True)
class CompliantCouplingRow(CouplingRow):
    """A spring and damper by natural frequency and damping ratio: `kp = μ²/r`, `kd = 2·μ·ζ/r`, `r = J·M⁻¹·Jᵀ`."""

    spring: Spring

    def act(self, now: Moment) -> list[Term]:
        q = now.tree.q
        J, error = self.tie.jacobian(q), self.tie.error(q)
        along = combined(J, now.tree.G)
        if not along:  # exact couplings say the same, or hold it: nothing stretches
            return [Line({}, 0.0, 0.0)]
        r = _response(now, J, along)
        own = now.phase.oscillator(self.spring)
        known = own.mean * now.phase.known_rate(along)
        rest = own.stretch * error + known
        row = rest / own.rate, r / own.rate
        return [Line(J, -(rest / r), own.rate / r, row)]

    def spring_energy(self, now: Moment) -> Scalar:
        """`½·kp·C²` [J]."""
        J, error = self.tie.jacobian(now.tree.q), self.tie.error(now.tree.q)
        along = combined(J, now.tree.G)
        if not along:
            return 0.0
        pull = self.spring.mu * error
        return 0.5 * (pull * pull / _response(now, J, along))


def _response(now: Moment, J: Sparse, along: Sparse) -> Scalar:
    """r of a row whose direction in the independent coordinates is `along`."""
    apart = total(*(x * x / now.diagonal[n] for n, x in along.items()))
    return maximum(now.response(J), PARALLEL * apart)


# --- what a mechanism has -------------------------------------------------------------------------------------------


def coupling_rows(
    mechanism: Mechanism, values: Mapping[str, Scalar]
) -> Iterator[HardCouplingRow | CompliantCouplingRow]:
    compliant = [c for c in mechanism.couplings.values() if c.mode == "compliant"]
    beside = coupled_springs(mechanism, compliant)
    values = {**values, **_unrounded(mechanism, values)}
    for c in in_order(mechanism.couplings.values()):
        if c.mode == "exact":
            continue
        tie = follower_of(c, mechanism, values)
        if c.mode == "hard":
            yield HardCouplingRow(tie, values[f"{c.name}.erp"])
        else:
            yield CompliantCouplingRow(tie, _spring(c, values, beside.get(c.name, ())))


def _unrounded(mechanism: Mechanism, values: Mapping[str, Scalar]) -> dict[str, float]:
    """Ratios of hard couplings as their cycle implies them, where they are numbers of the file."""
    implied = unrounded(mechanism.couplings.values(), mechanism.configuration())
    found: dict[str, float] = {}
    for name, ratios in implied.items():
        parameters = multiplier_names(mechanism.couplings[name])
        if all(is_number(values[p]) for p in parameters):
            found |= dict(zip(parameters, ratios, strict=True))
    return found


def _spring(c: Coupling, values: Mapping[str, Scalar], beside: Sequence[str]) -> Spring:
    together = total(*(values[f"{name}.natural_frequency"] for name in beside))
    return Spring(values[f"{c.name}.natural_frequency"], values[f"{c.name}.damping_ratio"], together)


def names(groups: Collection[ConstraintGroup]) -> list[str]:
    """Names of the rows, in the order of the impulses."""
    return [k.name for k in groups for _ in range(k.size)]


def row_efforts(groups: Sequence[ConstraintGroup], now: Moment, impulses: Sequence[Scalar]) -> list[Scalar]:
    """`Jᵀ·λ/h` along the velocities of the tree: what the rows put on each axis in a step."""
    efforts: list[Scalar] = [0.0] * len(now.tree.v)
    left = list(impulses)
    for group in groups:
        own, left = left[: group.size], left[group.size :]
        for k, x in group.spread(now, own).items():
            efforts[k] = efforts[k] + x / now.h
    return efforts
