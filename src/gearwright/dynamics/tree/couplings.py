"""Couplings by coordinates: how a follower's position, rate and acceleration come from its leaders'.

A `PolynomialFollower` or a `MapFollower`, which is any smooth function, by exact differentiation:

    q = g(a)      q̇ = g′·ȧ      q̈ = g′·ä + ȧᵀ·g″·ȧ
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi
from casadi import SX, Function

from gearwright.dynamics.algebra.scalar import Scalar, scalars, simplified, total
from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.parameters import map_unknowns, multiplier_names
from gearwright.model import Coupling, Mechanism, TransmissionMap
from gearwright.model.couplings import FollowerPolynomial
from gearwright.model.layout.layout import AxisIndices
from gearwright.model.transmissions import with_parameters
from gearwright.tracing import trace


class Follower(ABC):
    """A follower and its leaders, by their coordinates in the tree."""

    name: str
    follower: AxisIndices
    leaders: tuple[AxisIndices, ...]

    @property
    @abstractmethod
    def curved(self) -> bool:
        """Whether its ratios depend on the position."""

    @abstractmethod
    def position(self, q: list[Scalar]) -> Scalar: ...

    @abstractmethod
    def slopes(self, q: list[Scalar]) -> list[Scalar]:
        """The follower's rate per leader's."""

    @abstractmethod
    def bend(self, q: list[Scalar], v: list[Scalar]) -> list[Scalar]:
        """∂(follower's rate)/∂(leader's position), one a leader."""

    def drift(self, q: list[Scalar], v: list[Scalar]) -> Scalar:
        """The follower's acceleration while its leaders keep their rates."""
        rows = zip(self.bend(q, v), self.leaders, strict=True)
        return total(*(x * v[k] for x, (_, k) in rows))

    def error(self, q: list[Scalar]) -> Scalar:
        """C."""
        return q[self.follower[0]] - self.position(q)

    def jacobian(self, q: list[Scalar]) -> Sparse:
        """∂C over the tree's velocities: 1 for the follower, −slope for each leader."""
        J: Sparse = {self.follower[1]: 1.0}
        for slope, (_, leader) in zip(self.slopes(q), self.leaders, strict=True):
            J[leader] = J.get(leader, 0.0) - slope
        return J


@dataclass(frozen=True)
class PolynomialFollower(Follower):
    """Linear in its leaders, or a polynomial in one."""

    name: str
    follower: AxisIndices
    leaders: tuple[AxisIndices, ...]
    polynomial: FollowerPolynomial

    @property
    def curved(self) -> bool:
        return bool(self.polynomial.powers)

    def position(self, q: list[Scalar]) -> Scalar:
        found: Scalar = self.polynomial.position([q[i] for i, _ in self.leaders])
        return found

    def slopes(self, q: list[Scalar]) -> list[Scalar]:
        return self.polynomial.slopes([q[i] for i, _ in self.leaders])

    def bend(self, q: list[Scalar], v: list[Scalar]) -> list[Scalar]:
        if not self.curved:
            return [0.0] * len(self.leaders)
        i, k = self.leaders[0]
        return [self.polynomial.curvature([q[i]]) * v[k]]


@dataclass(frozen=True)
class MapFollower(Follower):
    """A joint that a transmission leads: one of the outputs of `q = g(a)`."""

    name: str
    follower: AxisIndices
    leaders: tuple[AxisIndices, ...]
    function: Function  # (positions of the leaders, numbers that are parameters) → positions of the joints
    place: int
    parameters: tuple[Scalar, ...]

    @property
    def curved(self) -> bool:
        return True

    @cached_property
    def _differentiated(self) -> Function:
        """(a, ȧ, parameters) → q, g′, ȧᵀ·g″."""
        n = len(self.leaders)
        a, v, p = SX.sym("a", n), SX.sym("v", n), SX.sym("p", len(self.parameters))
        q = self.function(a, p)[self.place]
        slopes = casadi.gradient(q, a)
        return Function("led", [a, v, p], [q, slopes, casadi.gradient(casadi.dot(slopes, v), a)])

    def _at(self, q: list[Scalar], v: Sequence[Scalar] | None = None) -> list[list[Scalar]]:
        a = casadi.vertcat(*(SX(q[i]) for i, _ in self.leaders))
        rates = casadi.vertcat(*(SX(0.0 if v is None else v[k]) for _, k in self.leaders))
        found = self._differentiated.call([a, rates, casadi.vertcat(*map(SX, self.parameters))])
        return [[simplified(x) for x in scalars(casadi.densify(SX(part)))] for part in found]

    def position(self, q: list[Scalar]) -> Scalar:
        return self._at(q)[0][0]

    def slopes(self, q: list[Scalar]) -> list[Scalar]:
        return self._at(q)[1]

    def bend(self, q: list[Scalar], v: list[Scalar]) -> list[Scalar]:
        return self._at(q, v)[2]


# --- from the model -------------------------------------------------------------------------------------------------


def follower_of(c: Coupling, mechanism: Mechanism, values: Mapping[str, Scalar]) -> Follower:
    """The coupling with coordinates for names."""
    at = mechanism.layout.axes
    follower, leaders = at[c.follower], tuple(at[t.axis] for t in c.leaders)
    if c.through is not None:
        t = mechanism.transmissions.get(c.through.transmission)  # None: a rod's, which has no parameters
        changed = {} if t is None else map_unknowns(mechanism, t, values)
        assert isinstance(c.through.map, TransmissionMap)
        function = _joint_positions(c.name, c.through.map, [*changed])
        return MapFollower(c.name, follower, leaders, function, c.through.place, tuple(changed.values()))
    polynomial = FollowerPolynomial(
        multipliers=tuple(values[name] for name in multiplier_names(c)),
        offset=values[f"{c.name}.offset"],
        reference=values[f"{c.name}.reference"],
        powers=tuple(values[f"{c.name}.power{k}"] for k in range(2, 2 + len(c.powers))),
    )
    return PolynomialFollower(c.name, follower, leaders, polynomial)


def _joint_positions(name: str, m: TransmissionMap, numbers: Sequence[str]) -> Function:
    """(actuator positions, the numbers by those names) → joint positions."""

    def to_joints(a, values):  # type: ignore[no-untyped-def]  # traced
        return with_parameters(m, dict(zip(numbers, values, strict=True))).to_joints(a)

    function: Function = trace(to_joints, [m.actuators, len(numbers)], name=name, returns=[m.joints])
    return function
