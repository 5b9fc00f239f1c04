"""Surfaces of collision shapes: SDFormat's <surface>, Drake's proximity properties, Gazebo's settings in URDF.

What is no surface of a rigid body (pressure fields, slip by force, limits of a correction) is reported by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import pi
from typing import Any

from gearwright.errors import ModelError
from gearwright.formats.xml.located_xml import Element
from gearwright.model.poses import Vector3
from gearwright.model.shapes.surface import Surface

RIGID = 1e12  # [N/m]: SDFormat's default of kp, which stands for no compliance at all
USUAL_DAMPING = 1.0  # [N·s/m]: SDFormat's default of kd
PATCH = 3 * pi / 16  # torque of a spinning contact patch: of its radius, friction coefficient and load
ZERO: Vector3 = (0.0, 0.0, 0.0)
Values = dict[str, Any]

# settings that no Surface has, and why; reported once each, unless they are zero
UNUSED = {
    "slip": "slip in proportion to the force",
    "slip1": "slip in proportion to the force",
    "slip2": "slip in proportion to the force",
    "soft_cfm": "softness of ODE's constraints; give kp and kd in N/m and N·s/m",
    "soft_erp": "softness of ODE's constraints; give kp and kd in N/m and N·s/m",
    "max_vel": "speed at which ODE corrects penetration",
    "maxVel": "speed at which ODE corrects penetration",
    "min_depth": "penetration that ODE tolerates",
    "minDepth": "penetration that ODE tolerates",
    "split_impulse": "Bullet's correction of penetration",
    "split_impulse_penetration_threshold": "Bullet's correction of penetration",
    "poissons_ratio": "deformation of soft bodies",
    "elastic_modulus": "deformation of soft bodies",
    "soft_contact": "deformation of soft bodies",
    "drake:rigid_hydroelastic": "Drake's pressure fields; contact at points is used",
    "drake:compliant_hydroelastic": "Drake's pressure fields; contact at points is used",
    "drake:soft_hydroelastic": "Drake's pressure fields; contact at points is used",
    "drake:hydroelastic_modulus": "Drake's pressure fields; contact at points is used",
    "drake:hydroelastic_margin": "Drake's pressure fields; contact at points is used",
    "drake:mesh_resolution_hint": "Drake's pressure fields; contact at points is used",
    "drake:hunt_crossley_dissipation": "damping in proportion to the penetration",
}


def read_surface(collision: Element) -> Surface | None:
    """The surface that a <collision> describes, in whatever spelling; None where it describes none."""
    surface: Surface | None = None
    for tag, reader in READERS.items():
        e = collision.child(tag)
        if e is not None:
            with e.report.leaving_out(f"<{tag}>") as reading:
                values = reader(e)
            surface = surface if reading.failed else surface_of(e, values, surface)
            e.consume()
    return surface


def surface_of(e: Element, values: Mapping[str, Any], before: Surface | None = None) -> Surface | None:
    """A surface with these values; those that are out of range are reported and left out."""
    surface = before
    for name, value in values.items():
        try:
            surface = replace(surface or Surface(), **{name: value})
        except ModelError as error:
            e.recoverable("surface-value", f"<{e.tag}>: {error}; it is left out")
    return surface


def collision_bits(collision: Element) -> int | None:
    """The bits of which two shapes must share one to touch; 0 of a shape that only senses; None where not given."""
    contact = _within(collision, "surface", "contact")
    if contact is None:
        return None
    if contact.child_truth("collide_without_contact", False):
        return 0
    given = contact.child("collide_bitmask") or contact.child("category_bitmask")
    if given is None:
        return None
    try:
        return int(given.words, 0) & 0xFFFF
    except ValueError:
        given.recoverable("number-invalid", f"<{given.tag}>: expected a whole number, not {given.words[:40]!r}")
        return None


def read_contact(g: Element) -> dict[str, Any]:
    """What a shape does when it touches."""
    bits = collision_bits(g)
    masks = {} if bits is None else {"collision_bits": bits, "collides_with": bits}
    own = g.child("collides_with")  # ours, where it is not the same
    if own is not None:
        masks["collides_with"] = int(own.as_number(own.text, "<collides_with>", 0.0, False))
    return {"surface": read_surface(g), **masks}


def _within(e: Element | None, *tags: str) -> Element | None:
    for tag in tags:
        e = None if e is None else e.child(tag)
    return e


def report_unused(e: Element) -> None:
    """One info per kind of setting that is not used."""
    for c in e.every():
        given = c.words or c.attributes.get("value", "")
        idle = given in ("0", "0.0") or (not given and not c.tag.startswith("drake:"))
        if c.tag in UNUSED and not idle and c.report.first(("surface", c.tag)):
            c.info("element-ignored", f"<{c.tag}>: {UNUSED[c.tag]}; not used here")


# --- SDFormat -------------------------------------------------------------------------------------------------------


def _sdf(surface: Element) -> Values:
    friction, contact = surface.child("friction"), surface.child("contact")
    bounce = surface.child("bounce")
    values = {**_sdf_friction(friction), **_sdf_contact(contact)}
    if bounce is not None:
        values |= _numbers(bounce, {"restitution_coefficient": "restitution", "threshold": "restitution_speed"})
    if surface.child("soft_contact") is not None:
        report_unused(surface)
    belt = surface.child("surface_velocity")
    if belt is not None:
        values["velocity"] = surface.child_vector("surface_velocity", ZERO)
    return values


def _sdf_friction(friction: Element | None) -> Values:
    if friction is None:
        return {}
    values: Values = {}
    bullet, ode, torsional = friction.child("bullet"), friction.child("ode"), friction.child("torsional")
    if bullet is not None:
        names = {"friction": "friction", "friction2": "friction2", "rolling_friction": "rolling_friction"}
        values |= {**_numbers(bullet, names), **_direction(bullet)}
    if ode is not None:
        values |= {**_numbers(ode, {"mu": "friction", "mu2": "friction2"}), **_direction(ode)}
        report_unused(ode)
    if torsional is not None:
        values |= _torsional(torsional)
    return _with_direction(friction, values)


def _torsional(e: Element) -> Values:
    """`3π/16·coefficient·radius`: the torque of a round patch of even pressure, per newton."""
    radius = e.child_number("patch_radius", 0.0)
    if not e.child_truth("use_patch_radius", True):
        e.warning(
            "not-simulated", "<torsional>: a patch that grows with the load is not simulated; give <patch_radius>"
        )
        return {}
    report_unused(e)
    for ode in e.all("ode"):
        report_unused(ode)
    coefficient = e.child_number("coefficient", 1.0)
    return {"torsional_friction": PATCH * coefficient * radius} if radius else {}


def _sdf_contact(contact: Element | None) -> Values:
    if contact is None:
        return {}
    values: Values = {}
    report_unused(contact)
    for engine in contact.all("bullet", "ode"):
        values |= _compliance(engine)
        report_unused(engine)
    return values


def _compliance(e: Element, stiffness: str = "kp", damping: str = "kd") -> Values:
    k = e.child_number(stiffness, RIGID)
    if not 0 < k < RIGID:
        return {} if k >= RIGID else {"stiffness": k}
    return {"stiffness": k, "damping": e.child_number(damping, USUAL_DAMPING)}


# --- Drake, and what URDF files have --------------------------------------------------------------------------------


def _drake(e: Element) -> Values:
    """Friction is what it is in Drake's discrete steps: the dynamic coefficient alone."""
    mu = [_value(c) for c in (e.child("drake:mu_static"), e.child("drake:mu_dynamic")) if c is not None]
    stiffness, time = e.child("drake:point_contact_stiffness"), e.child("drake:relaxation_time")
    values: Values = {"friction": mu[-1]} if mu else {}
    if len(mu) == 2 and mu[0] != mu[1] and e.report.first(("surface", "drake:mu_static")):
        e.info("element-ignored", "<drake:mu_static>: one coefficient is used, the dynamic one, as in Drake's steps")
    if stiffness is not None:
        values["stiffness"] = _value(stiffness)
        if time is not None:
            values["damping"] = _value(time) * values["stiffness"]
    report_unused(e)
    return values


