"""Copies of a mechanism in which joints have other names, wherever they are named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from gearwright.model.couplings import Coupling, Couplings, Term
from gearwright.model.hardware.hardware import Hardware
from gearwright.model.joints import AxisRef
from gearwright.model.mechanism import Mechanism
from gearwright.model.sensors.sensors import Sensor
from gearwright.model.transmissions import Transmission


def renamed_joints(m: Mechanism, names: Mapping[str, str]) -> Mechanism:
    """Other parts that have one of these names keep it."""

    def joint(name: str) -> str:
        return names.get(name, name)

    def axis(ref: AxisRef) -> AxisRef:
        return AxisRef(joint(ref.joint), ref.index)

    joints = [replace(j, name=joint(j.name)) for j in m.joints.values()]
    bases = [replace(j, name=joint(j.name)) for j in m.bases.values()]
    return replace(
        m, joints={j.name: j for j in joints}, bases={j.name: j for j in bases},
        couplings=Couplings(_coupling(c, axis) for c in m.couplings.values()),
        transmissions={n: _transmission(t, axis) for n, t in m.transmissions.items()},
        actuators={n: a if a.joint is None else replace(a, joint=axis(a.joint)) for n, a in m.actuators.items()},
        sensors={n: _sensor(s, joint, axis) for n, s in m.sensors.items()},
        hardware={n: _hardware(h, joint) for n, h in m.hardware.items()},
        keyframes={
            n: replace(k, position={joint(x): v for x, v in k.position.items()},
                       velocity={joint(x): v for x, v in k.velocity.items()})
            for n, k in m.keyframes.items()
        },
        cut=tuple(map(joint, m.cut)), initial={joint(n): q for n, q in m.initial.items()},
    )  # fmt: skip


def _coupling(c: Coupling, axis: Callable[[AxisRef], AxisRef]) -> Coupling:
    """A mimic has its follower's name."""
    own = {str(c.follower): str(axis(c.follower))}
    leaders = tuple(Term(axis(t.axis), t.multiplier) for t in c.leaders)
    alias = None if c.alias is None else own.get(c.alias, c.alias)
    return replace(c, name=own.get(c.name, c.name), alias=alias, follower=axis(c.follower), leaders=leaders)


def _transmission(t: Transmission, axis: Callable[[AxisRef], AxisRef]) -> Transmission:
    joints = tuple(map(axis, t.joints))
    said = dict(t.parameters)
    for before, after in zip(t.joints, joints, strict=True):
        for name in [n for n in said if n.rpartition(".")[0] == str(before)]:
            said[f"{after}.{name.rpartition('.')[2]}"] = said.pop(name)
    return replace(t, joints=joints, parameters=said)


def _sensor(s: Sensor, joint: Callable[[str], str], axis: Callable[[AxisRef], AxisRef]) -> Sensor:
    reaction = None if s.reaction is None else joint(s.reaction)
    return replace(s, reaction=reaction, joint=None if s.joint is None else axis(s.joint))


def _hardware(h: Hardware, joint: Callable[[str], str]) -> Hardware:
    return replace(
        h, joints=tuple(replace(c, name=joint(c.name)) for c in h.joints),
        mimic_joints=tuple(replace(m, joint=joint(m.joint), leader=joint(m.leader)) for m in h.mimic_joints),
        limits={joint(n): x for n, x in h.limits.items()},
        soft_limits={joint(n): x for n, x in h.soft_limits.items()},
    )  # fmt: skip
