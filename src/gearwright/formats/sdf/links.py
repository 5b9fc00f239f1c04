"""<link> of SDFormat: mass properties and shapes."""

from __future__ import annotations

from gearwright.formats.draft import Draft
from gearwright.formats.parts.geometry import read_shape
from gearwright.formats.parts.surfaces import read_contact
from gearwright.formats.sdf.inertia import read_inertia
from gearwright.formats.sdf.scope import PoseError, Scope, pose_on
from gearwright.formats.sdf.sensors import read_link_sensors
from gearwright.formats.xml.located_xml import Element
from gearwright.model import Geometry, Link
from gearwright.model.poses import IDENTITY


def read_link(e: Element, name: str, scope: Scope, draft: Draft) -> None:
    """Adds one link, and where it stands at first."""
    try:
        X_WL = scope.X_WM @ scope.resolve(name, e)
    except PoseError:
        X_WL = IDENTITY
    full = scope.full(name)
    collisions = _geometries(e, scope, name, "collision")
    link = Link(
        name=full,
        inertia=read_inertia(e, full, collisions),
        visuals=tuple(g for _, g in _geometries(e, scope, name, "visual")),
        collisions=tuple(g for _, g in collisions),
        gravity=e.child_truth("gravity", True),
        source=e.source,
    )
    e.child("pose")
    if e.child_truth("self_collide", scope.element.child_truth("self_collide", False)):
        draft.self_collide.append(full)
    if draft.add(draft.links, "link", full, link, e):
        draft.X_WL[full] = X_WL
        if base := e.child_text("base_name"):
            draft.base_names[full] = base
        read_link_sensors(e, name, scope, draft)


def _geometries(e: Element, scope: Scope, link: str, tag: str) -> list[tuple[Element, Geometry]]:
    """Shapes do not affect the mechanism: one that cannot be read is left out."""
    found = []
    for i, g in enumerate(e.all(tag)):
        with e.report.leaving_out(f"this {tag}") as reading:
            shape = read_shape(g)
            X = pose_on(g, link, scope)
            rgba = _colour(g)
        contact = read_contact(g) if tag == "collision" else {}
        name = g.get("name") or f"{tag}{i + 1}"
        g.consume()  # lasers and shadows: for rendering
        if shape is not None and not reading.failed:
            found.append((g, Geometry(name=name, shape=shape, pose=X, rgba=rgba, source=g.source, **contact)))
    return found


def _colour(g: Element) -> tuple[float, float, float, float] | None:
    material = g.child("material")
    diffuse = material.child("diffuse") if material is not None else None
    if diffuse is None:
        return None
    v = diffuse.numbers() or []
    return (v[0], v[1], v[2], v[3] if len(v) > 3 else 1.0) if len(v) in (3, 4) else None