def _coefficients(e: Element) -> Values:
    """The old <contact_coefficients mu kp kd>."""
    values = {name: e.number(key, 0.0) for key, name in (("mu", "friction"),) if key in e.attributes}
    if "kp" in e.attributes and 0 < (k := e.number("kp", RIGID)) < RIGID:
        values |= {"stiffness": k, "damping": e.number("kd", USUAL_DAMPING)}
    return values


def read_bullet_contact(e: Element) -> Values:
    """The <contact> of a link in URDF files for PyBullet: values are attributes."""
    values: Values = {}
    for c in e.every():
        name = BULLET.get(c.tag)
        if name is not None:
            values[name] = _value(c)
        c.consume()
    if "stiffness" not in values:
        values.pop("damping", None)
    return values


BULLET = {
    "lateral_friction": "friction", "rolling_friction": "rolling_friction", "spinning_friction": "torsional_friction",
    "restitution": "restitution", "stiffness": "stiffness", "damping": "damping",
}  # fmt: skip


def _belt(e: Element) -> Values:
    return {"velocity": e.vector("xyz", ZERO) if "xyz" in e.attributes else _vector(e)}


READERS: Mapping[str, Callable[[Element], Values]] = {
    "contact_coefficients": _coefficients,
    "drake:proximity_properties": _drake,
    "surface": _sdf,
    "surface_velocity": _belt,  # ours, of a collision
}


