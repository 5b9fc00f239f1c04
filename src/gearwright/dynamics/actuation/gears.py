"""Gears: how an actuator's own axis follows from the tree, `v_a = A·v`. Efforts go the other way by Aᵀ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import casadi
from casadi import SX, Function

from gearwright.dynamics.algebra.scalar import Scalar, expression, maximum, minimum, scalars, simplified, total
from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.parameters import map_unknowns
from gearwright.dynamics.tree.reduction import TreeState
from gearwright.errors import CompileError
from gearwright.model import (
    AxisRef,
    CustomTransmission,
    LinearMap,
    LinearTransmission,
    Mechanism,
    Transmission,
)
from gearwright.model.layout.layout import AxisIndices
from gearwright.model.transmissions import offsets, rows, with_parameters
from gearwright.model.transmissions.leading import led
from gearwright.tracing import trace


class ActuatorAxis(NamedTuple):
    """An actuator's axis at one instant."""

    position: Scalar  # a
    A: Sparse  # over the tree's velocities
    speed: Scalar  # A·v
    drift: Scalar  # Ȧ·v: its acceleration at v̇ = 0


class Gear(Protocol):
    """One actuator's way to the joints."""

    def seen(self, tree: TreeState, effort: Scalar) -> ActuatorAxis: ...
    def bend(self, tree: TreeState) -> Sparse:
        """∂(A·v)/∂q, along the tree's velocities: how the speed changes where the joints are moved."""

    def extra(self, tree: TreeState, seen: ActuatorAxis, effort: Scalar) -> dict[int, Scalar]:
        """Efforts along the tree's velocities beside `Aᵀ·effort`."""


@dataclass(frozen=True)
class ConstantRatio:
    """Constant ratios: `a = Σ rᵢ·qᵢ + offset`."""

    ratios: list[Scalar]
    offset: Scalar
    axes: list[AxisIndices]

    def seen(self, tree: TreeState, effort: Scalar) -> ActuatorAxis:
        A: Sparse = {}
        for r, (_, k) in zip(self.ratios, self.axes, strict=True):
            if not (isinstance(r, float) and r == 0.0):
                A[k] = A.get(k, 0.0) + r
        there = [r * tree.q[i] for r, (i, _) in zip(self.ratios, self.axes, strict=True)]
        return ActuatorAxis(total(*there, self.offset), A, total(*(r * tree.v[k] for k, r in A.items())), 0.0)

    def bend(self, tree: TreeState) -> Sparse:
        return {}

    def extra(self, tree: TreeState, seen: ActuatorAxis, effort: Scalar) -> dict[int, Scalar]:
        return {}


@dataclass(frozen=True)
class VariableRatio:
    """A ratio that depends on where the joints are: `a = f(q)`, A = ∂f/∂q and Ȧ·v by differentiation."""

    function: Function  # (joint positions, numbers that are parameters) → actuator positions
    index: int  # of this actuator
    axes: list[AxisIndices]
    parameters: list[Scalar]

    @cached_property
    def differentiated(self) -> Function:
        """(q, v, parameters) → a, A, Ȧ·v."""
        n = len(self.axes)
        q, v, p = SX.sym("q", n), SX.sym("v", n), SX.sym("p", len(self.parameters))
        a = self.function(q, p)[self.index]
        A = casadi.jacobian(a, q)
        return Function("gear", [q, v, p], [a, A.T, casadi.jtimes(A @ v, q, v)])

    def seen(self, tree: TreeState, effort: Scalar) -> ActuatorAxis:
        q = casadi.vertcat(*(tree.q[i] for i, _ in self.axes))
        v = casadi.vertcat(*(tree.v[k] for _, k in self.axes))
        a, A, drift = self.differentiated(q, v, casadi.vertcat(*self.parameters))
        row: Sparse = {}
        for slope, (_, k) in zip(scalars(SX(A)), self.axes, strict=True):
            row[k] = row.get(k, 0.0) + slope
        return ActuatorAxis(expression(a), row, total(*(x * tree.v[k] for k, x in row.items())), expression(drift))

    @cached_property
    def bent(self) -> Function:
        """(q, v, parameters) → ∂(A·v)/∂q."""
        n = len(self.axes)
        q, v, p = SX.sym("q", n), SX.sym("v", n), SX.sym("p", len(self.parameters))
        speed = casadi.jtimes(self.function(q, p)[self.index], q, v)
        return Function("bend", [q, v, p], [casadi.gradient(speed, q)])

    def bend(self, tree: TreeState) -> Sparse:
        q = casadi.vertcat(*(tree.q[i] for i, _ in self.axes))
        v = casadi.vertcat(*(tree.v[k] for _, k in self.axes))
        row: Sparse = {}
        slopes = scalars(SX(self.bent(q, v, casadi.vertcat(*self.parameters))))
        for slope, (_, k) in zip(slopes, self.axes, strict=True):
            row[k] = row.get(k, 0.0) + slope
        return row

    def extra(self, tree: TreeState, seen: ActuatorAxis, effort: Scalar) -> dict[int, Scalar]:
        return {}


