"""Couplings: one row over joint axes, `C = Σ Gᵢ·qᵢ + γ = 0`.

A file says it as a mimic, `follower = multiplier·(leader − reference) + offset`; then the follower's G is 1,
the leader's is −multiplier, and `γ = multiplier·reference − offset`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np
from numpy.typing import ArrayLike

from gearwright.diagnostics import Source
from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_numbers import number
from gearwright.model.by_name import NamesView
from gearwright.model.fields import check, quantity
from gearwright.model.joints import AxisRef
from gearwright.model.poses import Array

Mode = Literal["exact", "hard", "compliant"]
MODES: tuple[Mode, ...] = ("exact", "hard", "compliant")
Spelling = Literal["mimic", "coupling", "gearbox", "mimic joint"]
MAX_TERMS = 200_000  # of all couplings composed; a hand has a hundred, and each takes a hundred bytes


class Term(NamedTuple):
    """A leader's share in its follower's position."""

    axis: AxisRef
    multiplier: float  # follower's unit per leader's unit


class Affine(NamedTuple):
    """A position as a combination of independent axes: `Σ fᵢ·qᵢ + offset`."""

    terms: dict[AxisRef, float]
    offset: float


class LeadingMap(Protocol):
    """A transmission's map in the direction joint = g(actuator)."""

    def joints_at(self, a: ArrayLike) -> Array: ...
    def joint_per_actuator_at(self, a: ArrayLike) -> Array: ...


class Through(NamedTuple):
    """A transmission that leads one of its joints by its actuators, the leaders."""

    transmission: str
    map: LeadingMap
    place: int  # of the joint in the transmission


class FollowerPolynomial(NamedTuple):
    """`Σ mᵢ·(qᵢ − reference) + Σ cₖ·(q₁ − reference)ᵏ + offset`, k from 2: the one place that states it.

    Numbers, arrays over a batch, or symbols: all of them run the same lines.
    """

    multipliers: tuple[Any, ...]
    offset: Any = 0.0
    reference: Any = 0.0
    powers: tuple[Any, ...] = ()  # c₂, c₃, …

    def position(self, leaders: Sequence[Any]) -> Any:
        x = [q - self.reference for q in leaders]
        linear = sum(m * xi for m, xi in zip(self.multipliers, x, strict=True))
        return linear + _horner(x[0], (0.0, 0.0, *self.powers)) + self.offset if self.powers else linear + self.offset

    def slopes(self, leaders: Sequence[Any]) -> list[Any]:
        """The follower's rate per each leader's."""
        if not self.powers:
            return list(self.multipliers)
        bend = _horner(leaders[0] - self.reference, (0.0, *(k * c for k, c in enumerate(self.powers, start=2))))
        return [m + bend for m in self.multipliers]

    def curvature(self, leaders: Sequence[Any]) -> Any:
        """The slope's rate per the only leader's; 0 of a linear one."""
        return _horner(leaders[0] - self.reference, [k * (k - 1) * c for k, c in enumerate(self.powers, start=2)])


def _horner(x: Any, coefficients: Sequence[Any]) -> Any:
    """Lowest power first; overflows to infinity where a power would raise."""
    *lower, value = coefficients or (0.0,)
    for c in reversed(lower):
        value = value * x + c
    return value