def read_gazebo_surface(block: Element, others: list[Element]) -> Values:
    """Settings of a <gazebo reference="LINK"> block; what is read is taken off `others`."""
    known = {"mu": "friction", "mu1": "friction", "mu2": "friction2"}
    names = {*known, "kp", "kd", "fdir1", "maxVel", "minDepth", "maxContacts", "surface_velocity", "collision"}
    if not any(c.tag in names for c in others):
        return {}
    with block.report.leaving_out("this surface") as reading:
        values = {**_numbers(block, known), **_compliance(block), **_direction(block)}
        surface = _within(block, "collision", "surface")
        values = _with_direction(block, values) | ({} if surface is None else _sdf(surface))
        if block.child("surface_velocity") is not None:
            values["velocity"] = block.child_vector("surface_velocity", ZERO)
    report_unused(block)
    others[:] = [c for c in others if c.tag not in names]
    return {} if reading.failed else values


# --- numbers --------------------------------------------------------------------------------------------------------


def _numbers(e: Element, names: Mapping[str, str]) -> Values:
    """Children by the names of the fields they give."""
    return {field: e.child_number(tag, 0.0) for tag, field in names.items() if e.child(tag) is not None}


def _value(e: Element) -> float:
    """A number as text or, in URDF, as the attribute `value`."""
    return e.number("value", 0.0) if "value" in e.attributes else e.as_number(e.text, f"<{e.tag}>", 0.0, False)


def _vector(e: Element) -> Vector3:
    values = e.numbers() or []
    if len(values) != 3:
        e.error("number-invalid", f"<{e.tag}>: expected three numbers, not {e.words[:40]!r}")
        return ZERO
    x, y, z = values
    return x, y, z


def _direction(e: Element) -> Values:
    fdir = e.child("fdir1")
    direction = ZERO if fdir is None else _vector(fdir)
    return {"friction_direction": direction} if any(direction) else {}


def _with_direction(e: Element, values: Values) -> Values:
    """A second coefficient has a direction, or is left out: it is reported where it differs."""
    if "friction2" in values and "friction_direction" not in values:
        second = values.pop("friction2")
        if second != values.get("friction", second):
            e.warning("not-simulated", "a second friction coefficient without <fdir1>: the first is used all around")
        values.setdefault("friction", second)
    return values
