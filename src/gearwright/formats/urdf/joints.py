"""<joint> of a URDF: axes, limits and passive forces."""

from __future__ import annotations

from math import inf

from gearwright.formats.draft import Draft
from gearwright.formats.parts.actuation import read_mimic
from gearwright.formats.parts.axes import unit
from gearwright.formats.parts.axis_names import Rename
from gearwright.formats.parts.initial_positions import read_initial_position
from gearwright.formats.parts.limits import dynamics, limits, positive_damping, without_axes
from gearwright.formats.urdf.poses import origin
from gearwright.formats.xml.located_xml import Element, parse_number
from gearwright.model import (
    JOINT_KINDS,
    WORLD,
    Axis,
    AxisDynamics,
    AxisRef,
    Joint,
    Limits,
)
from gearwright.model.joints import SafetyController
from gearwright.model.poses import Vector3
from gearwright.model.tree.topology import backward

X: Vector3 = (1.0, 0.0, 0.0)  # URDF's default axis
URDF_KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
OTHER_NAMES = {"spherical": "ball"}  # types of Bullet, MuJoCo and RaiSim


def read_joint(e: Element, draft: Draft, rename: Rename) -> None:
    written, kind = e.get("name") or "", (e.get("type") or "").strip().lower()
    kind = OTHER_NAMES.get(kind, kind)
    if not written:
        e.error("name-missing", "a joint without a name")
        return
    name = rename(written)
    if kind not in JOINT_KINDS:
        draft.refused.add(name)
        near = draft.report.near(kind, URDF_KINDS)
        e.error("joint-type-unknown", f"joint {name!r}: there is no type {kind!r}{near}")
        return
    parent, child = (_end(e, name, end, draft, rename) for end in ("parent", "child"))
    if not parent or not child:
        draft.refused.add(name)
        e.consume()
        return
    if parent == WORLD and WORLD not in draft.links:
        e.warning("name-reserved", f"joint {name!r}: there is no link 'world'; the world itself is used")
    safety = e.child("safety_controller")
    damping = _rotation_damping(e, name) if JOINT_KINDS[kind].damped else 0.0
    axes = _axes(e, name, kind)
    joint = Joint(
        name=name, kind=kind, parent=parent, child=child, X_PJ=origin(e), axes=axes, damping=damping,
        thread_pitch=_pitch(e) if JOINT_KINDS[kind].travels else 0.0, safety=_safety(safety), source=e.source,
    )  # fmt: skip
    if child == WORLD and WORLD in draft.links:
        e.error("joint-world-child", f"joint {name!r}: the world cannot be a child")
    if e.get("reversed") is not None:  # ours: the model's joint leads from child to parent
        joint = backward(joint)
    if draft.add(draft.joints, "joint", name, joint, e):
        read_initial_position(e, joint, draft)
        mimic = e.child("mimic")
        if mimic is not None:
            read_mimic(mimic, draft, AxisRef(name), rename)


def _end(e: Element, joint: str, end: str, draft: Draft, rename: Rename) -> str:
    """The link at one end; "" with an error where there is none."""
    c = e.child(end)
    written = c.get("link") if c is not None else None
    if c is None or not written:
        near = c.misspelt("link") if c is not None else e.misspelt(end)
        (c or e).error("element-missing", f"joint {joint!r} names no {end} link{near}")
        return ""
    link = rename(written)
    if link not in draft.links and link != WORLD:
        near = draft.report.near(link, draft.links)
        c.error("link-not-found", f"joint {joint!r}: its {end} link {link!r} is not declared{near}")
        return ""
    return link


def _pitch(e: Element) -> float:
    pitch = e.child("drake:screw_thread_pitch")
    if pitch is None or "value" not in pitch.attributes:
        name = e.attributes.get("name", "")
        message = (
            f'screw {name!r} needs <drake:screw_thread_pitch value="…"/> [m/rev]{e.misspelt("screw_thread_pitch")}'
        )
        (pitch or e).error("element-missing", message)
        return 1.0
    return pitch.number("value", 1.0)


def _safety(e: Element | None) -> SafetyController | None:
    """For controllers; nothing in the mechanism depends on it."""
    if e is None:
        return None
    with e.report.leaving_out("the safety controller") as reading:
        safety = SafetyController(
            k_velocity=e.number("k_velocity", 0.0),
            k_position=e.number("k_position", 0.0),
            soft_lower_limit=e.number("soft_lower_limit", 0.0, infinite=True),
            soft_upper_limit=e.number("soft_upper_limit", 0.0, infinite=True),
        )
    return None if reading.failed else safety


