"""Rotors with coordinates of their own: a link that spins on the motor's axis, fixed to what carries the motor.

A rotor is an inertia in actuator space unless the file says `<rotor>body</rotor>`, which adds its gyroscopic torque, or
its transmission has play, in which it moves freely, or leads its joints (`joint = g(actuator)`: a crank). In all three
cases it becomes a link and a joint, both `motor.rotor`. It follows the joints exactly by a coupling, or loosely through
the play (`dynamics.backlash`), or the joints follow it, so that a crank turns through its dead points.

The actuator keeps its `rotor_inertia`, from which the link's follows: `rotor_numbers`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.actuators import Actuator
from gearwright.model.couplings import Coupling, Couplings, Term, Through
from gearwright.model.joints import Axis, AxisRef, Joint
from gearwright.model.layout.layout import rotor_axis, rotor_name
from gearwright.model.links import Link
from gearwright.model.mass.inertia import Inertia
from gearwright.model.mass.rotor_numbers import tensor_about
from gearwright.model.mechanism import Mechanism
from gearwright.model.transmissions import Backlash, LinearTransmission, Transmission
from gearwright.model.transmissions.leading import leading_transmissions, start_of


class Rotor(NamedTuple):
    """An actuator that turns a body of its own, and how that is tied to the joints."""

    actuator: Actuator
    transmission: Transmission | None
    place: int  # of the actuator in its transmission

    @property
    def name(self) -> str:
        return rotor_name(self.actuator.name)

    @property
    def beside(self) -> AxisRef:
        """The joint axis on whose parent link, and along which, it is mounted."""
        if self.transmission is None:
            assert self.actuator.joint is not None
            return self.actuator.joint
        return self.transmission.joints[min(self.place, len(self.transmission.joints) - 1)]

    @property
    def body(self) -> bool:
        """Whether its inertia is a body's; otherwise it stays the actuator's, and has no gyroscopic torque."""
        return self.actuator.rotor == "body" or self.backlash is not None

    @property
    def backlash(self) -> Backlash | None:
        return None if self.transmission is None else self.transmission.backlash


def rotors(mechanism: Mechanism) -> Iterator[Rotor]:
    """Those that have coordinates of their own."""
    leading = {t.name for t in leading_transmissions(mechanism)}
    for a in mechanism.actuators.values():
        if a.joint == rotor_axis(a.name):
            continue  # it turns one already
        t = mechanism.acting.get(a.name)
        if t is not None:
            if a.rotor == "body" or t.backlash is not None or t.name in leading:
                yield Rotor(a, t, t.actuators.index(a.name))
        elif a.rotor == "body" and a.joint is not None:
            yield Rotor(a, None, 0)


def with_rotors(mechanism: Mechanism) -> Mechanism:
    """A copy in which every rotor with a coordinate of its own is a link."""
    found = list(rotors(mechanism))
    if not found:
        return mechanism
    links, joints = dict(mechanism.links), dict(mechanism.joints)
    leading = leading_transmissions(mechanism)
    actuators, couplings = dict(mechanism.actuators), list(mechanism.couplings.values())
    for r in found:
        links[r.name], joints[r.name] = _link(r, mechanism), _joint(r, mechanism)
        kind: Literal["reflected", "body"] = "body" if r.body else "reflected"
        actuators[r.actuator.name] = replace(r.actuator, joint=rotor_axis(r.actuator.name), rotor=kind)
        if r.backlash is None and (r.transmission is None or r.transmission not in leading):
            couplings.append(_coupling(r))
    couplings += [c for t in leading for c in _led(t)]
    initial = dict(mechanism.initial) | _starts(mechanism, leading)
    return replace(
        mechanism, links=links, joints=joints, actuators=actuators, couplings=Couplings(couplings), initial=initial
    )


def _led(t: Transmission) -> Iterator[Coupling]:
    """Each of its joints follows its rotors."""
    assert t.map is not None
    leaders = tuple(Term(rotor_axis(a), 1.0) for a in t.actuators)
    for place, axis in enumerate(t.joints):
        yield Coupling(
            name=f"{t.name}.{axis}", follower=axis, leaders=leaders, through=Through(t.name, t.map, place),
            source=t.source,
        )  # fmt: skip


def _starts(mechanism: Mechanism, leading: Sequence[Transmission]) -> dict[str, tuple[float, ...]]:
    """Where rotors stand when their joints stand at the start; zero where they cannot."""
    found: dict[str, tuple[float, ...]] = {}
    for t in leading:
        assert t.map is not None
        try:
            a = np.atleast_1d(t.map.joint_to_actuator_position(start_of(mechanism, t)))
        except ModelError:
            continue
        found |= {rotor_name(name): (float(x),) for name, x in zip(t.actuators, a, strict=True)}
    return found


def _pushes(r: Rotor, mechanism: Mechanism) -> bool:
    """Whether it moves along a line: on a sliding joint without gears between."""
    return r.transmission is None and mechanism.slides(r.beside)


def _link(r: Rotor, mechanism: Mechanism) -> Link:
    inertia = r.actuator.rotor_inertia
    if not r.body:
        return Link(name=r.name, inertia=Inertia(mass=0.0))
    if not inertia > 0:
        what = "a rotor that is a body" if r.backlash is None else "a motor with backlash behind it"
        raise ModelError(f"actuator {r.actuator.name!r}: {what} needs <rotor_inertia>")
    if _pushes(r, mechanism):
        return Link(name=r.name, inertia=Inertia(mass=inertia))
    xx, yy, zz, xy, xz, yz = tensor_about(_axis(r, mechanism).xyz, inertia)
    about = Inertia(mass=0.0, moments=(xx, yy, zz), products=(xy, xz, yz))
    return Link(name=r.name, inertia=about)  # its weight, and what it is about other axes, are its housing's


def _axis(r: Rotor, mechanism: Mechanism) -> Axis:
    return mechanism.joint(r.beside.joint).axes[r.beside.index]


def _joint(r: Rotor, mechanism: Mechanism) -> Joint:
    beside = mechanism.joint(r.beside.joint)
    kind = "prismatic" if _pushes(r, mechanism) else "continuous"
    axes = (Axis(xyz=_axis(r, mechanism).xyz),)
    return Joint(name=r.name, kind=kind, parent=beside.parent, child=r.name, X_PJ=beside.X_PJ, axes=axes)


def _coupling(r: Rotor) -> Coupling:
    """The rotor follows the joints through the transmission."""
    follower = rotor_axis(r.actuator.name)
    if r.transmission is None:
        return Coupling(name=r.name, follower=follower, leaders=(Term(r.beside, 1.0),))
    m = r.transmission.map
    if not isinstance(m, LinearTransmission):
        raise ModelError(
            f"actuator {r.actuator.name!r}: a rotor that is a body needs constant ratios, which "
            f"transmission {r.transmission.name!r} does not have; use <rotor>reflected</rotor>"
        )
    row = m.actuator_per_joint[r.place]
    terms = tuple(Term(axis, float(x)) for axis, x in zip(r.transmission.joints, row, strict=True) if x)
    offset = float(-(row @ m.position_offset))
    return Coupling(name=r.name, follower=follower, leaders=terms, offset=offset)
