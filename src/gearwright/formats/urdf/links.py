"""<link> of a URDF: inertia, shapes and colours."""

from __future__ import annotations

from dataclasses import replace

from gearwright.formats.draft import Draft
from gearwright.formats.parts.axis_names import Rename
from gearwright.formats.parts.geometry import read_shape
from gearwright.formats.parts.surfaces import read_bullet_contact, read_contact, surface_of
from gearwright.formats.urdf.poses import attached, origin
from gearwright.formats.xml.located_xml import Element
from gearwright.model import (
    MASSLESS,
    Geometry,
    Inertia,
    Link,
)

MOMENTS = frozenset(("ixx", "iyy", "izz"))  # products are left out where they are zero
Rgba = tuple[float, float, float, float]
SETTINGS = ("contact_coefficients", "verbose", "drake:proximity_properties", "drake:perception_properties")


def read_link(e: Element, draft: Draft, colours: dict[str, Rgba | None], rename: Rename) -> None:
    written = e.get("name") or ""
    if not written:
        e.error("name-missing", "a link without a name")
        return
    name = rename(written)
    e.get("type")
    link = Link(
        name=name,
        inertia=_inertia(e, name),
        visuals=_geometries(e, "visual", colours),
        collisions=_with_contact(e, _geometries(e, "collision", colours)),
        gravity=e.truth(e.get("gravity") or "true", "attribute gravity", True),  # ours, as is the frame
        source=e.source,
    )
    if draft.add(draft.links, "link", name, link, e) and (own := e.child("own_frame")) is not None:
        draft.link_frames[name] = attached(own)


def _inertia(e: Element, link: str) -> Inertia:
    inertial = e.child("inertial")
    if inertial is None:
        return MASSLESS
    mass, tensor = inertial.child("mass"), inertial.child("inertia")
    _report_missing(inertial, mass, tensor, link)
    m = mass.number("value", 0.0) if mass is not None else 0.0
    i = {k: tensor.number(k, 0.0) if tensor is not None else 0.0 for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}
    pose = origin(inertial)
    if m < 0:
        (mass or inertial).error("inertia-invalid", f"link {link!r}: a mass cannot be negative ({m:g} kg)")
        return MASSLESS
    return Inertia(
        mass=m,
        moments=(i["ixx"], i["iyy"], i["izz"]),
        products=(i["ixy"], i["ixz"], i["iyz"]),
        pose=pose,
    )


def _report_missing(inertial: Element, mass: Element | None, tensor: Element | None, link: str) -> None:
    """Reports missing values of an <inertial>, which are zero in a URDF: urdfdom refuses them, others accept them."""
    if mass is None or ("value" not in mass.attributes and not mass.text):
        near = inertial.misspelt("mass") if mass is None else ""
        message = f"link {link!r}: <inertial> has no <mass value=…>; 0 kg is used{near}"
        (mass or inertial).warning("inertia-missing", message)
    if tensor is None:
        near = inertial.misspelt("inertia")
        inertial.warning("inertia-missing", f"link {link!r}: <inertial> has no <inertia>; 0 kg·m² is used{near}")
    elif not tensor.attributes.keys() >= MOMENTS and not tensor.text:
        missing = ", ".join(k for k in ("ixx", "iyy", "izz") if k not in tensor.attributes)
        message = f"link {link!r}: <inertia> has no {missing}; 0 is used{tensor.misspelt(missing[:3])}"
        tensor.warning("inertia-missing", message)


def _geometries(e: Element, tag: str, colours: dict[str, Rgba | None]) -> tuple[Geometry, ...]:
    """Shapes do not affect the mechanism: one that cannot be read is left out."""
    found = []
    for i, g in enumerate(e.all(tag)):
        with e.report.leaving_out(f"this {tag}") as reading:
            shape, pose = read_shape(g), origin(g)
        material = g.child("material")
        rgba = None
        if material is not None:
            rgba = colour_of(material) or colours.get(material.attributes.get("name", ""))
        contact = read_contact(g) if tag == "collision" else {}
        for setting in g.all(*SETTINGS):
            setting.consume()
        name = g.get("name") or f"{tag}{i + 1}"
        g.get("group")
        if shape is not None and not reading.failed:
            found.append(Geometry(name=name, shape=shape, pose=pose, rgba=rgba, source=g.source, **contact))
    return tuple(found)


def _with_contact(e: Element, collisions: tuple[Geometry, ...]) -> tuple[Geometry, ...]:
    """With the surface that PyBullet's <contact> gives to a link."""
    contact = e.child("contact")
    if contact is None:
        return collisions
    with e.report.leaving_out("<contact>") as reading:
        values = read_bullet_contact(contact)
    if reading.failed:
        return collisions
    return tuple(replace(g, surface=surface_of(contact, values, g.surface)) for g in collisions)


def colour_of(material: Element) -> Rgba | None:
    material.get("name")
    for texture in material.all("texture", "drake:diffuse_map"):
        texture.consume()
    c = material.child("color")
    text = c.get("rgba") if c is not None else None
    if c is None or text is None:
        return None
    with c.report.leaving_out("the colour"):
        v = c.numbers(text, "attribute rgba") or []
    if len(v) not in (3, 4):
        if v:
            c.recoverable("number-invalid", f"attribute rgba: a colour has four numbers, not {len(v)}; it is left out")
        return None
    return (v[0], v[1], v[2], v[3] if len(v) == 4 else 1.0)
