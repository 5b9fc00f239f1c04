"""Inputs of sensors: positions and velocities of joints, or of actuators' own axes."""

from __future__ import annotations

from collections.abc import Mapping

from gearwright.dynamics.actuation.gears import ActuatorAxis, axis_of, transmission_gears
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.sensing.sensors import Sensing
from gearwright.dynamics.tree.reduction import TreeState
from gearwright.errors import CompileError
from gearwright.model import AxisRef, CustomTransmission, Encoder, Mechanism, Sensor
from gearwright.model.sensors.contact_sensor import ContactSensor

BODY = ("x", "y", "z", "x", "y", "z")  # what a sensor of a wrench or a link reads: two vectors
TOUCH = ("sum", "x", "y", "z")  # what a contact sensor reads: the sum of normal forces, and the force
SensorInputs = dict[str, tuple[list[Scalar], list[Scalar]]]  # sensor → positions and velocities


def watched(mechanism: Mechanism, sensor: Sensor) -> tuple[tuple[str, ...], tuple[AxisRef, ...]]:
    """The actuators, or else the joint axes, that a sensor reads.

    Through a transmission: all actuators of it, or all joints with `side="joint"`, unless one is named.
    """
    if reads_body(sensor):
        return (), ()
    if sensor.joint is not None:
        return (), (sensor.joint,)
    if sensor.actuator is not None:
        return (sensor.actuator,), ()
    assert sensor.transmission is not None
    t = mechanism.transmissions[sensor.transmission]
    return ((), t.joints) if sensor.side == "joint" else (t.actuators, ())


def entries(mechanism: Mechanism) -> dict[str, tuple[str, ...]]:
    """By sensor, what each of its numbers reads."""
    found = {}
    for name, sensor in mechanism.sensors.items():
        actuators, axes = watched(mechanism, sensor)
        body = TOUCH if isinstance(sensor, ContactSensor) else BODY
        found[name] = body if reads_body(sensor) else (*actuators, *map(str, axes))
    return found


def sensing(mechanism: Mechanism, dt: float) -> Sensing:
    """The sensors of a mechanism, sampled every so many steps of dt."""
    each = entries(mechanism)
    lengths = []
    for name, own in each.items():
        if reads_body(mechanism.sensors[name]):
            continue
        actuators, axes = watched(mechanism, mechanism.sensors[name])
        straight = [*map(mechanism.pushes, actuators), *map(mechanism.slides, axes)]
        readings = [name] if len(own) == 1 else [f"{name}.{i}" for i in range(len(own))]
        lengths += [reading for reading, is_length in zip(readings, straight, strict=True) if is_length]
    return Sensing(mechanism.sensors, {name: len(own) for name, own in each.items()}, dt, lengths=lengths)


def sensor_inputs(
    mechanism: Mechanism, shafts: Mapping[str, ActuatorAxis], tree: TreeState,
    values: Mapping[str, Scalar], body: Mapping[str, list[Scalar]],
) -> SensorInputs:  # fmt: skip
    """At the instant of the tree; `shafts` are the actuators' own axes, `body` what sensors of bodies read."""
    found: SensorInputs = {}
    for name, sensor in mechanism.sensors.items():
        if name in body:
            found[name] = (body[name], [0.0] * len(body[name]))
            continue
        actuators, axes = watched(mechanism, sensor)
        across = shafts if sensor.transmission is None else _across(mechanism, sensor, shafts, tree, values)
        for a in actuators:
            if a not in across:
                raise CompileError(f"sensor {name!r} reads actuator {a!r}, which is not connected to any joint")
        seen = [across[a] for a in actuators]
        _check_positions(mechanism, sensor, actuators)
        along = [axis_of(mechanism, ref, name) for ref in axes]
        found[name] = (
            [*(s.position for s in seen), *(tree.q[i] for i, _ in along)],
            [*(s.speed for s in seen), *(tree.v[k] for _, k in along)],
        )
    return found


def _across(
    mechanism: Mechanism, sensor: Sensor, shafts: Mapping[str, ActuatorAxis], tree: TreeState,
    values: Mapping[str, Scalar],
) -> Mapping[str, ActuatorAxis]:  # fmt: skip
    """The actuators' side of a sensor's transmission. One that does not drive is still a gear to read through."""
    assert sensor.transmission is not None
    t = mechanism.transmissions[sensor.transmission]
    if t.map is None or all(mechanism.acting.get(a, t) is t for a in t.actuators):
        return shafts
    each = transmission_gears(mechanism, t, values)
    return {a: gear.seen(tree, 0.0) for a, gear in zip(t.actuators, each, strict=True)}


def _check_positions(mechanism: Mechanism, sensor: Sensor, actuators: tuple[str, ...]) -> None:
    """A transmission that is a function of efforts says nothing of where its actuators are."""
    if isinstance(sensor, Encoder) and sensor.type == "velocity":
        return
    for a in actuators:
        t = mechanism.transmissions[sensor.transmission] if sensor.transmission else mechanism.acting.get(a)
        m = None if t is None else t.map
        if t is not None and isinstance(m, CustomTransmission) and m.effort is not None:
            raise CompileError(
                f"sensor {sensor.name!r} reads a position through {t.name!r}, which is a function of efforts and has "
                "none: give it as position(q), or read <side>joint</side>"
            )


def reads_body(sensor: Sensor) -> bool:
    """Whether it reads six numbers of a joint's wrench or of a link's motion."""
    return sensor.reaction is not None or sensor.link is not None