@dataclass(frozen=True, kw_only=True)
class Coupling:
    """`follower = Σ multiplierᵢ·(leaderᵢ − reference) + Σ cₖ·(leader − reference)ᵏ + offset`, k from 2.

    With `through`, it is `follower = g(leaders)` instead, where g is the map of a transmission.
    """

    name: str
    follower: AxisRef  # the axis that is moved
    leaders: tuple[Term, ...]  # axes with their multipliers
    offset: float = quantity("rad | m", doc="follower's position with its leaders at the reference", default=0.0)
    reference: float = quantity("rad | m", doc="leader's position at which the offset holds", default=0.0)
    powers: tuple[float, ...] = quantity(doc="c₂, c₃, …: polynomial in a single leader", default=())
    mode: Mode = quantity(choices=MODES, doc="how it is realised", default="exact")
    natural_frequency: float | None = quantity("rad/s", above=0, doc="μ of a compliant coupling", default=None)
    damping_ratio: float | None = quantity(at_least=0, doc="ζ of a compliant coupling", default=None)
    erp: float = quantity(
        at_least=0, at_most=1, doc="of a hard coupling: fraction of the error corrected per step", default=0.2
    )
    spelling: Spelling = quantity(choices=get_args(Spelling), doc="how the file wrote it", default="mimic")
    alias: str | None = None  # a second name it answers to: the gearbox joint's, or its follower's
    through: Through | None = None  # a transmission whose map it is
    source: Source | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for problem in self._problems():
            raise ModelError(f"coupling {self.name!r}: {problem}")
        check(self, f"coupling {self.name!r}: ")

    def _problems(self) -> Iterator[str]:
        if not self.leaders:
            yield "it has no leader"
        for t in self.leaders:
            number(f"coupling {self.name!r}: the multiplier of {t.axis}", t.multiplier)
        if self.powers and len(self.leaders) != 1:
            yield "a polynomial has exactly one leader"
        if self.follower in (t.axis for t in self.leaders):
            yield f"{self.follower} cannot follow itself"
        if self.mode == "compliant" and (self.natural_frequency is None or self.damping_ratio is None):
            yield "mode compliant needs natural_frequency [rad/s] and damping_ratio"
        if self.through is not None and self.mode != "exact":
            yield "a coupling through a transmission must be exact"

    @property
    def linear(self) -> bool:
        """Whether its ratios are constant."""
        return not self.powers and self.through is None

    @property
    def multiplier(self) -> float:
        """Multiplier of the only leader."""
        return self._only.multiplier

    @property
    def leader(self) -> AxisRef:
        """The only leader."""
        return self._only.axis

    @property
    def _only(self) -> Term:
        if len(self.leaders) != 1:
            raise ModelError(f"coupling {self.name!r} has {len(self.leaders)} leaders; see .leaders")
        return self.leaders[0]

    @property
    def row(self) -> tuple[dict[AxisRef, float], float]:
        """The linear part as G and γ of `C = Σ Gᵢ·qᵢ + γ`, without the higher powers of a polynomial."""
        G = {self.follower: 1.0, **{t.axis: -t.multiplier for t in self.leaders}}
        return G, self.reference * sum(t.multiplier for t in self.leaders) - self.offset

    @property
    def polynomial(self) -> FollowerPolynomial:
        """The follower's position as a polynomial of its leaders."""
        return FollowerPolynomial(tuple(t.multiplier for t in self.leaders), self.offset, self.reference, self.powers)

    def position(self, leaders: Sequence[Any]) -> Any:
        """Position of the follower for these positions of its leaders."""
        if self.through is not None:
            q = self.through.map.joints_at(np.stack(np.broadcast_arrays(*leaders), axis=-1))[..., self.through.place]
            return q if q.ndim else float(q)
        return self.polynomial.position(leaders)

    def slopes(self, leaders: Sequence[Any]) -> list[Any]:
        """Derivatives of the follower's position with respect to its leaders, at these positions."""
        if self.through is not None:
            ratio = self.through.map.joint_per_actuator_at(np.stack(np.broadcast_arrays(*leaders), axis=-1))
            return [ratio[..., self.through.place, k] for k in range(len(leaders))]
        return self.polynomial.slopes(leaders)

    @property
    def formula(self) -> str:
        """The equation as text: `left = 1·right + 0`."""
        if self.through is not None:
            return f"{self.follower} = {self.through.transmission}({', '.join(str(t.axis) for t in self.leaders)})"
        r = self.reference
        powers = ((c, f"{self._leader_shown(0, r)}^{k}") for k, c in enumerate(self.powers, start=2) if c)
        linear = ((t.multiplier, self._leader_shown(i, r)) for i, t in enumerate(self.leaders))
        (first, x), *rest = (*linear, *powers)
        text = f"{self.follower} = {'−' if first < 0 else ''}{abs(first):.6g}·{x}"
        for c, x in rest:
            text += f" {'−' if c < 0 else '+'} {abs(c):.6g}·{x}"
        return f"{text} {'−' if self.offset < 0 else '+'} {abs(self.offset):.6g}"

    def _leader_shown(self, i: int, reference: float) -> str:
        name = str(self.leaders[i].axis)
        return f"({name} {'−' if reference > 0 else '+'} {abs(reference):.6g})" if reference else name


class Couplings(Mapping[str, Coupling]):
    """The couplings of a mechanism by name; each also answers to its alias where no other has that name."""

    def __init__(self, couplings: Iterable[Coupling] = ()) -> None:
        self._by_name: dict[str, Coupling] = {}
        for c in couplings:
            if c.name in self._by_name:
                raise ModelError(f"two couplings are named {c.name!r}")
            self._by_name[c.name] = c
        self._aliases = {c.alias: c.name for c in reversed(self._by_name.values()) if c.alias is not None}

    def __getitem__(self, name: str) -> Coupling:
        if name in self._by_name:
            return self._by_name[name]
        if name in self._aliases:
            return self._by_name[self._aliases[name]]
        raise UnknownNameError("coupling", name, [*self._by_name, *self._aliases])

    def __contains__(self, name: object) -> bool:  # without a search for the nearest name
        return name in self._by_name or name in self._aliases

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def keys(self) -> NamesView:
        return NamesView(self)

    @cached_property
    def exact(self) -> tuple[Coupling, ...]:
        """Those whose followers are substituted, and are no part of a state."""
        return tuple(c for c in self._by_name.values() if c.mode == "exact")

    @cached_property
    def ordered(self) -> tuple[Coupling, ...]:
        """As by `in_order`, worked out once."""
        return tuple(in_order(self._by_name.values()))

    @cached_property
    def composed(self) -> dict[AxisRef, Affine]:
        """As by `compose`, worked out once. Raises ModelError beyond MAX_TERMS."""
        return _composed(self.ordered, MAX_TERMS)

    def __repr__(self) -> str:
        return f"Couplings({', '.join(c.formula for c in self.values())})"