def _axes(e: Element, name: str, kind: str) -> tuple[Axis, ...]:
    count = JOINT_KINDS[kind].axes
    own = e.child("axes")
    if own is not None and count == 2:  # ours: in the spelling of SDFormat
        from gearwright.formats.sdf.joints import own_axes

        return own_axes(own, name)
    a, lim, dyn = e.child("axis"), e.child("limit"), e.child("dynamics")
    if lim is not None and (not count or kind == "planar"):
        lim.consume()
    if not count:
        _leave_axis_settings(e, name, kind, lim, dyn)
        return ()
    if a is None and kind != "planar":
        e.info("axis-missing", f"joint {name!r} has no <axis>; URDF's default 1 0 0 is used")
    xyz = X if a is None else unit(a, name, a.vector("xyz", X), X)
    bounds = Limits() if kind == "planar" else _limits(e, name, kind, lim)
    passive = _dynamics(dyn, name)
    if count == 2:  # Drake's universal joint: about x, then y, of the joint frame
        return (Axis(xyz=(1.0, 0.0, 0.0), dynamics=passive), Axis(xyz=(0.0, 1.0, 0.0), dynamics=passive))
    return (Axis(xyz=xyz, limits=bounds, dynamics=passive),)


def _leave_axis_settings(e: Element, name: str, kind: str, lim: Element | None, dyn: Element | None) -> None:
    """A joint without axes has no limits and no passive forces here."""
    for unused in e.all("axis", "dynamics"):
        unused.consume()
    known = () if JOINT_KINDS[kind].damped else ("damping",)
    forces = [k for k in (*known, "friction") if dyn is not None and parse_number(dyn.attributes.get(k, "0")) != 0]
    ends = ["range"] if lim is not None and kind == "ball" and not {"lower", "upper"}.isdisjoint(lim.attributes) else []
    without_axes(dyn if forces else lim, name, kind, [*forces, *ends])


def _rotation_damping(e: Element, joint: str) -> float:
    """Of a joint without axes."""
    given = e.child("dynamics")
    return 0.0 if given is None else positive_damping(given, joint, given.number("damping", 0.0))


def _dynamics(e: Element | None, joint: str) -> AxisDynamics:
    if e is None:
        return AxisDynamics()
    damping = (e.get("damping") or "").split()
    if len(damping) > 1 and len(set(damping)) == 1:  # Drake's planar joint writes one for each of its freedoms
        e.attributes["damping"] = damping[0]
    values = {k: e.number(k, 0.0) for k in ("damping", "friction")}
    values |= _beyond_urdf(e, "spring", "spring_stiffness", "spring_reference") | _beyond_urdf(
        e, "armature", "armature"
    )
    return dynamics(e, joint, values)


def _beyond_urdf(e: Element, what: str, *names: str) -> dict[str, float]:
    """Attributes that URDF does not have: other readers skip them, whatever they hold."""
    with e.report.leaving_out(f"the {what}, which URDF does not have,") as reading:
        values = {n: e.number(n, 0.0) for n in names}
    return dict.fromkeys(names, 0.0) if reading.failed else values


def _limits(e: Element, name: str, kind: str, lim: Element | None) -> Limits:
    bounded = JOINT_KINDS[kind].bounded
    if lim is None:
        if bounded:
            e.warning("limit-missing", f"joint {name!r} is {kind} and has no <limit>, so it is unlimited")
        return Limits()
    if len(lim.attributes) > 4:
        for known in ("drake:acceleration", "acceleration", "deceleration", "jerk"):
            lim.get(known)
    missing = [k for k in ("effort", "velocity") if k not in lim.attributes]
    if bounded and missing:
        lim.warning("limit-missing", f"joint {name!r}: <limit> has no {' and no '.join(missing)}, so it has none")
    default = 0.0 if bounded and ("lower" in lim.attributes or "upper" in lim.attributes) else inf
    lower, upper = lim.number("lower", -default, infinite=True), lim.number("upper", default, infinite=True)
    if not bounded:
        lower, upper = -inf, inf
    return limits(
        lim, name, lower=lower, upper=upper, effort=lim.number("effort", inf, infinite=True),
        velocity=lim.number("velocity", inf, infinite=True), **_stop(lim),
    )  # fmt: skip


def _stop(lim: Element) -> dict[str, float]:
    """Stiffness and dissipation of the stops, attributes of ours."""
    return {n: lim.number(n, 0.0) for n in ("stiffness", "dissipation") if n in lim.attributes}
