"""Rigid bodies to links: their masses, and the shapes below them. Shapes outside of any body are the world's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gearwright.formats.usd.shapes import MASS, geometry, is_drawn, is_shape, touches
from gearwright.formats.usd.stage import OWN, UsdPrim, UsdStage
from gearwright.model import MASSLESS, WORLD, Geometry, Inertia, Link, Pose
from gearwright.model.mass.solids import WATER, Solid, combined, solid
from gearwright.model.poses import IDENTITY, Array

NO_AXES = (0.0, 0.0, 0.0, 0.0)  # principal axes that are not given


def add_links(stage: UsdStage) -> None:
    shapes: dict[str, list[tuple[UsdPrim, Geometry]]] = {}
    for prim in stage.prims.values():
        if is_shape(prim) and (made := geometry(prim, stage)) is not None:
            shapes.setdefault(prim.body.path if prim.body is not None else "", []).append((prim, made))
    for body in stage.bodies:
        _add_link(body, shapes.get(body.path, []), stage)
    if fixed := shapes.get(""):
        visuals, collisions = _drawn_and_touching(fixed)
        link = Link(name=WORLD, visuals=visuals, collisions=collisions, source=stage.root.source)
        stage.draft.links[WORLD] = link


def _add_link(body: UsdPrim, shapes: list[tuple[UsdPrim, Geometry]], stage: UsdStage) -> None:
    draft, e = stage.draft, body.element
    body.name = draft.distinct(draft.links, "link", e.get(f"{OWN}name") or e.get("name") or "link", e)
    visuals, collisions = _drawn_and_touching(shapes)
    link = Link(
        name=body.name, inertia=_inertia(body, shapes, stage), visuals=visuals, collisions=collisions,
        gravity=not body.truth("physxRigidBody:disableGravity", False), source=e.source,
    )  # fmt: skip
    draft.add(draft.links, "link", body.name, link, e)
    draft.X_WL[body.name] = stage.X_WL(body)
    if (base := e.get(f"{OWN}base")) is not None:
        draft.base_names[body.name] = base
    if body.truth("physics:kinematicEnabled", False):
        draft.fixed.add(body.name)


def _drawn_and_touching(shapes: list[tuple[UsdPrim, Geometry]]) -> tuple[tuple[Geometry, ...], tuple[Geometry, ...]]:
    return tuple(g for p, g in shapes if is_drawn(p)), tuple(g for p, g in shapes if touches(p))


# --- masses -----------------------------------------------------------------------------------------------------------


def _inertia(body: UsdPrim, shapes: list[tuple[UsdPrim, Geometry]], stage: UsdStage) -> Inertia:
    """As given; what is not given follows from the shapes that touch."""
    if not body.has(MASS):
        return _of_shapes(body, shapes, stage)
    mass = body.real("physics:mass", 0.0) * stage.mass
    if mass < 0:
        body.element.error("inertia-invalid", f"link {body.name!r}: a mass cannot be negative ({mass:g} kg)")
        return MASSLESS
    exact = body.truth(f"{OWN}exact", False)  # what is zero is meant to be
    if not mass and not exact:
        return _of_shapes(body, shapes, stage)
    scale = np.array(stage.frames[body.path].scale) * stage.length
    given = body.numbers("physics:centerOfMass", (np.nan,) * 3)
    moments = np.array(body.numbers("physics:diagonalInertia", (0.0, 0.0, 0.0))) * stage.mass * stage.length**2
    if moments.any() or exact:
        center = np.zeros(3) if np.isnan(given).any() else scale * given
        return _given(body, mass, moments, center)
    found = _of_shapes(body, shapes, stage, known=True)
    if found.mass <= 0:
        what = "has no inertia and no shape that touches, from which it would follow"
        body.element.warning("inertia-missing", f"link {body.name!r}: {what}; 0 kg·m² is used")
        return Inertia(mass=mass, pose=Pose(IDENTITY.R, scale * np.nan_to_num(given)))
    share = mass / found.mass
    scaled = [tuple(share * x for x in each) for each in (found.moments, found.products)]
    pose = found.pose if np.isnan(given).any() else Pose(found.pose.R, scale * given)
    return replace(found, mass=mass, moments=scaled[0], products=scaled[1], pose=pose)  # type: ignore[arg-type]


def _given(body: UsdPrim, mass: float, moments: Array, center: Array) -> Inertia:
    """Principal moments; turned into the axes that they had before they were written, where that is known."""
    axes = body.numbers("physics:principalAxes", NO_AXES)
    R = IDENTITY.R if not any(axes) else Pose.from_quaternion((0, 0, 0), axes).R
    before = body.numbers(f"{OWN}inertiaAxes", NO_AXES)
    products = (0.0, 0.0, 0.0)
    if any(before):
        own = Pose.from_quaternion((0, 0, 0), before).R
        T = own.T @ R @ np.diag(moments) @ R.T @ own
        R, moments = own, np.diagonal(T)
        products = (float(T[0, 1]), float(T[0, 2]), float(T[1, 2]))
    x, y, z = moments.tolist()
    return Inertia(mass=mass, moments=(x, y, z), products=products, pose=Pose(R, center))


def _of_shapes(
    body: UsdPrim, shapes: list[tuple[UsdPrim, Geometry]], stage: UsdStage, *, known: bool = False
) -> Inertia:
    """Of those that touch, by their densities, or the body's."""
    density = body.real("physics:density", 0.0) if body.has(MASS) else 0.0
    parts: list[tuple[Solid, Pose, float]] = []
    for prim, g in shapes:
        if not touches(prim):
            continue
        made = solid(g.shape)
        if made is None:
            message = f"link {body.name!r}: the volume of {g.name!r} is not known, so its inertia is not counted"
            body.element.warning("inertia-auto", message)
            continue
        mass, own = (prim.real(f"physics:{n}", 0.0) if prim.has(MASS) else 0.0 for n in ("mass", "density"))
        per_volume = (own or density) * stage.mass / stage.length**3 or WATER
        parts.append((made, g.pose, mass * stage.mass or made.volume * per_volume))
    if not parts and not known:
        body.element.warning("inertia-missing", f"link {body.name!r} has no mass, and no shape from which it follows")
    elif not known:
        body.element.info("inertia-auto", f"link {body.name!r}: its mass follows from its shapes")
    return combined(parts)
