"""Drake's own elements: rotors that are reflected to a joint, and joints that SDFormat does not have."""

from __future__ import annotations

from dataclasses import replace

from gearwright.formats.draft import Draft
from gearwright.formats.located_xml import Element
from gearwright.formats.sdf_scope import MODEL, Fragment, PoseError, Scope
from gearwright.model import WORLD, Axis, AxisDynamics, Joint, Pose

ROTOR, RATIO = "drake:rotor_inertia", "drake:gear_ratio"


def reflected_inertia(e: Element) -> float:
    """`rotor_inertia·gear_ratio²` [kg·m², kg]: what Drake adds to the joint. Text in SDFormat, `value` in a URDF."""
    rotor, ratio = e.child(ROTOR), e.child(RATIO)
    if rotor is None:
        if ratio is not None:
            ratio.warning("element-missing", f"<{RATIO}> without <{ROTOR}>: there is no rotor to reflect")
            ratio.get("value")
        return 0.0
    inertia = _value(rotor, 0.0)
    if inertia < 0:
        rotor.error("dynamics-invalid", f"<{ROTOR}> cannot be negative ({inertia:g})")
        return 0.0
    return inertia * (1.0 if ratio is None else _value(ratio, 1.0)) ** 2


def _value(e: Element, default: float) -> float:
    written = e.get("value")
    return e.as_number(e.text if written is None else written, f"<{e.tag}>", default, False)


def with_rotor(joint: Joint, e: Element) -> Joint:
    """The joint with the rotor that the element describes added along its axis.

    An effort limit of zero means that there is no motor, in Drake: then there is no rotor either.
    """
    inertia = reflected_inertia(e)
    if not inertia:
        return joint
    if len(joint.axes) != 1 or joint.dof != 1:
        e.warning(
            "element-ignored", f"<{ROTOR}>: joint {joint.name!r} is {joint.kind}, and has no one axis for a rotor"
        )
        return joint
    axis = joint.axes[0]
    if axis.limits.effort == 0:
        e.info(
            "element-ignored", f"<{ROTOR}>: joint {joint.name!r} has an effort limit of 0, so that there is no motor"
        )
        return joint
    dynamics = replace(axis.dynamics, armature=axis.dynamics.armature + inertia)
    return replace(joint, axes=(replace(axis, dynamics=dynamics),))


def read_drake_joint(e: Element, scope: Scope, draft: Draft, fragment: Fragment) -> None:
    """<drake:joint type="planar"> with <drake:parent> and <drake:child>, which name frames that it makes coincide."""
    name, kind = e.get("name") or "", e.get("type") or ""
    if not name or kind != "planar":
        code, what = ("name-missing", "has no name") if not name else ("joint-type-unknown", f"has the type {kind!r}")
        e.error(code, f"a <drake:joint> {what}; Drake knows planar ones only")
        return
    placed: list[tuple[str, Pose]] = []
    for end in ("drake:parent", "drake:child"):
        frame = e.child_text(end)
        frame = fragment.frame if frame == MODEL else frame
        link = scope.link(frame, e) if frame else None
        if link is None:
            near = e.report.near(frame, scope.parts) if frame else ""
            e.error("link-not-found", f"joint {name!r}: its <{end}> {frame!r} does not exist{near}")
            return
        try:
            placed.append((link, _in_link(scope, frame, e)))
        except PoseError:
            return
    (parent, X_PJ), (child, X_CJ) = placed
    axis = Axis(xyz=(0.0, 0.0, 1.0), dynamics=AxisDynamics(damping=_turning_damping(e, name)))
    joint = Joint(
        name=scope.full(name), kind="planar", parent=parent, child=child, X_PJ=X_PJ, X_CJ=X_CJ, axes=(axis,),
        source=e.source,
    )  # fmt: skip
    draft.add(draft.joints, "joint", joint.name, joint, e)


def _in_link(scope: Scope, frame: str, e: Element) -> Pose:
    """The frame's pose in the link that carries it."""
    inner, link = scope.body(frame, e)
    carrier = WORLD if link == WORLD else inner.prefix.removeprefix(scope.prefix) + link
    return scope.resolve(carrier, e).inverse() @ scope.resolve(frame, e)


def _turning_damping(e: Element, joint: str) -> float:
    """Damping of the rotation, out of the file's x, y and rotation; the translations of a planar joint have none."""
    x, y, turn = e.child_vector("drake:damping", (0.0, 0.0, 0.0))
    if min(x, y, turn) < 0:
        e.error("dynamics-invalid", f"joint {joint!r}: damping cannot be negative")
        return 0.0
    if x or y:
        message = f"joint {joint!r}: damping along x and y ({x:g}, {y:g} N·s/m) is not simulated; that of the turn is"
        e.warning("element-ignored", message)
    return turn