@dataclass(frozen=True)
class EffortMap:
    """The user's `j = F(a, q, v)`, explicit in q and v: speeds as virtual work has them, `v_a = (∂F/∂a)ᵀ·v`.

    F's slope over the efforts is taken at those of the last step.
    """

    function: Function  # (efforts of the actuators, joint positions, joint velocities) → joint efforts
    index: int
    actuators: int
    axes: list[AxisIndices]

    def _along(self, tree: TreeState) -> tuple[SX, SX]:
        q = casadi.vertcat(*(SX(tree.q[i]) for i, _ in self.axes))
        return q, casadi.vertcat(*(SX(tree.v[k]) for _, k in self.axes))

    def _given(self, effort: Scalar) -> SX:
        """This actuator's effort alone: what several do together is the sum of what each does."""
        given = SX.zeros(self.actuators)
        given[self.index] = SX(effort)
        return given

    def seen(self, tree: TreeState, effort: Scalar) -> ActuatorAxis:
        q, v = self._along(tree)
        a = SX.sym("a", self.actuators)
        slopes = casadi.jacobian(self.function(a, q, v), a)[:, self.index]
        slopes = casadi.substitute(slopes, a, self._given(effort))
        row: Sparse = {}
        for slope, (_, k) in zip(scalars(slopes), self.axes, strict=True):
            row[k] = row.get(k, 0.0) + slope
        return ActuatorAxis(0.0, row, total(*(x * tree.v[k] for k, x in row.items())), 0.0)

    def bend(self, tree: TreeState) -> Sparse:
        return {}  # no map of positions: what its rotor stores cannot be separated from what the function loses

    def extra(self, tree: TreeState, seen: ActuatorAxis, effort: Scalar) -> dict[int, Scalar]:
        """F less its slope's part; F at no effort at all counts once, with the first actuator."""
        q, v = self._along(tree)
        whole = self.function(self._given(effort), q, v)
        if self.index:
            whole = whole - self.function(SX.zeros(self.actuators), q, v)
        found: dict[int, Scalar] = {}
        for x, (_, k) in zip(scalars(whole), self.axes, strict=True):
            found[k] = found.get(k, 0.0) + x
        return {k: x - seen.A.get(k, 0.0) * effort for k, x in found.items()}


# --- from the model -------------------------------------------------------------------------------------------------


def gears(mechanism: Mechanism, values: Mapping[str, Scalar]) -> dict[str, Gear]:
    """By actuator. One that several transmissions name is in the first of them; one in none sits on its joint."""
    found: dict[str, Gear] = {}
    leading = led(mechanism)
    for t in {t.name: t for t in mechanism.acting.values() if t.name not in leading}.values():
        each = zip(t.actuators, transmission_gears(mechanism, t, values), strict=True)
        found |= {name: gear for name, gear in each if mechanism.acting[name] is t}
    for a in mechanism.actuators.values():
        on_rotor = a.name in mechanism.layout.rotors  # a body of its own, tied to the joints by other means
        if a.joint is not None and (a.name not in found or on_rotor):
            found[a.name] = ConstantRatio([1.0], 0.0, [axis_of(mechanism, a.joint, a.name)])
    return {name: found[name] for name in mechanism.actuators if name in found}