class CircleError(ModelError):
    """Couplings that follow each other; `axes` in order, the first again at the end."""

    def __init__(self, axes: list[AxisRef]) -> None:
        self.axes = axes
        names = [str(a) for a in axes]
        shown = names if len(names) <= 12 else [*names[:6], "…", *names[-5:]]
        way_out = "; one of them must be hard or compliant"
        super().__init__("couplings form a cycle: " + " follows ".join(shown) + way_out)


def in_order(couplings: Iterable[Coupling]) -> list[Coupling]:
    """Leaders before followers. Raises CircleError for cycles of exact couplings. A cycle with a hard or compliant
    coupling begins where its first follower has only such leaders left.
    """
    every = list(couplings)
    try:
        return _strict_order(every)
    except CircleError:
        _strict_order([c for c in every if c.mode == "exact"])
        return _order_with_circles(every)


def _order_with_circles(couplings: list[Coupling]) -> list[Coupling]:
    """Kahn's algorithm. If every follower waits, the first that waits for no exact coupling comes next."""
    by_follower: dict[AxisRef, list[Coupling]] = {}
    followers_of: dict[AxisRef, list[tuple[AxisRef, bool]]] = {}
    for c in couplings:
        by_follower.setdefault(c.follower, []).append(c)
    place = {axis: i for i, axis in enumerate(by_follower)}
    waits = {axis: [0, 0] for axis in by_follower}  # for leaders in all, and for those of exact couplings
    for c in couplings:
        for t in c.leaders:
            if t.axis in place:
                followers_of.setdefault(t.axis, []).append((c.follower, c.mode == "exact"))
                waits[c.follower][0] += 1
                waits[c.follower][1] += c.mode == "exact"
    ready = [i for axis, i in place.items() if not waits[axis][0]]
    spare = [i for axis, i in place.items() if not waits[axis][1]]
    heapify(ready)
    heapify(spare)
    axes, done, ordered = [*place], set[int](), list[Coupling]()
    while len(done) < len(axes):
        i = heappop(ready) if ready else heappop(spare)
        if i in done:
            continue
        done.add(i)
        ordered += by_follower[axes[i]]
        for follower, exact in followers_of.get(axes[i], ()):
            waits[follower][0] -= 1
            waits[follower][1] -= exact
            if not waits[follower][0]:
                heappush(ready, place[follower])
            if exact and not waits[follower][1]:
                heappush(spare, place[follower])
    return ordered


def _strict_order(couplings: Iterable[Coupling]) -> list[Coupling]:
    """Leaders before followers. Raises CircleError."""
    by_follower: dict[AxisRef, list[Coupling]] = {}
    for c in couplings:
        by_follower.setdefault(c.follower, []).append(c)
    ordered: list[Coupling] = []
    state: dict[AxisRef, int] = {}  # 1: being visited, 2: done
    for start in by_follower:
        path: list[tuple[AxisRef, Iterator[AxisRef]]] = [(start, _leaders(by_follower, start))]
        if start in state:
            continue
        state[start] = 1
        while path:
            axis, rest = path[-1]
            ahead = next((a for a in rest if state.get(a) != 2 and a in by_follower), None)
            if ahead is None:
                state[axis] = 2
                ordered += by_follower[axis]
                path.pop()
            elif state.get(ahead) == 1:
                axes = [a for a, _ in path]
                raise CircleError([*axes[axes.index(ahead) :], ahead])
            else:
                state[ahead] = 1
                path.append((ahead, _leaders(by_follower, ahead)))
    return ordered


def _leaders(by_follower: dict[AxisRef, list[Coupling]], axis: AxisRef) -> Iterator[AxisRef]:
    return (t.axis for c in by_follower[axis] for t in c.leaders)


def compose(couplings: Iterable[Coupling]) -> dict[AxisRef, Affine]:
    """Each follower of linear couplings as a combination of axes that follow nothing.

    Chains multiply through (`off += f·off_parent; f *= f_parent`), whatever the order in the file. A follower
    of a polynomial or a map, and what follows it, counts as independent here.
    """
    return _composed(in_order(couplings))


def _composed(ordered: Iterable[Coupling], most: int | None = None) -> dict[AxisRef, Affine]:
    """Raises ModelError beyond `most` terms in all."""
    composed: dict[AxisRef, Affine] = {}
    roots: set[AxisRef] = set()  # one that a circle leads back to stays independent
    count = 0
    for c in ordered:
        if not c.linear or c.follower in composed or c.follower in roots:
            continue
        G, gamma = c.row
        terms: dict[AxisRef, float] = {}
        offset = -gamma
        for axis, g in G.items():
            if axis == c.follower:
                continue
            upstream = composed.get(axis, Affine({axis: 1.0}, 0.0))
            offset += -g * upstream.offset
            for root, f in upstream.terms.items():
                terms[root] = terms.get(root, 0.0) - g * f
        composed[c.follower] = Affine(terms, offset)
        roots |= terms.keys()
        count += len(terms)
        if most is not None and count > most:
            raise ModelError(f"expressed in independent axes, the couplings have more than {most:,} terms")
    return composed
