"""Copies of a mechanism in which parts have other names, wherever they are named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from gearwright.model.couplings import Coupling, Couplings
from gearwright.model.hardware.hardware import Component, Hardware
from gearwright.model.joints import WORLD, AxisRef, Joint
from gearwright.model.mechanism import Link, Mechanism, NamedFrame
from gearwright.model.sensors.sensors import Sensor
from gearwright.model.transmissions import Transmission

Renamed = Callable[[str], str]
_T = TypeVar("_T")
ENDS = (".role", ".mechanical_reduction", ".offset", ".read_only")  # of a transmission's parameters, after a name


def _same(name: str) -> str:
    return name


@dataclass(frozen=True, kw_only=True)
class Renaming:
    """The new name of each kind of part."""

    link: Renamed = field(default=_same)
    joint: Renamed = field(default=_same)
    other: Renamed = field(default=_same)  # transmissions, actuators, sensors, tags, frames, couplings of their own

    def apply(self, m: Mechanism) -> Mechanism:
        actuator_or_joint = {**{n: self.joint(n) for n in m.joints}, **{n: self.other(n) for n in m.actuators}}
        return replace(
            m,
            links=self._named({n: self._link(x) for n, x in m.links.items()}),
            joints=self._named({n: self._joint(x) for n, x in m.joints.items()}),
            bases=self._named({n: self._joint(x) for n, x in m.bases.items()}),
            couplings=Couplings(self._coupling(c) for c in m.couplings.values()),
            transmissions=self._named(
                {n: self._transmission(t, actuator_or_joint) for n, t in m.transmissions.items()}
            ),
            actuators=self._named(
                {n: replace(a, name=self.other(n), joint=self._axis(a.joint)) for n, a in m.actuators.items()}
            ),
            sensors=self._named({n: self._sensor(s) for n, s in m.sensors.items()}),
            hardware=self._named({n: self._hardware(h) for n, h in m.hardware.items()}),
            frames=self._named({n: self._frame(f) for n, f in m.frames.items()}),
            cut=tuple(map(self.joint, m.cut)),
            initial={self.joint(n): q for n, q in m.initial.items()},
            contradicted=tuple(map(self.joint, m.contradicted)),
            self_collide=tuple(map(self.link, m.self_collide)),
            no_contact=tuple((self._end(a), self._end(b)) for a, b in m.no_contact),
            contacts=tuple(
                replace(c, a=replace(c.a, link=self._end(c.a.link)), b=replace(c.b, link=self._end(c.b.link)))
                for c in m.contacts
            ),
        )  # fmt: skip

    @staticmethod
    def _named(parts: Mapping[str, _T]) -> dict[str, _T]:
        return {part.name: part for part in parts.values()}  # type: ignore[attr-defined]

    def _end(self, link: str) -> str:
        return link if link == WORLD else self.link(link)

    def _axis(self, axis: AxisRef | None) -> AxisRef | None:
        return None if axis is None else AxisRef(self.joint(axis.joint), axis.index)

    def _link(self, link: Link) -> Link:
        same_as = None if link.same_as is None else self.link(link.same_as)
        return replace(link, name=self._end(link.name), same_as=same_as)

    def _joint(self, j: Joint) -> Joint:
        return replace(j, name=self.joint(j.name), parent=self._end(j.parent), child=self._end(j.child))

    def _coupling(self, c: Coupling) -> Coupling:
        follower = AxisRef(self.joint(c.follower.joint), c.follower.index)
        leaders = tuple(t._replace(axis=AxisRef(self.joint(t.axis.joint), t.axis.index)) for t in c.leaders)
        through = None if c.through is None else c.through._replace(transmission=self.other(c.through.transmission))
        own = {str(c.follower): str(follower)}  # a mimic has its follower's name
        name = own.get(c.name) or self.other(c.name)
        alias = None if c.alias is None else own.get(c.alias) or self.other(c.alias)
        return replace(c, name=name, alias=alias, follower=follower, leaders=leaders, through=through)

    def _transmission(self, t: Transmission, ends: Mapping[str, str]) -> Transmission:
        joints = tuple(AxisRef(self.joint(a.joint), a.index) for a in t.joints)
        said = {self._end_of(name, ends): text for name, text in t.parameters.items()}
        actuators = tuple(map(self.other, t.actuators))
        return replace(t, name=self.other(t.name), actuators=actuators, joints=joints, parameters=said)

    @staticmethod
    def _end_of(parameter: str, ends: Mapping[str, str]) -> str:
        name, dot, last = parameter.rpartition(".")
        return f"{ends.get(name, name)}.{last}" if dot and dot + last in ENDS else parameter

    def _sensor(self, s: Sensor) -> Sensor:
        named = {
            "transmission": self.other, "actuator": self.other, "reaction": self.joint, "link": self._end,
        }  # fmt: skip
        given: dict[str, Any] = {k: rename(getattr(s, k)) for k, rename in named.items() if getattr(s, k) is not None}
        return replace(s, name=self.other(s.name), joint=self._axis(s.joint), **given)

    def _hardware(self, h: Hardware) -> Hardware:
        def component(c: Component) -> Component:
            return replace(c, name=self.joint(c.name))

        return replace(
            h, name=self.other(h.name), joints=tuple(map(component, h.joints)),
            transmissions=tuple(map(self.other, h.transmissions)),
            mimic_joints=tuple(
                replace(m, joint=self.joint(m.joint), leader=self.joint(m.leader)) for m in h.mimic_joints
            ),
            limits={self.joint(n): x for n, x in h.limits.items()},
            soft_limits={self.joint(n): x for n, x in h.soft_limits.items()},
        )  # fmt: skip

    def _frame(self, f: NamedFrame) -> NamedFrame:
        return replace(f, name=self.other(f.name), link=self._end(f.link))


def renamed_joints(m: Mechanism, names: Mapping[str, str]) -> Mechanism:
    """A copy in which these joints have other names."""
    return Renaming(joint=lambda n: names.get(n, n)).apply(m)
