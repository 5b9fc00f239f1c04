"""Contacts at the present instant: where their points are, how they slip, and what acted there in the last step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, NamedTuple

import casadi
from casadi import SX

from gearwright.dynamics.algebra.scalar import TINY, Scalar, total, where
from gearwright.dynamics.algebra.spatial import ZERO, Vector
from gearwright.dynamics.constraints.contacts import Contacts, Sight, coefficients
from gearwright.dynamics.observers.present import Given, Outputs, moving_tree
from gearwright.dynamics.tree.kinematics import link_poses
from gearwright.dynamics.tree.loads import Load
from gearwright.model.contacts.pair import ContactPair, ContactSurface
from gearwright.model.layout.slots import StepSlot
from gearwright.model.sensors.contact_sensor import ContactSensor

if TYPE_CHECKING:
    from gearwright.dynamics.equations import Equations

ON_THE_CONE = 1.0 - 1e-9  # share of the normal impulse from which on friction is at its most
SLIPS = 1e-3  # [m/s] faster than what sticks gives way in an impact: it slides, though its direction turned in the step


class Touched(NamedTuple):
    """One candidate with its force on link a, at the point, and its torque against spinning and rolling."""

    pair: ContactPair
    seen: Sight
    force: Vector
    torque: Vector
    slip: Vector
    sticks: Scalar

    @property
    def row(self) -> list[Scalar]:
        seen = self.seen.point
        return [*seen.point, *seen.normal, -seen.gap, *self.force, *self.slip, self.sticks]


def contacts(equations: Equations, given: Given) -> Outputs:
    """(points, 14): point, normal, depth, force, slip, and whether it sticks."""
    rows = [touched.row for touched in _touched(equations, given)]
    return {"contacts": SX(casadi.vertcat(*(casadi.horzcat(*map(SX, row)) for row in rows))) if rows else SX(0, 14)}


def contact_force(equations: Equations, given: Given) -> Outputs:
    """(3 · links): the sum of forces on each link that may touch, in the order of `Mechanism.touching_links`."""
    total_on = dict.fromkeys(equations.mechanism.touching_links, ZERO)
    for touched in _touched(equations, given):
        a, b = touched.pair.links
        total_on[a], total_on[b] = total_on[a] + touched.force, total_on[b] - touched.force
    return {"contact_force": [x for force in total_on.values() for x in force]}


def contact_loads(equations: Equations, given: Given) -> tuple[Load, ...]:
    """What contacts put on links in the last step, at the links' origins."""
    if not equations.mechanism.contacts:
        return ()
    origins = {
        name: p for name, (_, p) in link_poses(equations.model.configuration(moving_tree(equations, given))).items()
    }
    loads = []
    for touched in _touched(equations, given):
        for link, force, torque in zip(
            touched.pair.links, (touched.force, -touched.force), (touched.torque, -touched.torque), strict=True
        ):
            loads.append(Load(link, force, torque + (touched.seen.point.point - origins[link]).cross(force)))
    return tuple(loads)


def touch(equations: Equations, given: Given, sensor: ContactSensor) -> list[Scalar]:
    """The sum of normal forces on the shapes that a sensor feels with, and the sum of all forces on them."""
    pressed: Scalar = 0.0
    force = ZERO
    for touched in _touched(equations, given):
        for side, sign in ((touched.pair.a, 1.0), (touched.pair.b, -1.0)):
            if side.link == sensor.link and (not sensor.shapes or side.name in sensor.shapes):
                pressed = pressed + touched.force @ touched.seen.point.normal
                force = force + touched.force * sign
    return [pressed, *force]


def _touched(equations: Equations, given: Given) -> Iterator[Touched]:
    tree, first = moving_tree(equations, given), 0
    for group in equations.groups:
        own = given[StepSlot.IMPULSE][first : first + group.size]
        first += group.size
        if isinstance(group, Contacts):
            at = equations.model.configuration(tree)
            for pair, seen in zip(group.pair_of_points, group.seen(at), strict=True):
                n = 1 + len(coefficients(pair.surface))
                impulse, own = own[:n], own[n:]
                yield _read(pair, seen, impulse, tree.v, given[StepSlot.DT][0])


def _read(pair: ContactPair, seen: Sight, impulse: Sequence[Scalar], v: Sequence[Scalar], dt: Scalar) -> Touched:
    """Impulses of friction are shares of the coefficients."""
    surface, tangents = pair.surface, seen.point.tangents
    has_friction = max(surface.friction, surface.friction2) > 0.0
    friction = (
        [mu * x for mu, x in zip(coefficients(surface)[:2], impulse[1:3], strict=True)] if has_friction else [0.0, 0.0]
    )
    force = seen.point.normal * impulse[0] + tangents[0] * friction[0] + tangents[1] * friction[1]
    rates = [t @ seen.belt + seen.rate(J, v) for t, J in zip(tangents, seen.tangents, strict=True)]
    slip = tangents[0] * rates[0] + tangents[1] * rates[1]
    inside = total(*(x * x for x in impulse[1:])) < ON_THE_CONE * (impulse[0] * impulse[0])
    slow = total(*(rate * rate for rate in rates)) < SLIPS * SLIPS if has_friction else True
    sticks = where((impulse[0] > 0.0) & inside & slow, 1.0, 0.0)
    per_time = 1.0 / (dt + TINY)
    return Touched(pair, seen, force * per_time, _torque(seen, surface, impulse) * per_time, slip, sticks)


def _torque(seen: Sight, surface: ContactSurface, impulse: Sequence[Scalar]) -> Vector:
    """About the normal by torsional friction, about the tangents by rolling friction."""
    axes = [seen.point.normal] if surface.torsional_friction > 0.0 else []
    axes += [*seen.point.tangents] if surface.rolling_friction > 0.0 else []
    if not axes:
        return ZERO
    n = len(axes)
    each = zip(coefficients(surface)[-n:], impulse[-n:], axes, strict=True)
    return reduce(add, (axis * (mu * x) for mu, x, axis in each), ZERO)
