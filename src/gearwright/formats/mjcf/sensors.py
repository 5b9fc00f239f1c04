"""<sensor>: encoders, IMUs and force-torque sensors. One of three numbers becomes one of six, three of which it is.

`imu.gyro` and `imu.accelerometer` at one site are one sensor `imu`: so they are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gearwright.formats.mjcf.grammar import ELEMENTS, heed
from gearwright.formats.mjcf.parts import MjcfBody, Parts, SitePart
from gearwright.formats.xml.located_xml import Element
from gearwright.model import AxisRef, Encoder, ForceTorque, Imu, Sensor
from gearwright.model.joints import WORLD

TAGS = tuple(path.partition("/")[2] for path in ELEMENTS if path.startswith("sensor/"))
FIRST = ("gyro", "force")  # of the two that are one sensor
PARTNERS = {"gyro": "accelerometer", "accelerometer": "gyro", "force": "torque", "torque": "force"}
READINGS = {"jointpos": "position", "jointvel": "velocity", "actuatorpos": "position", "actuatorvel": "velocity"}


def add_sensors(parts: Parts) -> None:
    for section, file in parts.sections("sensor"):
        elements = section.all(*TAGS)
        sites = {(e.tag, e.attributes.get("name", "")): e.attributes.get("site") for e in elements}
        for e in elements:
            common = _common_name(e, sites)
            if heed(e, f"sensor/{e.tag}") and (common is None or e.tag in FIRST):
                with e.report.leaving_out("this sensor"):
                    _add(e, parts, file.prefix, common or e.get("name"))


def _common_name(e: Element, sites: Mapping[tuple[str, str], str | None]) -> str | None:
    """Of two elements that are one sensor."""
    stem, _, ending = e.attributes.get("name", "").rpartition(".")
    partner = PARTNERS.get(e.tag, "")
    other = sites.get((partner, f"{stem}.{partner}"))
    return stem if stem and ending == e.tag and other is not None and other == e.attributes.get("site") else None


def _add(e: Element, parts: Parts, prefix: str, written: str | None) -> None:
    fields: dict[str, Any] | None
    kind: type[Sensor]
    if e.tag in READINGS:
        kind, fields = Encoder, _encoder(e, parts, prefix)
    else:
        site = parts.find(e, "site", parts.sites, "site", prefix)
        kind, fields = (Imu, _imu(site)) if e.tag in ("gyro", "accelerometer") else (ForceTorque, _wrench(e, site))
    if fields is None:
        return
    owner = e.get("joint") or e.get("actuator") or e.get("site") or ""
    name = parts.name(e, parts.draft.sensors, "sensor", prefix, f"{prefix}{owner}_{e.tag}", written)
    made = parts.draft.build(e, "encoder-value", f"sensor {name!r}", kind, name=name, **fields)
    if made is not None:
        parts.draft.add(parts.draft.sensors, "sensor", name, made, e)


def _encoder(e: Element, parts: Parts, prefix: str) -> dict[str, Any] | None:
    if e.tag.startswith("actuator"):
        written = prefix + (e.get("actuator") or "")
        if written in parts.draft.refused:
            return None
        actuator = parts.find(e, "actuator", parts.draft.actuators, "actuator", prefix)
        return None if actuator is None else {"actuator": actuator.name, "type": READINGS[e.tag]}
    joint = parts.find(e, "joint", parts.joints, "joint", prefix)
    if joint is None or not joint.scalar:
        return None
    return {"joint": AxisRef(joint.name), "type": READINGS[e.tag]}


def _imu(site: SitePart | None) -> dict[str, Any] | None:
    if site is None or site.body.name == WORLD:
        return None
    return {"link": site.body.name, "pose": site.X_BS}


def _wrench(e: Element, site: SitePart | None) -> dict[str, Any] | None:
    """What the parent exerts on the body of the site, through its first joint: in the site's axes, at the site."""
    if site is None:
        return None
    joint = _carrier(site.body)
    if joint is None:
        e.info("element-ignored", f"<{e.tag}>: nothing carries body {site.body.name!r}, so there is no force to read")
        return None
    return {"reaction": joint, "pose": site.X_BS, "frame": "sensor", "direction": "parent_to_child"}


def _carrier(b: MjcfBody) -> str | None:
    if b.name == WORLD or (b.joints and b.joints[0].kind == "free"):
        return None
    if b.joints:
        return b.joints[-1].name
    return f"{b.name}_fixed" if b.parent is not None and b.parent.name != WORLD else None
