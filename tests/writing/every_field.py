"""A robot for every field of the model: one where it has a value that is not its default, and nothing else differs.

A class or field that is new has no robot here until somebody adds it: the tests say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, replace
from typing import Any

import gearwright as gw
from gearwright.formats.ros2_control.limits import command_limits
from gearwright.model import (
    ACTUATORS,
    SENSORS,
    ActivatedActuator,
    AffineActuator,
    Axis,
    AxisDynamics,
    AxisRef,
    Box,
    Capsule,
    Component,
    Cone,
    Coupling,
    Couplings,
    Cylinder,
    Ellipsoid,
    Encoder,
    Geometry,
    Hardware,
    Inertia,
    Interface,
    Joint,
    Keyframe,
    Limits,
    Link,
    Mechanism,
    Mesh,
    NamedFrame,
    OtherShape,
    PIDActuator,
    Plane,
    Pose,
    SafetyController,
    Sphere,
    Term,
    Transmission,
)
from gearwright.model.actuators.position_servo import PositionServo
from gearwright.model.actuators.supply import Supply
from gearwright.model.fields import Meaning, meanings
from gearwright.model.frictions import FRICTIONS, Dahl, Friction
from gearwright.model.geometry import Heightmap
from gearwright.model.hardware.device_bindings import DeviceBinding
from gearwright.model.sensors.contact_sensor import ContactSensor
from gearwright.model.shapes.surface import Surface
from gearwright.model.transmissions import TRANSMISSIONS, Backlash, ElasticGear, Losses
from tests.model.samples import sample_fields

X = Pose.from_rpy((0.1, -0.2, 0.3), (0.3, -0.2, 0.1))
BODY = Inertia(mass=1.0, moments=(1.0, 1.1, 1.2))
BOX = Geometry(name="box", shape=Box(size=(0.1, 0.2, 0.3)))


def robot(**changes: Any) -> Mechanism:
    """Four links in a row: a fixed base, and three turning joints; one motor behind a gear."""
    links = {n: Link(name=n, inertia=BODY) for n in ("base", "one", "two", "three")}
    joints = {
        n: Joint(name=n, kind="revolute", parent=p, child=c, X_PJ=Pose.from_rpy((0, 0, 0.1), (0, 0, 0)), axes=(Axis(),))
        for n, p, c in (("j1", "base", "one"), ("j2", "one", "two"), ("j3", "two", "three"))
    }
    base = {"base": Joint(name="base", kind="fixed", parent="world", child="base")}
    return Mechanism(**{"name": "robot", "links": links, "joints": joints, "bases": base, **changes})


# --- where a part of each class stands ------------------------------------------------------------------------------


def with_link(link: Link) -> Mechanism:
    return replace(robot(), links={**robot().links, "one": link})


def with_inertia(inertia: Inertia) -> Mechanism:
    return with_link(Link(name="one", inertia=inertia))


def with_collision(g: Geometry) -> Mechanism:
    return with_link(Link(name="one", inertia=BODY, collisions=(g,)))


def with_shape(shape: Any) -> Mechanism:
    return with_collision(Geometry(name="shape", shape=shape))


def with_joint(j: Joint) -> Mechanism:
    return replace(robot(), joints={**robot().joints, j.name: j})


def with_axis(axis: Axis) -> Mechanism:
    return with_joint(replace(robot().joints["j1"], axes=(axis,)))


def with_coupling(c: Coupling) -> Mechanism:
    return replace(robot(), couplings=Couplings([c]))


def with_actuator(a: Any) -> Mechanism:
    return replace(robot(), actuators={a.name: a})


def with_transmission(t: Transmission) -> Mechanism:
    motors = {n: gw.Actuator(name=n) for n in (*t.actuators, "other")}
    return replace(robot(), actuators=motors, transmissions={t.name: t})


def with_map(m: Any) -> Mechanism:
    from gearwright.model.transmissions import type_name, with_own

    motors = tuple(f"m{i + 1}" for i in range(m.actuators))
    axes = tuple(AxisRef(f"j{i + 1}") for i in range(m.joints))
    t = Transmission(name="gear", type=type_name(m), map=m, actuators=motors, joints=axes, losses=with_own(None, m))
    return with_transmission(t)


def with_sensor(s: Any) -> Mechanism:
    made = with_map(gw.SimpleTransmission(reduction=3.0))
    return replace(made, sensors={s.name: s})


def with_hardware(h: Hardware) -> Mechanism:
    """With the limits that a reader derives from joints and interfaces."""
    made = with_map(gw.SimpleTransmission(reduction=3.0))
    limits = {c.name: command_limits(made.joints[c.name], c) for c in h.joints}
    return replace(made, hardware={h.name: replace(h, limits=limits)})


def with_component(c: Component) -> Mechanism:
    return with_hardware(Hardware(name="tag", type="system", plugin="a/B", joints=(c,)))


def with_interface(i: Interface) -> Mechanism:
    return with_component(Component(name="j1", commands=(i,)))


PLACES: dict[type[Any], Callable[[Any], Mechanism]] = {
    Link: with_link,
    Inertia: with_inertia,
    Geometry: with_collision,
    Joint: with_joint,
    Axis: with_axis,
    Limits: lambda x: with_axis(Axis(limits=x)),
    AxisDynamics: lambda x: with_axis(Axis(dynamics=x)),
    SafetyController: lambda x: with_joint(replace(robot().joints["j1"], safety=x)),
    Coupling: with_coupling,
    Transmission: with_transmission,
    Losses: lambda x: with_transmission(replace(TRANSMISSION, losses=x)),
    Backlash: lambda x: with_transmission(replace(TRANSMISSION, backlash=x)),
    ElasticGear: lambda x: with_transmission(replace(TRANSMISSION, backlash=x)),
    NamedFrame: lambda x: replace(robot(), frames={x.name: x}),
    Surface: lambda x: with_collision(replace(BOX, surface=x)),
    DeviceBinding: lambda x: with_actuator(gw.Actuator(name="m", joint="j1", device=x)),
    gw.Imu: with_sensor,
    ContactSensor: with_sensor,
    gw.ForceTorque: with_sensor,
    Hardware: with_hardware,
    Component: with_component,
    Interface: with_interface,
    Mechanism: lambda x: x,
    **dict.fromkeys((Box, Sphere, Cylinder, Capsule, Cone, Ellipsoid, Plane, Mesh, Heightmap, OtherShape), with_shape),
    **dict.fromkeys(ACTUATORS.values(), with_actuator),
    **dict.fromkeys(SENSORS.values(), with_sensor),
    **{kind: lambda x: with_axis(Axis(dynamics=AxisDynamics(friction_model=x))) for kind in FRICTIONS.values()},
    **{kind: with_map for name, kind in TRANSMISSIONS.items() if name != "series"},
}

TRANSMISSION = Transmission(
    name="gear", type="simple", map=gw.SimpleTransmission(reduction=3.0), actuators=("m",), joints=(AxisRef("j1"),)
)
ENCODER = Encoder(name="s", joint=AxisRef("j1"))

# what classes with fields that must be given are made of, before one of them is changed
PLAIN: dict[type[Any], dict[str, Any]] = {
    Link: {"name": "one", "inertia": BODY},
    Inertia: {"mass": 1.0, "moments": (1.0, 1.1, 1.2)},
    Geometry: {"name": "box", "shape": Box(size=(0.1, 0.2, 0.3))},
    Joint: {"name": "j1", "kind": "revolute", "parent": "base", "child": "one", "axes": (Axis(),)},
    Coupling: {"name": "j2", "follower": AxisRef("j2"), "leaders": (Term(AxisRef("j1"), 2.0),)},
    Transmission: {f.name: getattr(TRANSMISSION, f.name) for f in fields(TRANSMISSION) if f.name != "source"},
    Backlash: {"gap": 0.1, "stiffness": 10.0},
    ElasticGear: {"stiffness": 10.0},
    NamedFrame: {"name": "frame", "link": "one"},
    DeviceBinding: {"protocol": "cia402"},
    gw.Imu: {"name": "s", "link": "one"},
    ContactSensor: {"name": "s", "link": "one"},
    gw.ForceTorque: {"name": "s", "reaction": "j1"},
    Hardware: {"name": "tag", "type": "system", "plugin": "a/B", "joints": (Component(name="j1"),)},
    Component: {"name": "j1"},
    Interface: {"name": "position"},
    Box: {"size": (0.1, 0.2, 0.3)},
    Sphere: {"radius": 0.1},
    Cylinder: {"radius": 0.1, "length": 0.2},
    Capsule: {"radius": 0.1, "length": 0.2},
    Cone: {"radius": 0.1, "length": 0.2},
    Ellipsoid: {"radii": (0.1, 0.2, 0.3)},
    Mesh: {"uri": "a.stl"},
    OtherShape: {"kind": "polyline"},
    Heightmap: {"uri": "a.png"},
    gw.Solenoid: {"force_stroke": ((0.0, 1.0), (1.0, 0.5))},
    gw.PneumaticCylinder: {"bore_area": 1.0, "supply_pressure": 2.0, "time_constant": 3.0},
    PIDActuator: {"stiffness": 5.0, "command": "position"},
    PositionServo: {"resistance": 1.0, "torque_constant": 0.5, "position_gain": 10.0},
    gw.DCMotor: {"resistance": 1.0, "torque_constant": 0.5},
    **{kind: sample_fields(FRICTIONS, row) for row, kind in FRICTIONS.items()},
    Friction: {"kinetic": 0.5},
    gw.FourBarLinkage: {"ground": 1.0, "input": 0.4, "coupler": 0.9, "output": 0.8},
    gw.LinearMap: {"matrix": ((2.0, 0.5), (0.0, 1.0))},
    Mechanism: {f.name: getattr(robot(), f.name) for f in fields(Mechanism)},
}

AFFINE = (AffineActuator, ActivatedActuator, PIDActuator)
UPPER, LOWER = ([f"{n}_{end}" for n in ("command", "effort", "activation", "position")] for end in ("upper", "lower"))

# values that no rule by type finds, and what else has to be said with them
OTHER: dict[tuple[type[Any], str], dict[str, Any]] = {
    (Link, "inertia"): {"inertia": Inertia(mass=2.0, moments=(1.0, 1.0, 1.0))},
    (Link, "visuals"): {"visuals": (BOX,)},
    (Link, "collisions"): {"collisions": (BOX,)},
    (Geometry, "shape"): {"shape": Sphere(radius=0.1)},
    (Geometry, "rgba"): {"rgba": (0.1, 0.2, 0.3, 0.4)},
    (Geometry, "surface"): {"surface": Surface(friction=0.5)},
    (Inertia, "products"): {"products": (0.01, 0.02, 0.03)},
    (Inertia, "moments"): {"moments": (1.5, 1.6, 1.7)},
    (Joint, "kind"): {"kind": "prismatic"},
    (Joint, "parent"): {"parent": "world"},
    (Joint, "axes"): {"axes": (Axis(xyz=(0.0, 1.0, 0.0)),)},
    (Joint, "safety"): {"safety": SafetyController(k_velocity=2.0)},
    (Joint, "thread_pitch"): {"kind": "screw", "thread_pitch": 0.004},
    (Joint, "damping"): {"kind": "ball", "axes": (), "damping": 0.3},
    (Axis, "xyz"): {"xyz": (0.6, 0.8, 0.0)},
    (Axis, "limits"): {"limits": Limits(lower=-1.0)},
    (Axis, "dynamics"): {"dynamics": AxisDynamics(damping=0.5)},
    (AxisDynamics, "friction_model"): {"friction_model": Dahl(coulomb=1.0, stiffness=10.0)},
    **{
        (Friction, n): {n: 0.5, "static": 1.0, "load": 0.1, "stribeck_load": 0.2}
        for n in ("stribeck_speed", "stribeck_exponent")
    },
    **{
        (Friction, n): {n: 0.5, "stribeck_speed": 1.0}
        for n in ("static", "stribeck_load", "stribeck_motor_load", "stribeck_external_load")
    },
    (Limits, "lower"): {"lower": -0.5},
    (Coupling, "name"): {"name": "other", "alias": "j2"},
    (Coupling, "follower"): {"name": "j3", "follower": AxisRef("j3")},
    (Coupling, "leaders"): {"leaders": (Term(AxisRef("j1"), 2.0), Term(AxisRef("j3"), -1.0))},
    (Coupling, "powers"): {"powers": (0.5, 0.25)},
    (Coupling, "mode"): {"mode": "hard"},
    (Coupling, "natural_frequency"): {"mode": "compliant", "natural_frequency": 30.0, "damping_ratio": 1.0},
    (Coupling, "damping_ratio"): {"mode": "compliant", "natural_frequency": 20.0, "damping_ratio": 0.5},
    (Coupling, "erp"): {"mode": "hard", "erp": 0.5},
    (Coupling, "alias"): {"name": "other", "alias": "third"},
    (Transmission, "map"): {"map": gw.SimpleTransmission(reduction=5.0)},
    (Transmission, "type"): {"type": "pr2/Special", "map": None},
    (Transmission, "actuators"): {"actuators": ("other",)},
    (Transmission, "joints"): {"joints": (AxisRef("j2"),)},
    (Transmission, "losses"): {"losses": Losses(efficiency=0.8)},
    (Transmission, "backlash"): {"backlash": Backlash(gap=0.1, stiffness=10.0)},
    (Transmission, "parameters"): {"parameters": {"some": "thing"}},
    (Losses, "efficiency_map"): {"efficiency_map": ((1.0, 1.0, 0.8), (2.0, 1.0, 0.9))},
    (ElasticGear, "gap"): {},
    (ElasticGear, "hysteresis"): {"hysteresis": Dahl(coulomb=1.0, stiffness=10.0)},
    (NamedFrame, "link"): {"link": "two"},
    (DeviceBinding, "protocol"): {"protocol": "moteus"},
    (DeviceBinding, "options"): {"options": (("a", "b"),)},
    (Hardware, "parameters"): {"parameters": {"a": "b"}},
    (Hardware, "joints"): {"joints": (Component(name="j2"),)},
    (Hardware, "sensors"): {"sensors": (Component(name="tcp"),)},
    (Hardware, "gpios"): {"gpios": (Component(name="io"),)},
    (Hardware, "transmissions"): {"transmissions": ("gear",)},
    (Hardware, "type"): {"type": "actuator"},
    (Hardware, "async_parameters"): {"async_parameters": {"thread_priority": "50"}, "is_async": True},
    (Hardware, "limits"): {},
    (Hardware, "soft_limits"): {},
    (Hardware, "mimic_joints"): {},
    (Component, "name"): {"name": "j2"},
    (Component, "commands"): {"commands": (Interface(name="effort"),)},
    (Component, "states"): {"states": (Interface(name="effort"),)},
    (Component, "parameters"): {"parameters": {"a": "b"}},
    (Component, "mimic"): {"mimic": False},
    (Interface, "parameters"): {"parameters": {"min": "-1", "data_type": "bool"}},
    (Mesh, "scale"): {"scale": (1.0, 2.0, 3.0)},
    (Plane, "normal"): {"normal": (0.0, 1.0, 0.0)},
    (gw.Imu, "link"): {"link": "two"},
    (ContactSensor, "link"): {"link": "two"},
    (ContactSensor, "shapes"): {"shapes": ("some", "others")},
    (gw.ForceTorque, "reaction"): {"reaction": "j2"},
    (gw.ForceTorque, "frame"): {"frame": "sensor", "pose": X},
    (gw.ForceTorque, "direction"): {"direction": "parent_to_child"},
    (gw.FourBarLinkage, "input_branch"): {"input_branch": -1},
    (gw.FourBarLinkage, "branch"): {"branch": -1},
    (gw.LinearMap, "lower"): {"lower": (-1.0, -2.0)},
    (gw.LinearMap, "upper"): {"upper": (1.0, 2.0)},
    (gw.LinearMap, "actuator_offsets"): {"actuator_offsets": (1.0, 2.0)},
    (gw.LinearMap, "joint_offsets"): {"joint_offsets": (1.0, 2.0)},
    (gw.LinearMap, "matrix"): {"matrix": ((3.0, 0.5), (0.0, 1.0))},
    (Mechanism, "keyframes"): {
        "keyframes": {"home": Keyframe(name="home", position={"j1": (0.5,)}, velocity={"j2": (0.1,)})}
    },
    (PIDActuator, "command"): {"command": "position", "damping": 0.5},
    (PIDActuator, "stiffness"): {"stiffness": 7.0},
    (PIDActuator, "damping_gain"): {"damping_gain": 3.0},
    **{(kind, n): {n: 0.5} for kind in AFFINE for n in UPPER},
    **{(kind, n): {n: -0.5} for kind in AFFINE for n in LOWER},
    (ActivatedActuator, "dynamics"): {"dynamics": "integrator"},
    (PositionServo, "damping_gain"): {"damping_gain": 3.0},
    (PositionServo, "supply"): {"supply": Supply(name="battery", voltage=12.0, resistance=0.1)},
    (PositionServo, "command"): {"command": "position", "damping": 0.5},
    (gw.ElectricMotor, "stall_torque"): {"stall_torque": 2.0, "no_load_speed": 30.0},
    (gw.ElectricMotor, "no_load_speed"): {"stall_torque": 2.0, "no_load_speed": 40.0},
    (gw.ElectricMotor, "curve"): {"curve": ((0.0, 2.0), (10.0, 0.5))},
    (gw.Solenoid, "force_stroke"): {"force_stroke": ((0.0, 1.0), (1.0, 0.25))},
    (Mechanism, "name"): {"name": "other"},
    (Mechanism, "gravity"): {"gravity": (0.0, 1.0, -3.7)},
    (Mechanism, "frames"): {"frames": {"f": NamedFrame(name="f", link="two", X_LF=X)}},
    (Mechanism, "couplings"): {
        "couplings": Couplings([Coupling(name="j2", follower=AxisRef("j2"), leaders=(Term(AxisRef("j1"), 2.0),))])
    },
    (Mechanism, "actuators"): {"actuators": {"m": gw.Actuator(name="m", joint=AxisRef("j1"))}},
    (Mechanism, "sensors"): {"sensors": {"s": ENCODER}},
    (Mechanism, "initial"): {"initial": {"j1": (0.25,)}},
    (Mechanism, "cut"): {
        "cut": ("pin",),
        "joints": {
            **robot().joints,
            "pin": Joint(
                name="pin", kind="fixed", parent="base", child="three", X_PJ=Pose.from_rpy((0, 0, 0.3), (0, 0, 0))
            ),
        },
    },
    (Mechanism, "self_collide"): {"self_collide": ("one",)},
    (Mechanism, "no_contact"): {"no_contact": (("one", "two"),)},
    (Mechanism, "bases"): {"bases": {"base": Joint(name="base", kind="floating", parent="world", child="base")}},
}

# fields that no file has to hold
NOT_WRITTEN = {
    "search_path": "where files are looked for",
    "source": "where in a file a part was",
    "reported": "what was found while a file was read",
    "spelling": "how a file wrote a coupling",
    "through": "a map that a transmission has, made when equations are",
    "own": "the map itself, asked for its efficiency",
    "share": "of a link that a loop is cut through, made by the tree",
    "same_as": "as `share`",
    "contradicted": "what a copy has left out",
    "contacts": "found when a robot is compiled",
    "links": "each of them is a case",
    "joints": "each of them is a case",
    "hardware": "each of them is a case",
    "transmissions": "each of them is a case",
    "limits of a tag": "of its joints",
    "child": "a joint's end, as its parent",
}
DERIVED = {(Hardware, "limits"), (Hardware, "soft_limits"), (Hardware, "mimic_joints")}  # of its joints, by the reader
ONE_OF_TWO = {"transmission", "actuator", "joint", "reaction", "link"}  # what a sensor reads: a case for each below


def variants() -> Iterator[tuple[type[Any], str, Mechanism]]:
    """(class, field, robot) for each field of each class."""
    for kind in PLACES:
        for m in meanings(kind):
            if m.name in NOT_WRITTEN and (kind, m.name) not in OTHER:
                continue
            if (kind, m.name) in DERIVED or not m.field.init:
                continue
            try:
                made = variant(kind, m)
            except Exception as error:
                raise AssertionError(f"no robot for {kind.__name__}.{m.name}: {error}") from error
            if made is not None:
                yield kind, m.name, made


def variant(kind: type[Any], m: Meaning) -> Mechanism | None:
    plain = dict(PLAIN.get(kind, {})) or ({"name": "a"} if "name" in {x.name for x in meanings(kind)} else {})
    if issubclass(kind, gw.Actuator):
        plain = {"name": "m", "joint": AxisRef("j1"), **PLAIN.get(kind, {})}
    if kind in SENSORS.values():
        plain = {"name": "s", "joint": AxisRef("j1")}
    changed = OTHER.get((kind, m.name))
    changed = special(kind, m) if changed is None else changed
    changed = by_type(kind, m, plain) if changed is None else changed
    if not changed:
        return None
    return PLACES[kind](kind(**{**plain, **changed}))


def special(kind: type[Any], m: Meaning) -> dict[str, Any] | None:
    """Fields that many classes have."""
    if m.name == "name":
        return {"name": "one" if kind is Link else "j1" if kind is Joint else "named otherwise"}
    if m.name == "friction_model":
        return {m.name: Dahl(coulomb=1.0, stiffness=10.0)}
    if m.name in ("pose", "X_PJ", "X_LF", "X_CJ"):
        return {m.name: X}
    if issubclass(kind, gw.Actuator):
        drives = {
            "command": {"command": "velocity", "damping_gain": 2.0},
            "rotor": {"rotor": "body", "rotor_inertia": 0.01},
            "joint": {"joint": AxisRef("j2")},
            "device": {"device": DeviceBinding(protocol="cia402", node=3)},
            "stiffness": {"command": "position", "stiffness": 7.0},
            "damping_gain": {"command": "velocity", "damping_gain": 3.0},
        }
        if m.name == "command" and kind.commands == ("effort",):
            return {"damping": 0.5}
        if m.name in ("stiffness", "damping_gain") and "position" not in kind.commands:
            return {m.name: 3.0}
        return drives.get(m.name)
    if kind in SENSORS.values() or kind in (gw.Imu, gw.ForceTorque, ContactSensor):
        reads = {
            "joint": {"joint": AxisRef("j2")},
            "actuator": {"joint": None, "actuator": "m1"},
            "transmission": {"joint": None, "transmission": "gear"},
            "side": {"joint": None, "transmission": "gear", "side": "joint"},
            "reaction": {},
            "link": {},
            "offset": {"offset": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)},
            "noise": {"noise": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)},
            "seed": {"seed": 7},
            "wrap": {"wrap": True, "resolution": 8.0},
            "index": {"index": True, "resolution": 8.0},
        }
        if kind not in (gw.Imu, gw.ForceTorque, ContactSensor):
            for own in ("offset", "noise"):
                reads.pop(own)
            return reads.get(m.name)
        return {} if m.name in ("joint", "actuator", "transmission", "side") else reads.get(m.name)
    return None


def accepted(kind: type[Any], fields: dict[str, Any]) -> bool:
    """Whether the rules between its fields allow these."""
    try:
        kind(**fields)
    except gw.ModelError:
        return False
    return True


def by_type(kind: type[Any], m: Meaning, plain: dict[str, Any]) -> dict[str, Any]:
    """A valid value that is not the default."""
    q, default = m.quantity, plain.get(m.name, m.field.default)
    known = default if default is not MISSING else None
    if q.choices or m.form == "choice":
        return {m.name: next(c for c in q.choices if c != known)}
    if m.form == "truth":
        return {m.name: not known}
    if m.form == "text":
        return {m.name: "some text"}
    if m.form == "number":
        low, high = max(q.at_least or 0.0, q.above or 0.0), q.at_most if q.at_most is not None else 2.0
        tried = [{m.name: x} for x in (0.75 * high + 0.25 * low, 0.5 * high, 0.25 * high) if x != known]
        return next((x for x in tried if accepted(kind, {**plain, **x})), tried[0])
    if m.form == "whole":
        return {m.name: 3}
    if q.table and known:
        *others, (*row, last) = known
        return {m.name: (*others, (*row, 0.5 * last))}
    if m.form == "numbers":
        return {m.name: tuple(0.5 + 0.25 * i for i in range(len(known or (0, 0, 0))))}
    if m.name == "node":
        return {m.name: 5}
    raise AssertionError(f"every_field.py has no value for the field {m.name!r} ({m.type}): add one to OTHER")
