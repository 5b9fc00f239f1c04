"""Constraint rows: what acts through an impulse λ that is found together with all others at the end of a step.

A row looks along `J·v`, the rate of its error C, and asks for

    J·v⁺ + erp·C/dt − ċ + cfm·λ = 0      as far as its box  lower ≤ λ ≤ upper  lets it,
    slowest ≤ J·v⁺ ≤ fastest             whatever that takes.

Without a box it is an equality. A kind of row is one small class; `rows.rows_of` is the list of
those that a mechanism has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import casadi
from casadi import SX, Function

from gearwright.dynamics.algebra.scalar import (
    Scalar,
    divided,
    greatest,
    is_zero,
    minus,
    plus,
    times,
    total,
)
from gearwright.dynamics.constraints.compliance import coupled_springs
from gearwright.dynamics.constraints.oscillator import Spring
from gearwright.dynamics.constraints.terms import Moment, Rigid, Straight, Term
from gearwright.dynamics.tree.algorithms import Row as Sparse
from gearwright.dynamics.tree.couplings import Follower, follower_of
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.dynamics.tree.reduction import TreeState, combined
from gearwright.model import Coupling, Mechanism, in_order

UNBOUNDED = 1e30  # an impulse that nothing reaches
PARALLEL = 1e-12  # of the response of its axes one by one: one that is smaller is rounding


# --- how hard a row holds -------------------------------------------------------------------------------------------


class Softness(Protocol):
    """erp and cfm of a row with `r = J·M̂⁻¹·Jᵀ`; r is only worked out for those that need it."""

    needs_response: ClassVar[bool]

    def erp_cfm(self, r: Scalar, dt: Scalar) -> tuple[Scalar, Scalar]: ...


@dataclass(frozen=True)
class Baumgarte:
    """Hard: a share of the error is taken off in each step."""

    erp: Scalar
    needs_response: ClassVar[bool] = False

    def erp_cfm(self, r: Scalar, dt: Scalar) -> tuple[Scalar, Scalar]:
        return self.erp, 0.0


@dataclass(frozen=True)
class SpringDamper:
    """An implicit spring and damper: `cfm = 1/(dt·(dt·kp + kd))`, `erp = dt·kp/(dt·kp + kd)`."""

    stiffness: Scalar
    damping: Scalar
    needs_response: ClassVar[bool] = False

    def erp_cfm(self, r: Scalar, dt: Scalar) -> tuple[Scalar, Scalar]:
        spring = times(dt, self.stiffness)
        whole = plus(spring, self.damping)
        if is_zero(whole):  # neither: it gives way to everything
            return 0.0, UNBOUNDED
        return divided(spring, whole), divided(1.0, times(dt, whole))


@dataclass(frozen=True)
class Resonant:
    """A spring and damper by natural frequency and damping ratio: `kp = μ²/r`, `kd = 2·μ·ζ/r`."""

    natural_frequency: Scalar  # μ [rad/s]
    damping_ratio: Scalar  # ζ
    together: Scalar = 0.0  # Σμ of all that share inertia with it [rad/s]
    needs_response: ClassVar[bool] = True

    def erp_cfm(self, r: Scalar, dt: Scalar) -> tuple[Scalar, Scalar]:
        mu, zeta = self.natural_frequency, self.damping_ratio
        spring = times(dt, times(mu, mu))  # times r, like the damper: erp needs no r at all
        whole = plus(spring, times(2.0, times(mu, zeta)))
        return divided(spring, whole), divided(r, times(dt, whole))


# --- rows -----------------------------------------------------------------------------------------------------------


class Instant(NamedTuple):
    """What rows are worked out from."""

    tree: TreeState
    at: Configuration
    dt: Scalar
    target: Sequence[Scalar] = ()  # of drives: position and rate of each
    command: Sequence[Scalar] = ()  # of actuators
    memory: Sequence[Scalar] = ()  # their last efforts, and what they remember
    acting: Sequence[Any] = ()  # each of them at the start of the step (`ActuatorLinearization`)


class ForceLaw(NamedTuple):
    """An impulse that is a function of its own rate: `λ = f(J·v⁺)`, not rising faster than the rate answers to λ."""

    function: Function  # (rate, arguments) → f, its slope, and the size of its terms
    arguments: list[Scalar]
    newton_steps: int = 1  # steps of Newton's method in a sweep; more than one set out anew each time

    def at(self, rate: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        value, slope, size = self._called(rate)[:3]
        return value, slope, size

    def initial_guess(self, free: Scalar, own: Scalar) -> Scalar:
        """Where Newton's method sets out: on the steep line of a drive, if it is one, at the rate without impulse."""
        answers = self._called(free)
        return 0.0 if len(answers) == 3 else answers[3] / (1.0 - answers[4] * own)

    def _called(self, rate: Scalar) -> list[SX]:
        return [SX(x) for x in self.function.call([rate, casadi.vertcat(*self.arguments)])]

    def mapped(self, change: Callable[[Scalar], Scalar]) -> ForceLaw:
        return self._replace(arguments=[change(x) for x in self.arguments])


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row at one instant; J is over the velocities of the tree."""

    J: Sparse
    error: Scalar = 0.0  # C
    rate: Scalar = 0.0  # ċ, the rate of C that is wanted
    softness: Softness = Baumgarte(0.0)
    box: tuple[Scalar, Scalar] | None = None  # bounds of λ; None: an equality
    rate_min: Scalar | None = None
    rate_max: Scalar | None = None
    law: ForceLaw | None = None  # instead of error, softness and box
    drift: bool = False  # whether C is an error to be taken off, no motion that is wanted and no spring's stretch
    reach: Sparse | None = None  # the most that J could be, whichever way the row looked; None: J itself
    group: str | None = None  # rows that may depend on each other are told apart from rounding by the largest of them


class ConstraintGroup(Protocol):
    """Rows of one cause. `equality` and `size` are known before anything is traced."""

    @property
    def name(self) -> str: ...
    @property
    def equality(self) -> bool: ...
    @property
    def size(self) -> int: ...
    @property
    def projected(self) -> bool:
        """Whether positions are brought back to it where a robot has closed loops."""

    @property
    def bounded(self) -> bool:
        """Whether it is a law with pieces."""

    def rows(self, now: Instant) -> list[Row]: ...
    def act(self, now: Moment) -> list[Term]:
        """One term an impulse."""

    def spread(self, now: Instant, impulses: Sequence[Scalar]) -> dict[int, Scalar]:
        """Its impulses along the velocities of the tree, where they act."""


@runtime_checkable
class Elastic(Protocol):
    """A kind that stores energy in a spring of constant stiffness."""

    def stored(self, now: Instant) -> Scalar:
        """[J]."""


def stored_energy(kinds: Sequence[ConstraintGroup], now: Instant) -> Scalar:
    """[J] in the springs of rows."""
    return total(*(kind.stored(now) for kind in kinds if isinstance(kind, Elastic)))


class AlongRows:
    """A kind whose impulses act along its rows: `Jᵀ·λ`."""

    def spread(self: ConstraintGroup, now: Instant, impulses: Sequence[Scalar]) -> dict[int, Scalar]:
        found: dict[int, Scalar] = {}
        for row, impulse in zip(self.rows(now), impulses, strict=True):
            for k, x in row.J.items():
                found[k] = plus(found.get(k, 0.0), times(x, impulse))
        return found


class OneRow(AlongRows):
    """What most kinds are: one row with bounds, to which positions are not brought back."""

    equality: ClassVar[bool] = False
    size: ClassVar[int] = 1
    projected: ClassVar[bool] = False

    @property
    def bounded(self) -> bool:
        return not self.equality


@dataclass(frozen=True)
class CouplingRow(OneRow):
    """`C = follower − f(leaders)`: one row over all of its axes."""

    tie: Follower
    softness: Softness
    equality: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return self.tie.name

    def rows(self, now: Instant) -> list[Row]:
        q = now.tree.q
        hard = isinstance(self.softness, Baumgarte)
        return [Row(J=self.tie.jacobian(q), error=self.tie.error(q), softness=self.softness, drift=hard)]

    def act(self, now: Moment) -> list[Term]:
        q, softness = now.tree.q, self.softness
        J, error = self.tie.jacobian(q), self.tie.error(q)
        if isinstance(softness, Resonant):
            along = combined(J, now.tree.G)
            if not along:  # exact couplings say the same, or hold it: nothing stretches
                return [Straight({}, 0.0, 0.0)]
            apart = total(*(divided(times(x, x), now.diagonal[n]) for n, x in along.items()))
            r = greatest(now.response(J), times(PARALLEL, apart))
            own = now.phase.oscillator(Spring(softness.natural_frequency, softness.damping_ratio, softness.together))
            known = times(own.mean, now.phase.known_rate(along))
            rest = plus(times(own.stretch, error), known)
            return [Straight(J, minus(0.0, divided(rest, r)), divided(own.rate, r), as_row=True)]
        assert isinstance(softness, Baumgarte)
        taken = 0.0 if is_zero(now.phase.travel) else divided(times(softness.erp, error), now.phase.travel)
        return [Rigid(J, minus(0.0, taken))]


# --- what a mechanism has -------------------------------------------------------------------------------------------


def coupling_rows(mechanism: Mechanism, values: Mapping[str, Scalar]) -> Iterator[CouplingRow]:
    compliant = [c for c in mechanism.couplings.values() if c.mode == "compliant"]
    beside = coupled_springs(mechanism, compliant)
    for c in in_order(mechanism.couplings.values()):
        if c.mode != "exact":
            yield CouplingRow(follower_of(c, mechanism, values), _softness(c, values, beside.get(c.name, ())))


def _softness(c: Coupling, values: Mapping[str, Scalar], beside: Sequence[str]) -> Softness:
    if c.mode == "hard":
        return Baumgarte(values[f"{c.name}.erp"])
    together = total(*(values[f"{name}.natural_frequency"] for name in beside))
    return Resonant(values[f"{c.name}.natural_frequency"], values[f"{c.name}.damping_ratio"], together)


def names(kinds: Collection[ConstraintGroup]) -> list[str]:
    """Of every row, in the order of the impulses."""
    return [k.name for k in kinds for _ in range(k.size)]


def row_efforts(kinds: Sequence[ConstraintGroup], now: Instant, impulses: Sequence[Scalar]) -> list[Scalar]:
    """`Jᵀ·λ/dt` along the velocities of the tree: what the rows put on each axis in a step."""
    efforts: list[Scalar] = [0.0] * len(now.tree.v)
    left = list(impulses)
    for kind in kinds:
        own, left = left[: kind.size], left[kind.size :]
        for k, x in kind.spread(now, own).items():
            efforts[k] = plus(efforts[k], x / now.dt)
    return efforts
