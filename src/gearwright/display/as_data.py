"""A mechanism as plain data, for `gearwright show --json`.

The keys are a contract: more may be added, these stay. Units are SI and radians; `null` means no limit.

    schema         1
    name, base     text; base is fixed or floating
    dof, mass      independent degrees of freedom; kg
    links          [{name, mass, parent, joint}]                in the tree; null for a URDF's link "world"
    joints         [{name, kind, parent, child, closes_loop, thread_pitch, damping,
                     axes: [{name, xyz, lower, upper, velocity, effort, damping, friction,
                             friction_model: {field: value}, reflected_inertia}]}]
    couplings      [{name, formula, follower, leaders: [{axis, multiplier}], offset, reference, powers, mode,
                     natural_frequency, damping_ratio, spelling}]
    transmissions  [{name, type, actuators, joints, joint_per_actuator, position_offset, formulas, own: {field: value},
                     losses: {efficiency, friction, damping, efficiency_map, varies, friction_model}}]
                    efficiency: null if it varies
    actuators      [{name, type, joint, command, effort_limit, velocity_limit, rotor_inertia, damping, friction,
                     friction_model,
                     torque_speed: [[speed, torque]], own: {field: value}}]
    actuation      [{actuators, joints, loops, actuator_per_joint, joint_inertia}]   through loops, at the start
    sensors        [{name, kind, transmission, side, actuator, joint, update_rate, latency, …the kind's own}]
    parameters     [{name, value, unit, description, range}]     everything that can be a parameter
    hardware       [{name, type, plugin, joints|sensors|gpios: [{name, commands, states}], transmissions}]
"""

from __future__ import annotations

from dataclasses import fields
from math import isfinite
from typing import Any

from gearwright.display.maps import formulas
from gearwright.display.summary import summary
from gearwright.errors import ModelError
from gearwright.model import (
    Actuator,
    AxisRef,
    Component,
    Coupling,
    Hardware,
    Joint,
    LinearTransmission,
    Losses,
    Mechanism,
    Pose,
    Sensor,
    Transmission,
)
from gearwright.model.fields import meanings
from gearwright.model.parallel import ActuationJacobian, loop_actuation
from gearwright.model.parameters import Parameter

SCHEMA = 1


def as_data(mechanism: Mechanism) -> dict[str, Any]:
    m = mechanism
    counted = summary(m)
    return {
        "schema": SCHEMA,
        "name": m.name,
        "base": counted.base,
        "dof": counted.dof,
        "mass": counted.mass,
        "links": _links(m),
        "joints": _joints(m),
        "couplings": [_coupling(c) for c in m.couplings.values()],
        "transmissions": [_transmission(t) for t in m.transmissions.values()],
        "actuators": [_actuator(a) for a in m.actuators.values()],
        "actuation": [_actuation(J) for J in loop_actuation(m)],
        "sensors": [_sensor(s) for s in m.sensors.values()],
        "parameters": [_parameter(name, p) for name, p in m.parameters.items()],
        "hardware": [_hardware(h) for h in m.hardware.values()],
    }


def finite(x: float | None) -> float | None:
    """JSON has no infinity."""
    return x if x is not None and isfinite(x) else None


def _links(m: Mechanism) -> list[dict[str, Any]]:
    above = {b.link: (b.parent, b.joint.name) for b in m.tree.branches}
    rows = [(name, link.inertia.mass, *above.get(name, (None, None))) for name, link in m.links.items()]
    return [dict(zip(("name", "mass", "parent", "joint"), row, strict=True)) for row in rows]


def _joints(m: Mechanism) -> list[dict[str, Any]]:
    extra, cuts = m.reflected_inertia(), {j.name for j in m.tree.cuts}
    return [_joint(j, j.name in cuts, extra) for j in (*m.bases.values(), *m.joints.values())]


def _joint(j: Joint, closes: bool, extra: dict[AxisRef, float]) -> dict[str, Any]:
    names = j.coordinates if j.refs else [j.name] * len(j.axes)
    axes = [
        {
            "name": name,
            "xyz": list(a.xyz),
            "lower": finite(a.limits.lower),
            "upper": finite(a.limits.upper),
            "velocity": finite(a.limits.velocity),
            "effort": finite(a.limits.effort),
            "damping": a.dynamics.damping,
            "friction": a.dynamics.friction,
            "friction_model": None if a.dynamics.friction_model is None else _own(a.dynamics.friction_model),
            "reflected_inertia": extra.get(j.refs[i], 0.0) if j.refs else 0.0,
        }
        for i, (name, a) in enumerate(zip(names, j.axes, strict=True))
    ]
    return {
        "name": j.name, "kind": j.kind, "parent": j.parent, "child": j.child, "closes_loop": closes,
        "thread_pitch": j.thread_pitch, "damping": j.damping, "axes": axes,
    }  # fmt: skip


