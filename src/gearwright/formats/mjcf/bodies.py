"""<worldbody>: bodies in bodies, <frame>, <replicate> and <attach>, and what stands in them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gearwright.errors import ModelError
from gearwright.formats.mjcf.geoms import read_geom, read_site
from gearwright.formats.mjcf.grammar import heed
from gearwright.formats.mjcf.parts import JointPart, MjcfBody, Parts, Placement
from gearwright.formats.mjcf.poses import orientation, pose, unit
from gearwright.formats.mjcf.values import bounds, exactly, is_limited, real, truth, vector, word
from gearwright.formats.xml.located_xml import Element
from gearwright.model.joints import WORLD
from gearwright.model.poses import IDENTITY, Pose

PARTS = ("inertial", "joint", "freejoint", "geom", "site", "camera", "light", "plugin", "composite", "flexcomp")


def read_children(e: Element, at: Placement, parts: Parts) -> None:
    """Everything inside a body, a frame or the world."""
    for child in e.all("body", "frame", "replicate", "attach", *PARTS):
        if child.tag == "body":
            read_body(child, at, parts)
        elif child.tag == "frame":
            read_children(child, framed(child, at), parts)
        elif child.tag == "replicate":
            from gearwright.formats.mjcf.replicas import read_replicate

            read_replicate(child, at, parts)
        elif child.tag == "attach":
            from gearwright.formats.mjcf.attached import read_attach

            read_attach(child, at, parts)
        elif child.tag in READ:
            READ[child.tag](child, at, parts)
        else:
            heed(child, f"body/{child.tag}")


def framed(e: Element, at: Placement) -> Placement:
    """The place inside a <frame>."""
    heed(e, "body/frame")
    assert at.file is not None
    return replace(at, X_BF=at.X_BF @ pose(e, at.file.compiler), childclass=_childclass(e, at))


def _childclass(e: Element, at: Placement) -> str:
    name = e.get("childclass")
    if name is None:
        return at.childclass
    assert at.file is not None
    at.file.defaults.named(e, name)
    return name


def read_body(e: Element, at: Placement, parts: Parts) -> None:
    heed(e, "body")
    assert at.file is not None
    parent = at.body
    name = parts.name(e, parts.bodies, "body", at.prefix, f"{parent.name}_body")
    if name == WORLD:
        e.error("name-reserved", f"a body cannot be called {WORLD!r}")
    body = MjcfBody(
        name=name, element=e, parent=parent, X_PB=at.X_BF @ pose(e, at.file.compiler), file=at.file,
        mocap=truth(e, "mocap"), gravcomp=real(e, "gravcomp"),
    )  # fmt: skip
    parts.bodies[name] = body
    if body.mocap:
        e.info("element-ignored", f"body {name!r}: mocap bodies stand still here")
        if parent is not parts.world:
            e.error("element-refused", f"body {name!r}: a mocap body must be a child of the world, not of another body")
    read_children(e, replace(at, body=body, X_BF=IDENTITY, childclass=_childclass(e, at)), parts)
    _check_joints(body)


def _check_joints(b: MjcfBody) -> None:
    kinds = [j.kind for j in b.joints]
    after_ball = kinds[kinds.index("ball") + 1 :] if "ball" in kinds else []
    wrong = None
    if "free" in kinds and (len(kinds) > 1 or b.parent is None or b.parent.name != WORLD or b.parent.parent):
        wrong = "a free joint must be the only joint of its body, and the body a child of the world"
    elif {"ball", "hinge"} & set(after_ball):
        wrong = "a ball joint is followed by another rotation"
    elif sum(j.velocities for j in b.joints) > 6:
        wrong = "it has more than six degrees of freedom"
    elif b.mocap and kinds:
        wrong = "a mocap body has no joints"
    if wrong:
        b.element.error("element-refused", f"body {b.name!r}: {wrong}")


def _read_inertial(e: Element, at: Placement, parts: Parts) -> None:
    heed(e, "body/inertial")
    if at.body is parts.world or at.body.inertial is not None:
        e.error("inertia-invalid", f"body {at.body.name!r}: one <inertial> is expected, and none in the world")
        return
    at.body.inertial, at.body.X_BF = e, at.X_BF


def _read_joint(e: Element, at: Placement, parts: Parts) -> None:
    assert at.file is not None
    compiler, body = at.file.compiler, at.body
    at.file.defaults.fill(e, at.childclass)
    heed(e, "body/joint")
    kind = word(e, "type", ("free", "ball", "slide", "hinge"), "hinge")
    if body is parts.world:
        e.error("joint-world-child", "a joint must be in a body, not in the world")
        return
    name = parts.name(e, parts.joints, "joint", at.prefix, f"{body.name}_{kind}")
    try:
        axis = unit(vector(e, "axis", (0.0, 0.0, 1.0))) if kind in ("hinge", "slide") else np.array([0.0, 0.0, 1.0])
    except ModelError:
        e.error("axis-zero", f"joint {name!r}: its axis has length zero")
        return
    angle = compiler.angle if kind == "hinge" else float
    j = JointPart(
        name=name, kind=kind, element=e, body=body, pos=at.X_BF.R @ vector(e, "pos") + at.X_BF.p,
        axis=at.X_BF.R @ axis, ref=angle(real(e, "ref")) if kind in ("hinge", "slide") else 0.0,
    )  # fmt: skip
    if kind != "free" and is_limited(e, "limited", "range", compiler.autolimits):
        low, high = exactly(e, "range", 2) or (0.0, 0.0)
        turned = compiler.angle if kind in ("hinge", "ball") else float
        j.range = bounds(e, "range", (turned(low), turned(high)))
    _add_joint(j, parts)


def _read_freejoint(e: Element, at: Placement, parts: Parts) -> None:
    heed(e, "body/freejoint")
    if at.body is parts.world:
        e.error("joint-world-child", "a joint must be in a body, not in the world")
        return
    name = parts.name(e, parts.joints, "joint", at.prefix, f"{at.body.name}_free")
    zero = np.zeros(3)
    _add_joint(JointPart(name, "free", e, at.body, zero, np.array([0.0, 0.0, 1.0]), freejoint=True), parts)


def _add_joint(j: JointPart, parts: Parts) -> None:
    parts.joints[j.name] = j
    j.body.joints.append(j)


READ = {
    "inertial": _read_inertial,
    "joint": _read_joint,
    "freejoint": _read_freejoint,
    "geom": read_geom,
    "site": read_site,
}


def inertial_pose(b: MjcfBody) -> Pose:
    """X_BI of an <inertial>."""
    e = b.inertial
    assert e is not None and b.file is not None
    return b.X_BF @ Pose(orientation(e, b.file.compiler), vector(e, "pos"))
