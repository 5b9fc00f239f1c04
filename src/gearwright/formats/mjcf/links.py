"""Bodies to links, and joints to joints. Several joints of a body are in series, with links without mass between.

A joint's position here is MuJoCo's, reference included: with `ref`, the joint frame is turned back by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.formats.mjcf.geoms import geometry, is_drawn
from gearwright.formats.mjcf.inertias import inertias
from gearwright.formats.mjcf.parts import JointPart, MjcfBody, Parts
from gearwright.formats.mjcf.start_mass import LEAST, averaged_inertia
from gearwright.formats.mjcf.values import bounds, is_limited, real, reals, truth, word
from gearwright.model import Axis, AxisDynamics, Joint, Limits, Link, NamedFrame
from gearwright.model.geometry import EVERY_BIT, Geometry
from gearwright.model.joints import WORLD
from gearwright.model.mass.inertia import Inertia
from gearwright.model.poses import IDENTITY, Pose, rotation_about

KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "ball", "free": "floating"}


def add_links(parts: Parts) -> dict[str, Inertia]:
    """Adds all links and joints to the draft; the inertias by body."""
    weights = inertias(parts)
    for b in parts.bodies.values():
        _add_link(b, weights[b.name], parts)
    if parts.world.geoms:
        collisions, visuals = _shapes(parts.world, parts)
        world = Link(name=WORLD, visuals=visuals, collisions=collisions, source=parts.world.element.source)
        parts.draft.links[WORLD] = world
    for b in parts.bodies.values():
        _add_joints(b, parts, weights)
    return weights


def add_frames(parts: Parts) -> None:
    """Sites are named frames, except those that are called as a link."""
    for s in parts.sites.values():
        if s.name in parts.draft.links:
            s.element.info("element-ignored", f"site {s.name!r}: a body has this name, so the site is not a frame")
        else:
            parts.draft.frames[s.name] = NamedFrame(name=s.name, link=s.body.name, X_LF=s.X_BS)


def _add_link(b: MjcfBody, inertia: Inertia, parts: Parts) -> None:
    collisions, visuals = _shapes(b, parts)
    if b.gravcomp not in (0.0, 1.0):
        message = f"body {b.name!r}: gravcomp is 0 or 1 here, not {b.gravcomp:g}; it is taken as 0"
        b.element.warning("not-simulated", message)
    for j in b.joints[:-1]:
        name = _between(b, j)
        parts.draft.add(parts.draft.links, "link", name, Link(name=name, source=b.element.source), b.element)
    link = Link(
        name=b.name, inertia=inertia, visuals=visuals, collisions=collisions, gravity=b.gravcomp != 1.0,
        source=b.element.source,
    )  # fmt: skip
    parts.draft.add(parts.draft.links, "link", b.name, link, b.element)
    if b.joints and inertia.mass <= 0 and b.parent is not None and not _carries(b, parts):
        b.element.warning("inertia-missing", f"body {b.name!r} moves and has no mass")


def _carries(b: MjcfBody, parts: Parts) -> bool:
    return any(c.parent is b for c in parts.bodies.values())


def _shapes(b: MjcfBody, parts: Parts) -> tuple[tuple[Geometry, ...], tuple[Geometry, ...]]:
    """What touches, and what is drawn."""
    colours = b.file.meshes.colours if b.file is not None else {}
    touches = parts.option.on("contact")
    made = [(g, geometry(g, colours, touches)) for g in b.geoms]
    drawn = (
        replace(x, surface=None, collision_bits=EVERY_BIT, collides_with=EVERY_BIT) for g, x in made if is_drawn(g)
    )
    return tuple(x for g, x in made if g.collides), tuple(drawn)


def _between(b: MjcfBody, j: JointPart) -> str:
    """The link between a joint and the next one of the same body."""
    return f"{b.name}.{j.name}"


def _add_joints(b: MjcfBody, parts: Parts, weights: dict[str, Inertia]) -> None:
    draft = parts.draft
    parent = b.parent.name if b.parent is not None else WORLD
    if any(j.kind == "free" for j in b.joints):
        _float(b, parts)
        return
    if not b.joints:
        if parent == WORLD:
            draft.fixed.add(b.name)
            draft.X_WL[b.name] = b.X_PB
        else:
            name = draft.numbered(f"{b.name}_fixed", draft.joints) if f"{b.name}_fixed" in draft.joints else ""
            name = name or f"{b.name}_fixed"
            fixed = Joint(name=name, kind="fixed", parent=parent, child=b.name, X_PJ=b.X_PB, source=b.element.source)
            draft.add(draft.joints, "joint", name, fixed, b.element)
        return
    X_PL = b.X_PB
    for j in b.joints:
        child = b.name if j is b.joints[-1] else _between(b, j)
        made = _joint(j, parent, child, X_PL, parts, weights)
        draft.add(draft.joints, "joint", j.name, made, j.element)
        if j.scalar and j.ref:
            draft.initial[j.name] = (j.ref,)
        parent, X_PL = child, IDENTITY


def _float(b: MjcfBody, parts: Parts) -> None:
    """A free joint is the base of its part; one without a name of its own is called as every base."""
    j, draft = next(j for j in b.joints if j.kind == "free"), parts.draft
    draft.X_WL[b.name] = b.X_PB
    if j.element.get("name"):
        draft.base_names[b.name] = j.name
    if _aligned(j, b) and not any(other.parent is b for other in parts.bodies.values()):
        j.element.warning(
            "not-simulated", f"body {b.name!r}: its frame is not aligned with its inertia here; positions of its free "
            "joint, in keyframes too, are those of the frame in the file",
        )  # fmt: skip
    forces = [] if j.freejoint else [n for n in ("damping", "stiffness", "armature", "frictionloss") if _given(j, n)]
    if forces:
        j.element.warning("not-simulated", f"joint {j.name!r} is free: its {', '.join(forces)} is not simulated")


def _aligned(j: JointPart, b: MjcfBody) -> bool:
    assert b.file is not None
    align = word(j.element, "align", ("true", "false", "auto"), "auto")
    return align == "true" or (align == "auto" and b.file.compiler.alignfree)


def _given(j: JointPart, name: str) -> bool:
    return any(reals(j.element, name, (0.0, 0.0, 0.0)))


def _joint(j: JointPart, parent: str, child: str, X_PL: Pose, parts: Parts, weights: dict[str, Inertia]) -> Joint:
    X_at = Pose(IDENTITY.R, j.pos) if j.pos.any() else IDENTITY
    X_PJ = X_PL @ X_at
    if j.kind == "ball":
        return Joint(
            name=j.name, kind="ball", parent=parent, child=child, X_PJ=X_PJ, X_CJ=X_at, damping=_ball_damping(j, parts),
            source=j.element.source,
        )  # fmt: skip
    x, y, z = j.axis.tolist()
    if j.ref:
        back = (
            Pose(rotation_about((x, y, z), -j.ref), np.zeros(3))
            if j.kind == "hinge"
            else Pose(IDENTITY.R, -j.ref * j.axis)
        )
        X_PJ = X_PJ @ back
    axis = Axis(xyz=(x, y, z), limits=_limits(j, parts), dynamics=_dynamics(j, parts, weights))
    kind = "continuous" if j.kind == "hinge" and not axis.limits.bounded else KINDS[j.kind]
    return Joint(
        name=j.name, kind=kind, parent=parent, child=child, X_PJ=X_PJ, X_CJ=X_at, axes=(axis,), source=j.element.source
    )


def _ball_damping(j: JointPart, parts: Parts) -> float:
    """What a ball has otherwise is reported."""
    lost = [n for n in ("stiffness", "armature", "frictionloss", "springdamper") if _given(j, n)]
    lost += ["range"] if j.range is not None else []
    if lost:
        j.element.warning("not-simulated", f"joint {j.name!r} is a ball: its {', '.join(lost)} is not simulated")
    damping, *thickening = reals(j.element, "damping", (0.0, 0.0, 0.0))
    return _checked(j, {"damping": damping if parts.option.on("damper") else 0.0}, thickening)["damping"]


def _limits(j: JointPart, parts: Parts) -> Limits:
    low, high = j.range if j.range is not None and parts.option.on("limit") else (-inf, inf)
    effort = effort_range(j)
    most = inf if effort is None else max(abs(effort[0]), abs(effort[1]))
    return Limits(lower=low, upper=high, effort=most)


def effort_range(j: JointPart) -> tuple[float, float] | None:
    """What actuators may do to a joint together; None: anything."""
    assert j.body.file is not None
    e = j.element
    if not j.scalar or not is_limited(e, "actuatorfrclimited", "actuatorfrcrange", j.body.file.compiler.autolimits):
        return None
    low, high = reals(e, "actuatorfrcrange", (0.0, 0.0))
    found = bounds(e, "actuatorfrcrange", (low, high))
    if truth(e, "actuatorgravcomp"):
        e.warning("not-simulated", f"joint {j.name!r}: its limit counts the efforts of actuators, without gravcomp")
    return found


def _dynamics(j: JointPart, parts: Parts, weights: dict[str, Inertia]) -> AxisDynamics:
    e, on = j.element, parts.option.on
    assert j.body.file is not None
    stiffness, *stiffening = reals(e, "stiffness", (0.0, 0.0, 0.0))
    damping, *thickening = reals(e, "damping", (0.0, 0.0, 0.0))
    time, ratio = reals(e, "springdamper", (0.0, 0.0))
    if time > 0 and ratio > 0:
        inertia = averaged_inertia(j, parts, weights)
        stiffness, damping = inertia / max(LEAST, time * time * ratio * ratio), 2 * inertia / time
    angle = j.body.file.compiler.angle if j.kind == "hinge" else float
    values = {
        "damping": damping if on("damper") else 0.0,
        "friction": real(e, "frictionloss") if on("frictionloss") else 0.0,
        "armature": real(e, "armature"),
    }
    passive: dict[str, Any] = _checked(j, values, (*stiffening, *thickening))
    passive["spring_stiffness"] = stiffness if on("spring") else 0.0
    try:
        return AxisDynamics(**passive, spring_reference=angle(real(e, "springref")))
    except ModelError as error:
        e.error("dynamics-invalid", f"joint {j.name!r}: {error}")
        return AxisDynamics()


def _checked(j: JointPart, values: dict[str, float], further: Sequence[float]) -> dict[str, float]:
    """The numbers, none of them negative; `further`: of springs and dampers that are not linear."""
    if any(further):
        message = f"joint {j.name!r}: springs and dampers are linear; further numbers have no effect"
        j.element.warning("not-simulated", message)
    for name, value in values.items():
        if value < 0:
            j.element.error("dynamics-invalid", f"joint {j.name!r}: {name} cannot be negative ({value:g})")
    return {name: max(value, 0.0) for name, value in values.items()}
