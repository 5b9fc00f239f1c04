"""Constraint rows: what acts through an impulse λ that is found together with all others at the end of a step.

A row looks along `J·v`, the rate of its error C, and asks for

    J·v⁺ + erp·C/dt − ċ + cfm·λ = 0      as far as its box  lower ≤ λ ≤ upper  lets it,
    slowest ≤ J·v⁺ ≤ fastest             whatever that takes.

Without a box it is an equality. A kind of row is one small class; `rows.rows_of` is the list of
those that a mechanism has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar, NamedTuple, Protocol

from gearwright.dynamics.algorithms import Row as Sparse
from gearwright.dynamics.kinematics import Configuration
from gearwright.dynamics.parameters import axes
from gearwright.dynamics.reduce import Tie, Tree, tie_of
from gearwright.dynamics.scalar import Scalar, divided, greatest, is_number, is_zero, least, minus, plus, times, where
from gearwright.model import Axis, AxisRef, Coupling, Limits, Mechanism, compose, in_order

ENDLESS = 1e15  # a limit as far away as this is none: files write 1e16 for infinity [rad, m]
UNBOUNDED = 1e30  # an impulse that nothing reaches
RECOVERY = 0.2  # share of what an axis is beyond its hard stop that is taken back in a step
RECOVERY_SPEED = 1.0  # and never faster than this, so that a bad start does not become a shot [rad/s, m/s]


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
        return divided(spring, whole), divided(1.0, times(dt, whole))


@dataclass(frozen=True)
class Resonant:
    """A spring and damper by natural frequency and damping ratio: `kp = μ²/r`, `kd = 2·μ·ζ/r`."""

    natural_frequency: Scalar  # μ [rad/s]
    damping_ratio: Scalar  # ζ
    needs_response: ClassVar[bool] = True

    def erp_cfm(self, r: Scalar, dt: Scalar) -> tuple[Scalar, Scalar]:
        mu, zeta = self.natural_frequency, self.damping_ratio
        spring = times(dt, times(mu, mu))  # times r, like the damper: erp needs no r at all
        whole = plus(spring, times(2.0, times(mu, zeta)))
        return divided(spring, whole), divided(r, times(dt, whole))


# --- rows -----------------------------------------------------------------------------------------------------------


class Instant(NamedTuple):
    """What rows are worked out from."""

    tree: Tree
    at: Configuration
    dt: Scalar
    target: Sequence[Scalar] = ()  # of drives: position and rate of each


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row at one instant; J is over the velocities of the tree."""

    J: Sparse
    error: Scalar = 0.0  # C
    rate: Scalar = 0.0  # ċ, the rate of C that is wanted
    softness: Softness = Baumgarte(0.0)
    box: tuple[Scalar, Scalar] | None = None  # bounds of λ; None: an equality
    slowest: Scalar | None = None
    fastest: Scalar | None = None
    drift: bool = False  # whether C is an error to be taken off, no motion that is wanted and no spring's stretch
    reach: Sparse | None = None  # the most that J could be, whichever way the row looked; None: J itself
    group: str | None = None  # rows that may depend on each other are told apart from rounding by the largest of them


class Kind(Protocol):
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

    def rows(self, now: Instant) -> list[Row]: ...
    def errors(self, now: Instant) -> list[Scalar]:
        """C of each row, of a kind that is projected."""


@dataclass(frozen=True)
class CouplingRow:
    """`C = follower − f(leaders)`: one row over all of its axes."""

    tie: Tie
    softness: Softness
    equality: ClassVar[bool] = True
    size: ClassVar[int] = 1
    projected: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return self.tie.name

    def errors(self, now: Instant) -> list[Scalar]:
        return [self.tie.error(now.tree.q)]

    def rows(self, now: Instant) -> list[Row]:
        q = now.tree.q
        hard = isinstance(self.softness, Baumgarte)
        return [Row(J=self.tie.jacobian(q), error=self.tie.error(q), softness=self.softness, drift=hard)]


