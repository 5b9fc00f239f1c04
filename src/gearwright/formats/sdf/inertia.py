"""<inertial> of SDFormat: as given, or computed from the collision shapes where the file says `auto`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gearwright.formats.sdf.scope import read_pose
from gearwright.formats.xml.located_xml import Element
from gearwright.model import MASSLESS, Geometry, Inertia
from gearwright.model.mass.solids import WATER, combined, solid

DEFAULT = Inertia(mass=1.0, moments=(1.0, 1.0, 1.0))  # the format's
MOMENTS, PRODUCTS = ("ixx", "iyy", "izz"), ("ixy", "ixz", "iyz")
Collisions = Sequence[tuple[Element, Geometry]]


def read_inertia(e: Element, link: str, collisions: Collisions) -> Inertia:
    """Reads the inertia of a <link>. Missing values are the format's defaults, and reported."""
    inertial = e.child("inertial")
    if inertial is None:
        e.info("inertia-missing", f"link {link!r} has no <inertial>; SDFormat's 1 kg and 1 kg·m² are used")
        return DEFAULT
    added = inertial.child("fluid_added_mass")
    if added is not None:
        added.consume()
        if e.report.first(("ignored", "fluid_added_mass")):
            added.info("element-ignored", "<fluid_added_mass>: the mass of water around a body; not used here")
    if inertial.truth(inertial.get("auto") or "false", "attribute auto", False):
        computed = _automatic(e, inertial, link, collisions)
        if computed is not None:
            return computed
    for known in ("density", "auto_inertia_params"):
        inertial.child(known)
    return _given(inertial, link)


def _given(inertial: Element, link: str) -> Inertia:
    mass = inertial.child("mass")
    tensor = inertial.child("inertia")
    if tensor is None:
        near = inertial.misspelt("inertia")
        message = f"link {link!r}: <inertial> has no <inertia>; SDFormat's 1 kg·m² about every axis is used{near}"
        inertial.warning("inertia-missing", message)
    if mass is None:
        message = f"link {link!r}: <inertial> has no <mass>; SDFormat's 1 kg is used{inertial.misspelt('mass')}"
        inertial.warning("inertia-missing", message)
    values = _tensor(tensor, link) if tensor is not None else DEFAULT
    m = inertial.child_number("mass", DEFAULT.mass)
    if m < 0:
        inertial.error("inertia-invalid", f"link {link!r}: a mass cannot be negative ({m:g} kg)")
        return MASSLESS
    pose = inertial.child("pose")
    if pose is not None and (pose.get("relative_to") or pose.get("frame")):
        where = pose.get("relative_to") or pose.get("frame")
        message = f"link {link!r}: an inertial <pose> is always in the link's frame; relative_to={where!r} is ignored"
        pose.warning("pose-invalid", message)
    return replace(values, mass=m, pose=read_pose(inertial)[1])


def _tensor(tensor: Element, link: str) -> Inertia:
    missing = [k for k in MOMENTS if tensor.child(k) is None]  # products are left out where they are zero
    if missing:
        near = tensor.misspelt(missing[0])
        message = f"link {link!r}: <inertia> has no {', '.join(missing)}; SDFormat's 1 kg·m² is used{near}"
        tensor.warning("inertia-missing", message)
    xx, yy, zz = (tensor.child_number(k, 1.0) for k in MOMENTS)
    xy, xz, yz = (tensor.child_number(k, 0.0) for k in PRODUCTS)
    return Inertia(mass=0.0, moments=(xx, yy, zz), products=(xy, xz, yz))


# --- from the collision shapes ------------------------------------------------------------------------------------


def _automatic(e: Element, inertial: Element, link: str, collisions: Collisions) -> Inertia | None:
    """As SDFormat 1.11 says: density times volume of every collision shape; a <mass> scales the sum."""
    for c in inertial.all("auto_inertia_params"):
        c.consume()
        c.info("inertia-auto", f"link {link!r}: <auto_inertia_params> are for meshes; not used here")
    unknown = _not_computed(e, collisions)
    if unknown:
        taken = "the given values are used" if inertial.children else "1 kg and 1 kg·m² are used"
        inertial.warning("inertia-auto", f"link {link!r}: its inertia cannot be computed: {unknown}; {taken}")
        return None
    for tag in ("inertia", "pose"):
        unused = inertial.child(tag)
        if unused is not None:
            unused.consume()
            unused.info("inertia-auto", f"link {link!r}: the inertia is computed; <{tag}> is not used")
    parts = []
    default = _density(inertial, WATER)
    for element, geometry in collisions:
        shape = solid(geometry.shape)
        assert shape is not None
        own = next((c for c in element.children if c.tag == "density"), None)
        parts.append((shape, geometry.pose, shape.volume * (default if own is None else _density(element, default))))
        if own is None and inertial.child("density") is None and e.report.first(("density", link)):
            inertial.info("inertia-auto", f"link {link!r} gives no <density>; SDFormat's {WATER:g} kg/m³ is used")
    total = combined(parts)
    mass = inertial.child_number("mass", total.mass)
    if inertial.child("mass") is None or total.mass == 0:
        return total
    if mass < 0:
        inertial.error("inertia-invalid", f"link {link!r}: a mass cannot be negative ({mass:g} kg)")
        return MASSLESS
    scale = mass / total.mass
    (xx, yy, zz), (xy, xz, yz) = total.moments, total.products
    moments, products = (xx * scale, yy * scale, zz * scale), (xy * scale, xz * scale, yz * scale)
    return replace(total, mass=mass, moments=moments, products=products)


def _not_computed(e: Element, collisions: Collisions) -> str:
    """Reason why the inertia cannot be computed from the shapes; "" if it can."""
    if not e.all("collision"):
        return "it has no <collision>"
    if len(collisions) < len(e.all("collision")):
        return "a <collision> has no shape that can be read"
    for _, g in collisions:
        if solid(g.shape) is None:
            kind = getattr(g.shape, "kind", type(g.shape).__name__.lower())
            return f"collision {g.name!r} is a {kind}"
    return ""


def _density(e: Element, default: float) -> float:
    density = e.child_number("density", default)
    if density > 0:
        return density
    e.error("inertia-invalid", f"<density> must be positive, not {density:g} kg/m³")
    return default
