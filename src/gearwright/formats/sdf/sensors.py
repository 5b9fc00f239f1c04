"""<sensor> of SDFormat: force-torque sensors of joints, and IMUs of links. Others are left to other programs."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from gearwright.formats.draft import Draft
from gearwright.formats.sdf.scope import Scope, pose_on
from gearwright.formats.xml.located_xml import Element
from gearwright.model import BodySensor, ForceTorque, Imu

LEFT = "sensors other than encoders, force_torque and imu"


def read_link_sensors(e: Element, name: str, scope: Scope, draft: Draft) -> None:
    """Sensors of a link, by its name in the scope."""
    for s in e.all("sensor"):
        _read(s, name, scope, draft, Imu if _type(s) == "imu" else None)


def read_joint_sensors(e: Element, name: str, scope: Scope, draft: Draft) -> None:
    """Sensors of a joint, by its name in the scope."""
    for s in e.all("sensor"):
        _read(s, name, scope, draft, ForceTorque if _type(s) == "force_torque" else None)


def read_body_sensor(e: Element, name: str, scope: Scope, draft: Draft) -> None:
    """A sensor that stands apart from its link or joint, by its type."""
    kinds: dict[str, type[BodySensor]] = {kind.kind: kind for kind in READ}
    _read(e, name, scope, draft, kinds.get(_type(e)))


def _read(s: Element, owner: str, scope: Scope, draft: Draft, kind: type[BodySensor] | None) -> None:
    """One that cannot be read is left out: it does not touch the mechanism."""
    made = None
    if kind is not None:
        with s.report.leaving_out("this sensor") as reading:
            name = _free_name(s.get("name") or kind.kind, scope.full(owner), scope, draft)
            values = {"pose": pose_on(s, owner, scope), **READ[kind](s, scope.full(owner))}
            rate = s.child_number("update_rate", 0.0)
            values["update_rate"] = rate if rate > 0 else inf
            values["latency"] = s.child_number("latency", 0.0)  # ours, like the seed
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


READ: dict[type[BodySensor], Callable[[Element, str], dict[str, Any]]] = {Imu: _imu, ForceTorque: _force_torque}


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
