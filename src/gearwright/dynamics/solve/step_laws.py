"""The laws of a mechanism for the velocities of a step of length h that begins at the positions q.

A hard stop bounds the rate to what reaches it in the step, `(limit − q)/h`; from beyond it, to 0: positions are brought
back elsewhere, without speed. Springs and dampers act at the end of the step. `LAWS` has one row a kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

import casadi
from casadi import SX, Function

from gearwright.dynamics.actuation import Driven, MotorRow, ShaftFrictionRow
from gearwright.dynamics.algorithms import Row
from gearwright.dynamics.axis_rows import AxisRow, SoftStopRow, hard_range
from gearwright.dynamics.backlash import BacklashRow
from gearwright.dynamics.closures import ClosureRows
from gearwright.dynamics.constraints import CouplingRow, Instant
from gearwright.dynamics.cut_axes import CutSoftStopRow, CutSpringRow, CutStopRow
from gearwright.dynamics.drives import DriveRow
from gearwright.dynamics.reduce import combined
from gearwright.dynamics.scalar import Scalar, divided, greatest, is_zero, least, minus, plus, times, where
from gearwright.dynamics.solve.functions import FunctionLaw
from gearwright.dynamics.solve.laws import (
    VERTICAL,
    Polyline,
    Vertex,
    friction_and_stops,
    saturated,
    straight,
)
from gearwright.dynamics.solve.rows import Equality
from gearwright.dynamics.solve.switching import Acting, Law

Response = Callable[[Row], Scalar]  # J·M⁻¹·Jᵀ of a row over the independent velocities


class StepLaws(NamedTuple):
    """Laws and equalities over the independent velocities; `places` has of each kind's row its list and index."""

    laws: list[Acting]
    equalities: list[Equality]
    places: list[tuple[str, int]]  # "law" or "equality"


def step_laws(kinds: Sequence[Any], now: Instant, response: Response | None = None) -> StepLaws:
    """`now.dt` is h, and `now.tree` where the step begins.

    A motor acts by its whole effort here: what `now.acting` says of it belongs neither into H nor into b.
    """
    found = StepLaws([], [], [])
    for kind in kinds:
        for row in LAWS[type(kind)](kind, now):
            direction = combined(row[0], now.tree.G)
            if isinstance(row, OnAxis):
                found.places.append(("law", len(found.laws)))
                found.laws.append(Acting(row.law, direction))
            else:
                r = response(direction) if response and row.softness.needs_response else 0.0
                erp, cfm = row.softness.erp_cfm(r, now.dt)
                bias = minus(divided(times(erp, row.error), now.dt), row.rate)
                found.places.append(("equality", len(found.equalities)))
                found.equalities.append(Equality(direction, bias, cfm, row.group))
    return found


class OnAxis(NamedTuple):
    """A law along a row over the tree's velocities."""

    J: Row
    law: Law


class Tied(NamedTuple):
    """An equality over the tree's velocities."""

    J: Row
    error: Scalar
    rate: Scalar
    softness: Any
    group: str | None


# --- laws by what they are --------------------------------------------------------------------------------------


def stop_rates(q: Scalar, limits: tuple[float, float], h: Scalar) -> tuple[Scalar | None, Scalar | None]:
    """The slowest and the fastest rate that hard stops allow; None where there is none."""
    lower, upper = limits
    slowest = None if lower == -inf else least(divided(minus(lower, q), h), 0.0)
    fastest = None if upper == inf else greatest(divided(minus(upper, q), h), 0.0)
    return slowest, fastest


def stopped(q: Scalar, friction: Scalar, limits: tuple[float, float], h: Scalar) -> Polyline:
    """Coulomb friction and hard stops of an axis at q."""
    return friction_and_stops(times(friction, h), *stop_rates(q, limits, h))


def soft_stops(q: Scalar, limits: tuple[float, float], stiffness: Scalar, damping: Scalar, h: Scalar) -> Polyline:
    """Springs and dampers at the ends of a range, which only push: `λ = h·k·(limit − q − h·x) − h·d·x`.

    A damper is not felt before its end.
    """
    vertices: list[Vertex] = []
    slopes: list[Scalar | None] = [0.0]
    for end, side in zip(limits, (1.0, -1.0), strict=True):
        if abs(end) == inf:
            continue
        short = minus(end, q)  # the way to the end
        damper = 0.0 if is_zero(damping) else where(times(side, short) >= 0.0, damping, 0.0)
        whole = plus(times(h, stiffness), damper)
        met = 0.0 if is_zero(stiffness) else divided(times(stiffness, short), whole)
        vertices.append(Vertex(met, 0.0))
        slopes = [times(h, whole), *slopes] if side > 0 else [*slopes, times(h, whole)]
    return Polyline(tuple(vertices), tuple(slopes), home=int(abs(limits[0]) < inf))