@dataclass(frozen=True)
class AxisRow:
    """Coulomb friction and hard stops of one axis in one row: what holds it still is the same impulse.

    `|λ| ≤ f·dt` resists every motion; a stop takes what it needs to keep the axis within its range at the end.
    """

    name: str
    position: int
    velocity: int
    friction: Scalar
    lower: float
    upper: float
    equality: ClassVar[bool] = False
    size: ClassVar[int] = 1
    projected: ClassVar[bool] = False

    def errors(self, now: Instant) -> list[Scalar]:
        return []

    def rows(self, now: Instant) -> list[Row]:
        q = now.tree.q[self.position]
        return [stopped(q, {self.velocity: 1.0}, self.friction, (self.lower, self.upper), now.dt)]


def stopped(q: Scalar, J: Sparse, friction: Scalar, ends: tuple[float, float], dt: Scalar) -> Row:
    """Friction and hard stops of an axis at q that moves with J."""
    f, (lower, upper) = times(friction, dt), ends
    below = None if lower == -inf else _stop_rate(minus(lower, q), dt)
    above = None if upper == inf else minus(0.0, _stop_rate(minus(q, upper), dt))
    return Row(J=J, box=(minus(0.0, f), f), slowest=below, fastest=above)


def _stop_rate(beyond: Scalar, dt: Scalar) -> Scalar:
    """The least rate away from a stop: what ends on it, or, from beyond it, what comes back gently."""
    back = least(times(RECOVERY, beyond), times(RECOVERY_SPEED, dt))
    return divided(least(beyond, greatest(back, 0.0)), dt)


@dataclass(frozen=True)
class SoftStopRow:
    """A stop with the file's stiffness and dissipation, at whichever end of the range is nearer."""

    name: str
    position: int
    velocity: int
    limits: Limits
    equality: ClassVar[bool] = False
    size: ClassVar[int] = 1
    projected: ClassVar[bool] = False

    def errors(self, now: Instant) -> list[Scalar]:
        return []

    def rows(self, now: Instant) -> list[Row]:
        return [soft_stop(now.tree.q[self.position], {self.velocity: 1.0}, self.limits)]


def soft_stop(q: Scalar, J: Sparse, limits: Limits) -> Row:
    """A spring and damper that only pushes, of an axis at q that moves with J."""
    softness = SpringDamper(limits.stiffness or 0.0, limits.dissipation or 0.0)
    low, high = (0.0, UNBOUNDED), (-UNBOUNDED, 0.0)
    if not _ends(limits.upper):
        return Row(J=J, error=minus(q, limits.lower), softness=softness, box=low)
    if not _ends(limits.lower):
        return Row(J=J, error=minus(q, limits.upper), softness=softness, box=high)
    lower_half = minus(q, (limits.lower + limits.upper) / 2) < 0.0
    box = (where(lower_half, low[0], high[0]), where(lower_half, low[1], high[1]))
    return Row(J=J, error=minus(q, where(lower_half, limits.lower, limits.upper)), softness=softness, box=box)


# --- what a mechanism has -------------------------------------------------------------------------------------------


def coupling_rows(mechanism: Mechanism, values: Mapping[str, Scalar]) -> Iterator[CouplingRow]:
    for c in in_order(mechanism.couplings.values()):
        if c.mode != "exact":
            yield CouplingRow(tie_of(c, mechanism, values), _softness(c, values))


def _softness(c: Coupling, values: Mapping[str, Scalar]) -> Softness:
    if c.mode == "hard":
        return Baumgarte(values[f"{c.name}.erp"])
    return Resonant(values[f"{c.name}.natural_frequency"], values[f"{c.name}.damping_ratio"])


