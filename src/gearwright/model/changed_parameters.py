"""`robot.with_parameters`: a copy of a mechanism with other numbers, by the names of `robot.parameters`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_numbers import number
from gearwright.model.actuators import Actuator
from gearwright.model.couplings import Coupling, Couplings, Term
from gearwright.model.joints import Axis, Joint
from gearwright.model.parameters import (
    actuator_numbers,
    axes,
    canonical,
    device_key,
    losses_key,
    multiplier_names,
    supply_key,
)
from gearwright.model.poses import Pose
from gearwright.model.transmissions import Transmission, parameter_quantities
from gearwright.model.transmissions.parameters import with_values

if TYPE_CHECKING:
    from gearwright.model.links import Link
    from gearwright.model.mechanism import Mechanism

_XYZ = ("x", "y", "z")


def with_parameters(robot: Mechanism, values: Mapping[str, Any]) -> Mechanism:
    """See `Mechanism.with_parameters`."""
    wanted = _checked(robot, values)
    return replace(
        robot,
        links={n: _link(x, _of(wanted, n)) for n, x in robot.links.items()},
        joints={n: _joint(x, wanted) for n, x in robot.joints.items()},
        bases={n: _joint(x, wanted) for n, x in robot.bases.items()},
        couplings=_couplings(robot, wanted),
        actuators={n: _actuator(robot, x, wanted) for n, x in robot.actuators.items()},
        transmissions={n: _transmission(robot, x, wanted) for n, x in robot.transmissions.items()},
        gravity=_three(wanted, [f"gravity.{c}" for c in _XYZ], robot.gravity),
    )


def _checked(robot: Mechanism, values: Mapping[str, Any]) -> dict[str, float]:
    """By the names of the table; a number that a parameter can never have raises."""
    if not isinstance(values, Mapping):
        raise ModelError(f"parameters must be a mapping from names to numbers, not {values!r:.60}")
    known, found = robot.parameters, {}
    for given, value in values.items():
        name = given if given in known else canonical(robot, str(given))
        if name not in known:
            raise UnknownNameError("parameter", str(given), list(known))
        found[name] = number(repr(given), value)
        if why := known[name].quantity.first_problem(repr(given), found[name]):
            raise ModelError(why)
    return found


def _of(wanted: Mapping[str, float], owner: str) -> dict[str, float]:
    """What belongs to one part, without its name."""
    return {n.removeprefix(f"{owner}."): x for n, x in wanted.items() if n.startswith(f"{owner}.")}


def _link(link: Link, own: Mapping[str, float]) -> Link:
    inertia = link.inertia
    numbers = {n: x for n, x in own.items() if n == "mass" or n.startswith(("com.", "inertia."))}
    if not numbers:
        return link
    center = _three(own, [f"com.{c}" for c in _XYZ], inertia.center.tolist())
    changed = replace(
        inertia, mass=own.get("mass", inertia.mass), pose=Pose(inertia.pose.R, np.array(center)),
        moments=_three(own, ("inertia.ixx", "inertia.iyy", "inertia.izz"), inertia.moments),
        products=_three(own, ("inertia.ixy", "inertia.ixz", "inertia.iyz"), inertia.products),
    )  # fmt: skip
    return replace(link, inertia=changed)


def _three(own: Mapping[str, float], names: Sequence[str], now: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = (own.get(n, value) for n, value in zip(names, now, strict=True))
    return x, y, z


def _joint(joint: Joint, wanted: Mapping[str, float]) -> Joint:
    now = tuple(joint.X_PJ.p.tolist())
    origin = _three(wanted, [f"{joint.name}.origin.{c}" for c in _XYZ], now)
    changed = tuple(_axis(axis, _of(wanted, name)) for name, axis in axes(joint))
    damping = wanted.get(f"{joint.name}.damping", joint.damping) if joint.type.damped else 0.0
    if (changed, origin, damping) == (joint.axes, now, joint.damping):
        return joint
    return replace(joint, X_PJ=Pose(joint.X_PJ.R, np.array(origin)), axes=changed, damping=damping)


def _axis(axis: Axis, own: Mapping[str, float]) -> Axis:
    dynamics, friction = axis.dynamics, _part(axis.dynamics, "friction_model", own)
    plain: dict[str, Any] = {n: x for n, x in own.items() if hasattr(dynamics, n)}
    return replace(axis, dynamics=replace(dynamics, **plain, **friction)) if plain or friction else axis


def _part(owner: Any, field: str, own: Mapping[str, float]) -> dict[str, Any]:
    """A part with numbers of its own, such as a friction model, by its field; nothing if none of them changes."""
    part, numbers = getattr(owner, field, None), _of(own, field)
    return {field: replace(part, **numbers)} if part is not None and numbers else {}


def _couplings(robot: Mechanism, wanted: Mapping[str, float]) -> Couplings:
    if not any(_of(wanted, c.name) for c in robot.couplings.values()):
        return robot.couplings
    return Couplings([_coupling(c, _of(wanted, c.name)) for c in robot.couplings.values()])


def _coupling(coupling: Coupling, own: Mapping[str, float]) -> Coupling:
    if coupling.through is not None or not own:
        return coupling
    names = [n.removeprefix(f"{coupling.name}.") for n in multiplier_names(coupling)]
    pairs = zip(names, coupling.leaders, strict=True)
    leaders = tuple(Term(t.axis, own.get(n, t.multiplier)) for n, t in pairs)
    powers = tuple(own.get(f"power{k}", x) for k, x in enumerate(coupling.powers, start=2))
    fields = ("offset", "reference", "erp", "natural_frequency", "damping_ratio")
    plain: dict[str, Any] = {n: x for n, x in own.items() if n in fields}
    return replace(coupling, leaders=leaders, powers=powers, **plain)


def _actuator(robot: Mechanism, actuator: Actuator, wanted: Mapping[str, float]) -> Actuator:
    own = _of(wanted, device_key(robot, actuator.name))
    changed: dict[str, Any] = {n: x for n, x in own.items() if n in actuator_numbers(actuator)}
    changed |= _part(actuator, "friction_model", own)
    supply = getattr(actuator, "supply", None)
    if supply is not None and (numbers := _of(wanted, supply_key(supply))):
        changed["supply"] = replace(supply, **numbers)
    return replace(actuator, **changed) if changed else actuator


def _transmission(robot: Mechanism, t: Transmission, wanted: Mapping[str, float]) -> Transmission:
    if t.map is None:
        return t
    own = _of(wanted, device_key(robot, t.name))
    numbers = {n: x for n, x in own.items() if n in parameter_quantities(t.map)}
    changed: dict[str, Any] = {"map": with_values(t.map, numbers)} if numbers else {}
    own = _of(wanted, losses_key(robot, t))
    lost: dict[str, Any] = {n: x for n, x in own.items() if n in parameter_quantities(t.losses) and n not in numbers}
    if lost := lost | _part(t.losses, "friction_model", own):
        changed["losses"] = replace(t.losses, **lost)
    play: dict[str, Any] = {**_of(own, "backlash"), **_of(own, "elasticity"), **_part(t.backlash, "hysteresis", own)}
    if t.backlash is not None and play:
        changed["backlash"] = replace(t.backlash, **play)
    return replace(t, **changed) if changed else t