def _coupling(c: Coupling) -> dict[str, Any]:
    return {
        "name": c.name, "formula": c.formula, "follower": str(c.follower),
        "leaders": [{"axis": str(t.axis), "multiplier": t.multiplier} for t in c.leaders],
        "offset": c.offset, "reference": c.reference, "powers": list(c.powers), "mode": c.mode,
        "natural_frequency": c.natural_frequency, "damping_ratio": c.damping_ratio, "spelling": c.spelling,
    }  # fmt: skip


def _transmission(t: Transmission) -> dict[str, Any]:
    matrix = offset = None
    if isinstance(t.map, LinearTransmission):
        offset = t.map.position_offset.tolist()
        try:
            matrix = t.map.joint_per_actuator.tolist()
        except ModelError:  # the actuators do not fix the joints
            matrix = None
    return {
        "name": t.name, "type": t.type, "actuators": list(t.actuators), "joints": [str(j) for j in t.joints],
        "joint_per_actuator": matrix, "position_offset": offset, "formulas": formulas(t),
        "own": {} if t.map is None else _own(t.map), "losses": _losses(t.losses),
    }  # fmt: skip


def _losses(losses: Losses) -> dict[str, Any]:
    """No one number says an efficiency that varies."""
    efficiency = None if losses.varies else losses.efficiency
    model = None if losses.friction_model is None else _own(losses.friction_model)
    return _own(losses) | {"efficiency": efficiency, "varies": losses.varies, "friction_model": model}


def _actuator(a: Actuator) -> dict[str, Any]:
    return {
        "name": a.name, "type": a.type, "joint": None if a.joint is None else str(a.joint), "command": a.command,
        "effort_limit": finite(a.effort_limit), "velocity_limit": finite(a.velocity_limit),
        "rotor_inertia": a.rotor_inertia, "damping": a.damping, "friction": a.friction,
        "friction_model": None if a.friction_model is None else _own(a.friction_model),
        "torque_speed": [list(point) for point in a.torque_speed],
        "own": _own(a, Actuator),
    }  # fmt: skip


def _actuation(J: ActuationJacobian) -> dict[str, Any]:
    return {
        "actuators": list(J.actuators), "joints": list(J.joints), "loops": list(J.loops),
        "actuator_per_joint": J.actuator_per_joint.tolist(), "joint_inertia": J.joint_inertia.tolist(),
    }  # fmt: skip


def _own(part: Any, base: type[Any] | None = None) -> dict[str, Any]:
    """The plain values of a kind's own fields."""
    known = {f.name for f in fields(base)} if base is not None else set()
    values = {m.name: getattr(part, m.name) for m in meanings(type(part)) if m.name not in known}
    return {k: finite(v) if isinstance(v, float) else v for k, v in values.items() if _plain(v)}


def _plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_plain, value))
    return value is None or isinstance(value, bool | int | float | str)


def _parameter(name: str, p: Parameter) -> dict[str, Any]:
    return {
        "name": name, "value": finite(p.value), "unit": p.unit, "description": p.doc, "range": p.quantity.range_text,
    }  # fmt: skip


def _sensor(s: Sensor) -> dict[str, Any]:
    values = {f.name: getattr(s, f.name) for f in fields(s) if f.name != "source"}
    values |= {k: finite(v) for k, v in values.items() if isinstance(v, float)}
    values |= {k: v.matrix.tolist() for k, v in values.items() if isinstance(v, Pose)}
    return {**values, "kind": s.kind, "joint": None if s.joint is None else str(s.joint)}


def _hardware(h: Hardware) -> dict[str, Any]:
    def interfaces(components: tuple[Component, ...]) -> list[dict[str, Any]]:
        return [
            {"name": c.name, "commands": [i.name for i in c.commands], "states": [i.name for i in c.states]}
            for c in components
        ]

    return {
        "name": h.name, "type": h.type, "plugin": h.plugin, "joints": interfaces(h.joints),
        "sensors": interfaces(h.sensors), "gpios": interfaces(h.gpios), "transmissions": list(h.transmissions),
    }  # fmt: skip