def transmission_gears(mechanism: Mechanism, t: Transmission, values: Mapping[str, Scalar]) -> Sequence[Gear]:
    """One gear for each of its actuators."""
    axes = [axis_of(mechanism, ref, t.name) for ref in t.joints]
    return _gears_of(t, map_unknowns(mechanism, t, values), axes)


def axis_of(mechanism: Mechanism, ref: AxisRef, user: str) -> AxisIndices:
    """An axis of the tree; `user` is what drives or reads it."""
    if ref not in mechanism.layout.axes:
        raise CompileError(
            f"joint {ref.joint!r} closes a loop, so {user!r} cannot drive or read it: "
            "close the loop at another joint with cut=[…]"
        )
    return mechanism.layout.axes[ref]


def _gears_of(t: Transmission, changed: dict[str, Scalar], axes: list[AxisIndices]) -> Sequence[Gear]:
    m = t.map
    assert m is not None
    if isinstance(m, LinearTransmission):
        at_zero = [simplified(o) for o in offsets(with_parameters(m, changed) if changed else m)]
        return [ConstantRatio(row, o, axes) for row, o in zip(ratios(t, changed), at_zero, strict=True)]
    if isinstance(m, CustomTransmission) and m.effort is not None:
        function = trace(m.effort, [m.actuators, m.joints, m.joints], name=t.name)
        return [EffortMap(function, i, m.actuators, axes) for i in range(m.actuators)]

    def to_actuators(q, numbers):  # type: ignore[no-untyped-def]  # traced
        return with_parameters(m, dict(zip(changed, numbers, strict=True))).to_actuators(q)

    function = trace(to_actuators, [m.joints, len(changed)], name=t.name, returns=[m.actuators])
    return [VariableRatio(function, i, axes, [*changed.values()]) for i in range(m.actuators)]


def ratios(t: Transmission, changed: dict[str, Scalar]) -> list[list[Scalar]]:
    """A of `v_a = A·v_j` of a linear map, with these numbers in it."""
    assert t.map is not None
    return [[simplified(x) for x in row] for row in rows(with_parameters(t.map, changed) if changed else t.map)]


@dataclass(frozen=True)
class EffortBounds:
    """The seed's linear map: joint efforts `T·(τ_a + oₐ) + oⱼ` within bounds, where `T·τ_a` alone goes by the gears.

    What offsets and bounds change is taken at the efforts that the actuators begin the step with.
    """

    actuators: tuple[str, ...]
    map: LinearMap
    matrix: list[list[Scalar]]  # T, (joints, actuators)
    axes: list[AxisIndices]

    def extra(self, efforts: Mapping[str, Scalar]) -> dict[int, Scalar]:
        m = self.map
        o_a, o_j = m.actuator_offsets or (0.0,) * m.actuators, m.joint_offsets or (0.0,) * m.joints
        found: dict[int, Scalar] = {}
        for j, (T, o, (_, k)) in enumerate(zip(self.matrix, o_j, self.axes, strict=True)):
            plain = total(*(t * efforts[name] for t, name in zip(T, self.actuators, strict=True)))
            whole = plain + total(o, *(t * x for t, x in zip(T, o_a, strict=True)))
            whole = minimum(whole, m.upper[j]) if m.upper else whole
            whole = maximum(whole, m.lower[j]) if m.lower else whole
            found[k] = found.get(k, 0.0) + (whole - plain)
        return found


def bounds(mechanism: Mechanism, values: Mapping[str, Scalar]) -> list[EffortBounds]:
    """Offsets and bounds of the linear maps that act."""
    found: list[EffortBounds] = []
    for t in {t.name: t for t in mechanism.acting.values()}.values():
        m = t.map
        shifts = isinstance(m, LinearMap) and m.shifts_efforts
        if not shifts or any(mechanism.acting[a] is not t for a in t.actuators):
            continue
        assert isinstance(m, LinearMap)
        T = [list(column) for column in zip(*ratios(t, map_unknowns(mechanism, t, values)), strict=True)]
        found.append(EffortBounds(t.actuators, m, T, [axis_of(mechanism, ref, t.name) for ref in t.joints]))
    return found