def axis_rows(mechanism: Mechanism, values: Mapping[str, Scalar]) -> Iterator[AxisRow | SoftStopRow]:
    positions = [p for j in mechanism.tree.joints for p in j.positions]
    velocities = [c for j in mechanism.tree.joints for c in j.coordinates]
    tightest = binding_limits(mechanism, values)
    for joint in mechanism.tree.joints:
        for index, (name, axis) in enumerate(axes(joint)):
            i, k, f = positions.index(name), velocities.index(name), values[f"{name}.friction"]
            limits = axis.limits
            soft = limits.stiffness is not None and _bounded(limits)
            lower, upper = (-inf, inf) if soft else tightest.get(AxisRef(joint.name, index), hard_range(limits))
            if soft:
                yield SoftStopRow(name, i, k, limits)
            if not is_zero(f) or lower > -inf or upper < inf:
                yield AxisRow(name, i, k, f, lower, upper)


def binding_limits(mechanism: Mechanism, values: Mapping[str, Scalar]) -> dict[AxisRef, tuple[float, float]]:
    """Of axes that exact couplings tie to one another, each end of the range only where it is met first.

    Each axis keeps its stop unless another of the same family, seen through constant couplings, stands in front of
    it; the leader's stands in front among equals.
    """
    exact = [c for c in mechanism.couplings.values() if c.mode == "exact" and _constant(c, values)]
    ranges = {ref: hard_range(axis.limits) for ref, axis in _hard_axes(mechanism).items()}
    families: dict[AxisRef, list[tuple[AxisRef, float, float]]] = {}
    for follower, (terms, offset) in compose(exact).items():
        if len(terms) == 1 and follower in ranges and next(iter(terms.values())):
            leader, slope = next(iter(terms.items()))
            families.setdefault(leader, []).append((follower, slope, offset))
    for leader, followers in families.items():
        members = [(leader, 1.0, 0.0), *followers] if leader in ranges else followers
        for side in (0, 1):  # the leader's lower and upper end
            met = [(_seen(ranges[ref], slope, offset)[side], ref, slope) for ref, slope, offset in members]
            first = max(met, key=lambda m: m[0]) if side == 0 else min(met, key=lambda m: m[0])
            for _, ref, slope in met:
                if ref != first[1]:
                    ranges[ref] = _without(ranges[ref], side if slope > 0 else 1 - side)
    return ranges


def _hard_axes(mechanism: Mechanism) -> dict[AxisRef, Axis]:
    found = {}
    for joint in mechanism.tree.joints:
        for index, (_, axis) in enumerate(axes(joint)):
            if axis.limits.stiffness is None:
                found[AxisRef(joint.name, index)] = axis
    return found


def _constant(c: Coupling, values: Mapping[str, Scalar]) -> bool:
    only = len(c.leaders) == 1
    names = [f"{c.name}.offset", f"{c.name}.reference"]
    names += [f"{c.name}.multiplier" + ("" if only else f".{t.axis}") for t in c.leaders]
    return all(is_number(values[name]) for name in names)


def _seen(own: tuple[float, float], slope: float, offset: float) -> tuple[float, float]:
    """A follower's range as its leader's."""
    ends = [(x - offset) / slope for x in own]
    return min(ends), max(ends)


def _without(own: tuple[float, float], side: int) -> tuple[float, float]:
    return (-inf, own[1]) if side == 0 else (own[0], inf)


def hard_range(limits: Limits) -> tuple[float, float]:
    """The ends that are any."""
    return limits.lower if _ends(limits.lower) else -inf, limits.upper if _ends(limits.upper) else inf


def _bounded(limits: Limits) -> bool:
    return _ends(limits.lower) or _ends(limits.upper)


def _ends(limit: float) -> bool:
    return abs(limit) < ENDLESS


def over(J: Sparse, G: list[Sparse]) -> Sparse:
    """A row over the tree's velocities as one over the independent ones: `J·G`."""
    row: Sparse = {}
    for k, x in J.items():
        for n, g in G[k].items():
            row[n] = plus(row.get(n, 0.0), times(x, g))
    return {n: x for n, x in row.items() if not is_zero(x)}


def names(kinds: Collection[Kind]) -> list[str]:
    """Of every row, in the order of the impulses."""
    return [k.name for k in kinds for _ in range(k.size)]
