"""Elements of ours in a URDF: own frames of links, apart from their joints, and sensors on links and joints."""

from __future__ import annotations

from dataclasses import replace

from gearwright.formats.draft import Draft
from gearwright.formats.sdf.scope import Scope
from gearwright.formats.sdf.sensors import read_body_sensor
from gearwright.formats.xml.located_xml import Element
from gearwright.model import IDENTITY, Geometry, Joint, Link, Pose


def read_body_sensors(sensors: list[Element], robot: Element, draft: Draft, prefix: str) -> None:
    """`<gearwright:body_sensor>`: a <sensor> as of SDFormat, with the link or joint that it sits on as an attribute."""
    scope = Scope(robot, prefix)
    for e in sensors:
        owner = e.get("link") or e.get("joint") or ""
        read_body_sensor(e, owner, scope, draft)


def in_own_frames(draft: Draft) -> None:
    """Puts everything on these links into their own frames; a URDF has them in those of their joints.

    Sensors of ours have their poses in the links' own frames already.
    """
    X_LU = {name: X.inverse() for name, X in draft.link_frames.items()}
    for name, X in X_LU.items():
        draft.links[name] = _link(draft.links[name], X)
    for name, j in draft.joints.items():
        draft.joints[name] = _joint(j, X_LU.get(j.parent, IDENTITY), X_LU.get(j.child, IDENTITY))
    for name, f in draft.frames.items():
        draft.frames[name] = replace(f, X_LF=X_LU.get(f.link, IDENTITY) @ f.X_LF)


def _link(link: Link, X_LU: Pose) -> Link:
    def moved(g: Geometry) -> Geometry:
        return replace(g, pose=X_LU @ g.pose)

    return replace(
        link, inertia=replace(link.inertia, pose=X_LU @ link.inertia.pose), visuals=tuple(map(moved, link.visuals)),
        collisions=tuple(map(moved, link.collisions)),
    )  # fmt: skip


def _joint(j: Joint, X_PU: Pose, X_CU: Pose) -> Joint:
    return replace(j, X_PJ=X_PU @ j.X_PJ, X_CJ=X_CU @ j.X_CJ)
