"""<sensor> of SDFormat: force-torque sensors of joints, and IMUs of links. Others are left to other programs."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from gearwright.formats.draft import Draft
from gearwright.formats.sdf.scope import Scope, pose_on
from gearwright.formats.xml.located_xml import Element
from gearwright.model import BodySensor, ForceTorque, Imu, Sensor
from gearwright.model.sensors.contact_sensor import ContactSensor

LEFT = "sensors other than encoders, force_torque, imu and contact"


def read_link_sensors(e: Element, name: str, scope: Scope, draft: Draft) -> None:
    """Sensors of a link, by its name in the scope."""
    for s in e.all("sensor"):
        _read(s, name, scope, draft, OF_LINKS.get(_type(s)))


def read_joint_sensors(e: Element, name: str, scope: Scope, draft: Draft) -> None:
    """Sensors of a joint, by its name in the scope."""
    for s in e.all("sensor"):
        _read(s, name, scope, draft, ForceTorque if _type(s) == "force_torque" else None)


def read_body_sensor(e: Element, name: str, scope: Scope, draft: Draft) -> None:
    """A sensor that stands apart from its link or joint, by its type."""
    kinds: dict[str, type[Sensor]] = {kind.kind: kind for kind in READ}
    _read(e, name, scope, draft, kinds.get(_type(e)))


def _read(s: Element, owner: str, scope: Scope, draft: Draft, kind: type[Sensor] | None) -> None:
    """One that cannot be read is left out: it does not touch the mechanism."""
    made = None
    if kind is not None:
        with s.report.leaving_out("this sensor") as reading:
            name = _free_name(s.get("name") or kind.kind, scope.full(owner), scope, draft)
            values = READ[kind](s, scope.full(owner))
            if issubclass(kind, BodySensor):
                values["pose"] = pose_on(s, owner, scope)
            rate = s.child_number("update_rate", 0.0)
            values["update_rate"] = rate if rate > 0 else inf
            values["latency"] = s.child_number("latency", 0.0)  # ours, like the seed
            if issubclass(kind, BodySensor):
                values["seed"] = int(s.child_number("seed", 0.0))
            made = draft.build(s, "encoder-value", f"{kind.kind} sensor {name!r}", kind, name=name, **values)
    elif s.report.first(("ignored", "sensor")):
        s.info("element-ignored", f"<sensor>: {LEFT}; not used here")
    s.consume()
    if made is not None and not reading.failed:
        draft.add(draft.sensors, "sensor", made.name, made, s)


def _free_name(name: str, owner: str, scope: Scope, draft: Draft) -> str:
    """Names are unique within a link or joint only: a second one gets its owner's before it."""
    for free in (scope.full(name), f"{owner}.{name}"):
        if free not in draft.sensors:
            return free
    return draft.numbered(f"{owner}.{name}_", draft.sensors)


def _imu(s: Element, link: str) -> dict[str, Any]:
    return {"link": link, **_noise(s.child("imu"), ("angular_velocity", "linear_acceleration"))}


def _force_torque(s: Element, joint: str) -> dict[str, Any]:
    own = s.child("force_torque")
    values = {"reaction": joint, **_noise(own, ("force", "torque"))}
    if own is not None:
        values["frame"] = own.child_text("frame") or "child"
        values["direction"] = own.child_text("measure_direction") or "child_to_parent"
    return values


def _contact(s: Element, link: str) -> dict[str, Any]:
    """Gazebo names shapes by their own names, or after the link, as `model::link::shape`."""
    contact = s.child("contact")
    shapes = [] if contact is None else [c.words.rpartition("::")[2] for c in contact.all("collision")]
    threshold = s.child_number("threshold", 0.0)  # ours
    return {"link": link, "shapes": tuple(n for n in shapes if n and n != UNNAMED), "threshold": threshold}


UNNAMED = "__default__"  # SDFormat's default of <collision> in a sensor
OF_LINKS: dict[str, type[Imu] | type[ContactSensor]] = {"imu": Imu, "contact": ContactSensor}
READ: dict[type[Sensor], Callable[[Element, str], dict[str, Any]]] = {
    Imu: _imu, ForceTorque: _force_torque, ContactSensor: _contact,
}  # fmt: skip


def _type(s: Element) -> str:
    return (s.get("type") or "").strip()


def _noise(e: Element | None, vectors: tuple[str, str]) -> dict[str, Any]:
    """Means and standard deviations of Gaussian noise, of three components each."""
    offset, noise = [], []
    for vector in vectors:
        whole = e.child(vector) if e is not None else None
        for axis in "xyz":
            part = whole.child(axis) if whole is not None else None
            given = part.child("noise") if part is not None else None
            drawn = given is not None and (given.get("type") or "none") != "none"
            offset.append(given.child_number("mean", 0.0) if given is not None and drawn else 0.0)
            noise.append(given.child_number("stddev", 0.0) if given is not None and drawn else 0.0)
    return {"offset": tuple(offset), "noise": tuple(noise)}