def box_friction(lower: Scalar, upper: Scalar) -> Polyline:
    """Friction that differs with the direction: `lower ≤ λ ≤ upper` with the rate 0."""
    return Polyline((Vertex(0.0, upper), Vertex(0.0, lower)), (0.0, VERTICAL, 0.0), home=1)


def drive_line(stiffness: Scalar, damping: Scalar, error: Scalar, rate: Scalar, h: Scalar) -> tuple[Scalar, Scalar]:
    """Where `λ = h·(k·(target − q − h·x) + d·(rate − x))` is 0, and its slope; error is q − target."""
    whole = plus(times(h, stiffness), damping)
    zero = divided(minus(times(damping, rate), times(stiffness, error)), whole)
    return zero, times(h, whole)


# --- of each kind -----------------------------------------------------------------------------------------------


def _axis(kind: AxisRow, now: Instant) -> list[OnAxis]:
    ends = (kind.lower.position if kind.lower else -inf, kind.upper.position if kind.upper else inf)
    q = now.tree.q[kind.position]
    return [OnAxis({kind.velocity: 1.0}, stopped(q, kind.friction, ends, now.dt))]


def _soft(kind: SoftStopRow, now: Instant) -> list[OnAxis]:
    limits, q = kind.limits, now.tree.q[kind.position]
    law = soft_stops(q, hard_range(limits), limits.stiffness or 0.0, limits.dissipation or 0.0, now.dt)
    return [OnAxis({kind.velocity: 1.0}, law)]


def _cut_stop(kind: CutStopRow, now: Instant) -> list[OnAxis]:
    q, J = kind.axis.read(now)
    return [OnAxis(J, stopped(q, kind.friction, (kind.lower, kind.upper), now.dt))]


def _cut_soft(kind: CutSoftStopRow, now: Instant) -> list[OnAxis]:
    (q, J), limits = kind.axis.read(now), kind.limits
    law = soft_stops(q, hard_range(limits), limits.stiffness or 0.0, limits.dissipation or 0.0, now.dt)
    return [OnAxis(J, law)]


def _backlash(kind: BacklashRow, now: Instant) -> list[OnAxis]:
    (row,), play, (i, _) = kind.rows(now), kind.backlash, kind.rotor
    lead = minus(now.tree.q[i], kind.gear.seen(now.tree, 0.0).position)
    ends = (-play.gap / 2, play.gap / 2)
    return [OnAxis(row.J, soft_stops(lead, ends, play.stiffness, play.damping, now.dt))]


def _shaft(kind: ShaftFrictionRow, now: Instant) -> list[OnAxis]:
    (row,) = kind.rows(now)
    assert row.box is not None
    return [OnAxis(row.J, box_friction(*row.box))]


def _drive(kind: DriveRow, now: Instant) -> list[OnAxis] | list[Tied]:
    if kind.drive.kinematic:
        return _ties(kind, now)
    target, rate = now.target[2 * kind.index], now.target[2 * kind.index + 1]
    error = minus(now.tree.q[kind.position], target)
    zero, slope = drive_line(kind.drive.stiffness, kind.drive.damping, error, rate, now.dt)
    most = times(kind.drive.effort, now.dt)
    law = straight(zero, slope) if kind.drive.effort == inf else saturated(zero, slope, minus(0.0, most), most)
    return [OnAxis({kind.velocity: 1.0}, law)]


def _motor(kind: MotorRow, now: Instant) -> list[OnAxis]:
    acting = now.acting[kind.index]
    arguments = kind.driven.arguments(acting.seen, now.command, now.memory, now.dt)
    return [OnAxis(acting.seen.A, FunctionLaw(motor_function(kind.driven), tuple(arguments)))]


def motor_function(driven: Driven) -> Function:
    """(speed, arguments) → impulse of a step, its slope, its size; and both of a drive without limits."""
    w, x = SX.sym("w"), SX.sym("x", driven.law.numel_in(1))
    effort, slope = driven.law(w, x)
    outputs = [x[2] * effort, x[2] * casadi.fmin(slope, 0.0), x[2] * casadi.fabs(effort)]
    if driven.drive:
        outputs += [x[2] * y for y in driven.drive(w, x)]
    return Function("motor", [w, x], outputs)


def _ties(kind: Any, now: Instant) -> list[Tied]:
    return [Tied(row.J, row.error, row.rate, row.softness, row.group) for row in kind.rows(now)]


LAWS: Mapping[type, Callable[[Any, Instant], Sequence[OnAxis | Tied]]] = {
    AxisRow: _axis,
    SoftStopRow: _soft,
    CutStopRow: _cut_stop,
    CutSoftStopRow: _cut_soft,
    CutSpringRow: _ties,
    BacklashRow: _backlash,
    ShaftFrictionRow: _shaft,
    MotorRow: _motor,
    DriveRow: _drive,
    CouplingRow: _ties,
    ClosureRows: _ties,
}
