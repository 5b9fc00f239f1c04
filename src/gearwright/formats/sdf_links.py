"""<link> of SDFormat: mass properties and shapes."""

from __future__ import annotations

from gearwright.formats.draft import Draft
from gearwright.formats.geometry import read_shape
from gearwright.formats.located_xml import Element
from gearwright.formats.sdf_scope import PoseError, Scope, read_pose
from gearwright.model import MASSLESS, Geometry, Inertia, Link
from gearwright.model.poses import IDENTITY


def read_link(e: Element, name: str, scope: Scope, draft: Draft) -> None:
    """Adds one link, and where it stands at first."""
    try:
        X_WL = scope.X_WM @ scope.resolve(name, e)
    except PoseError:
        X_WL = IDENTITY
    full = scope.full(name)
    link = Link(
        name=full, inertia=_inertia(e, full), visuals=_geometries(e, scope, name, "visual"),
        collisions=_geometries(e, scope, name, "collision"), gravity=e.child_truth("gravity", True), source=e.source,
    )  # fmt: skip
    e.child("pose")
    if draft.add(draft.links, "link", full, link, e):
        draft.X_WL[full] = X_WL


def _inertia(e: Element, link: str) -> Inertia:
    """A link without <inertial> has 1 kg and 1 kg·m², as the format says."""
    inertial = e.child("inertial")
    if inertial is None:
        e.info("inertia-missing", f"link {link!r} has no <inertial>; SDFormat's 1 kg and 1 kg·m² are taken")
        return Inertia(mass=1.0, moments=(1.0, 1.0, 1.0))
    if inertial.truth(inertial.get("auto") or "false", "attribute auto", False):
        message = f"link {link!r}: inertia from collision shapes is not computed; what is given is taken"
        inertial.warning("inertia-auto", message)
    for known in ("density", "auto_inertia_params", "fluid_added_mass"):
        child = inertial.child(known)
        if child is not None:
            child.consume()
    tensor = inertial.child("inertia")
    diagonal = [tensor.child_number(k, 1.0) if tensor is not None else 1.0 for k in ("ixx", "iyy", "izz")]
    others = [tensor.child_number(k, 0.0) if tensor is not None else 0.0 for k in ("ixy", "ixz", "iyz")]
    mass = inertial.child_number("mass", 1.0)
    if mass < 0:
        inertial.error("inertia-invalid", f"link {link!r}: a mass cannot be negative ({mass:g} kg)")
        return MASSLESS
    return Inertia(
        mass=mass,
        moments=(diagonal[0], diagonal[1], diagonal[2]),
        products=(others[0], others[1], others[2]),
        pose=read_pose(inertial)[1],
    )


def _geometries(e: Element, scope: Scope, link: str, tag: str) -> tuple[Geometry, ...]:
    found = []
    for i, g in enumerate(e.all(tag)):
        shape = read_shape(g)
        relative_to, X = read_pose(g, link)
        if relative_to != link:
            try:
                X = scope.resolve(link, g).inverse() @ scope.resolve(relative_to, g) @ X
            except PoseError:
                continue
        rgba = _colour(g)
        name = g.get("name") or f"{tag}{i + 1}"
        g.consume()  # surfaces, lasers, shadows: for rendering and contact
        if shape is not None:
            found.append(Geometry(name=name, shape=shape, pose=X, rgba=rgba))
    return tuple(found)


def _colour(g: Element) -> tuple[float, float, float, float] | None:
    material = g.child("material")
    diffuse = material.child("diffuse") if material is not None else None
    if diffuse is None:
        return None
    v = diffuse.numbers() or []
    return (v[0], v[1], v[2], v[3] if len(v) > 3 else 1.0) if len(v) in (3, 4) else None
