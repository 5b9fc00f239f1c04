"""<joint> of SDFormat, its axes, and the two older spellings of couplings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, pi

import numpy as np

from gearwright.formats.draft import Draft
from gearwright.formats.drake.rotors import with_rotor
from gearwright.formats.parts.actuation import read_mimic
from gearwright.formats.parts.axes import Z, unit
from gearwright.formats.parts.initial_positions import read_initial_position
from gearwright.formats.parts.limits import dynamics, limits, positive_damping, without_axes
from gearwright.formats.sdf.scope import MODEL, Fragment, PoseError, Scope, pose_of, read_pose
from gearwright.formats.sdf.sensors import read_joint_sensors
from gearwright.formats.xml.from_fields import values_of
from gearwright.formats.xml.located_xml import OWN_PREFIX, Element, parse_number
from gearwright.model import JOINT_KINDS, WORLD, Axis, AxisDynamics, AxisRef, Joint, Limits, Pose
from gearwright.model.joints import SafetyController
from gearwright.model.poses import Array, Vector3

OLDER = ("gearbox", "mimic")  # types that are couplings; see older_spellings


def read_joint(e: Element, scope: Scope, draft: Draft, fragment: Fragment) -> Joint | None:
    """Adds one joint, and the couplings that its axes carry."""
    name, written = e.get("name") or "", (e.get("type") or "").strip()
    if not name or written in OLDER:
        return None  # reported where names are collected; couplings are read after all joints
    own, written = written.startswith(OWN_PREFIX), written.removeprefix(OWN_PREFIX)
    if written not in JOINT_KINDS or not (own or "sdf" in JOINT_KINDS[written].formats):
        near = e.report.near(written, [*(k for k, kind in JOINT_KINDS.items() if "sdf" in kind.formats), *OLDER])
        e.error("joint-type-unknown", f"joint {name!r}: there is no type {written!r}{near}")
        return None
    ends = JointEnds.read(e, scope, name, fragment)
    if ends is None:
        return None
    damping = _rotation_damping(e, name) if JOINT_KINDS[written].damped else 0.0
    axes = read_axes(e, scope, ends, name, JOINT_KINDS[written].axes, fragment)
    joint = Joint(
        name=scope.full(name), kind=written, parent=ends.parent, child=ends.child, X_PJ=ends.X_PJ,
        X_CJ=ends.X_CJ, axes=tuple(a for a, _ in axes), source=e.source,
        thread_pitch=_thread_pitch(e) if JOINT_KINDS[written].travels else 0.0, damping=damping,
    )  # fmt: skip
    joint = with_rotor(replace(joint, safety=_safety(e)), e)
    _leave_physics(e)
    if not draft.add(draft.joints, "joint", joint.name, joint, e):
        return None
    read_joint_sensors(e, name, scope, draft)
    read_initial_position(e, joint, draft)
    if called := e.get("called"):  # ours: another part has this name in SDFormat
        draft.called[joint.name] = scope.full(called)
    for i, (_, axis) in enumerate(axes):
        mimic = axis.child("mimic") if axis is not None else None
        if mimic is not None:
            read_mimic(mimic, draft, AxisRef(joint.name, i), scope.full)
    drake = e.child("drake:mimic")  # Drake's own spelling before SDFormat had one
    if drake is not None:
        read_mimic(drake, draft, AxisRef(joint.name), scope.full)
    return joint


@dataclass(frozen=True, kw_only=True)
class JointEnds:
    """The links that a joint connects, and its frame in both."""

    parent: str
    child: str
    X_PJ: Pose
    X_CJ: Pose
    X_MJ: Pose  # in the model's frame

    @staticmethod
    def read(e: Element, scope: Scope, name: str, fragment: Fragment) -> JointEnds | None:
        named = {end: e.child_text(end) for end in ("parent", "child")}
        named = {end: fragment.frame if text == MODEL else text for end, text in named.items()}
        for end, text in named.items():
            if not text:
                e.error("element-missing", f"joint {name!r} names no {end}")
        if not all(named.values()):
            return None
        if named["child"] == WORLD:
            e.error("joint-world-child", f"joint {name!r}: the world cannot be a child")
            return None
        if named["child"] == named["parent"]:
            e.error("joint-self", f"joint {name!r} joins {named['child']!r} to itself")
            return None
        links = {end: scope.link(text, e) for end, text in named.items()}
        for end, link in links.items():
            if link is None:
                near = e.report.near(named[end], (n for n, p in scope.parts.items() if p.kind == "link"))
                message = f"joint {name!r}: its {end} link {named[end]!r} is not declared{near}"
                (e.child(end) or e).error("link-not-found", message)
                e.consume()
        if None in links.values():
            return None
        try:
            X_MJ = _pose(e, scope, name, named["child"])
            X_MP, X_MC = (_link_pose(scope, named[end], e) for end in ("parent", "child"))
        except PoseError:
            return None
        parent, child = links["parent"], links["child"]
        assert parent is not None and child is not None
        apart = e.child("parent_pose")  # ours: of a joint that closes a loop, and is drawn open
        X_PJ = X_MP.inverse() @ X_MJ if apart is None else pose_of(apart)
        return JointEnds(parent=parent, child=child, X_PJ=X_PJ, X_CJ=X_MC.inverse() @ X_MJ, X_MJ=X_MJ)


def _pose(e: Element, scope: Scope, name: str, child: str) -> Pose:
    """In the model's frame: as the scope knows it, unless another part has its name there."""
    if name in scope.parts and scope.parts[name].element is e:
        return scope.resolve(name, e)
    relative_to, X = read_pose(e, child)
    return scope.resolve(relative_to, e) @ X


def _link_pose(scope: Scope, name: str, e: Element) -> Pose:
    """The pose of the link that carries `name`, in the model's frame."""
    inner, link = scope.body(name, e)
    if link == WORLD:
        return scope.resolve(WORLD, e)
    path = inner.prefix.removeprefix(scope.prefix) + link
    return scope.resolve(path, e)


def read_axes(
    e: Element, scope: Scope, ends: JointEnds, name: str, count: int, fragment: Fragment
) -> list[tuple[Axis, Element | None]]:
    found: list[tuple[Axis, Element | None]] = []
    for tag in ("axis", "axis2"):
        a = e.child(tag)
        if len(found) == count:
            if a is not None:
                _leave_axis(a, name, e.attributes["type"])
            continue
        if a is None:
            default: Vector3 = Z if tag == "axis" else (0.0, 1.0, 0.0)
            e.warning("axis-missing", f"joint {name!r} has no <{tag}>; {_shown(default)} is used")
            found.append((Axis(xyz=default), None))
            continue
        xyz = axis_direction(a, scope, ends.X_MJ, name, fragment)
        found.append((Axis(xyz=xyz, limits=_limits(a, name), dynamics=_dynamics(a, name)), a))
        a.child("initial_position")
    return found


def own_axes(e: Element, joint: str) -> tuple[Axis, ...]:
    """<axis> and <axis2> in an element of ours in a URDF."""
    found = []
    for a in e.all("axis", "axis2"):
        xyz = unit(a, joint, a.child_vector("xyz", Z), Z)
        found.append(Axis(xyz=xyz, limits=_limits(a, joint), dynamics=_dynamics(a, joint)))
    return tuple(found)


def _rotation_damping(e: Element, joint: str) -> float:
    """Of a joint without axes, where Drake reads it: on an <axis> whose direction means nothing."""
    a = e.child("axis")
    given = None if a is None else a.child("dynamics")
    return 0.0 if given is None else positive_damping(given, joint, given.child_number("damping", 0.0))


def _leave_axis(a: Element, joint: str, kind: str) -> None:
    """Reports a mimic or damping on an axis that the joint's kind does not have; the axis itself is ignored."""
    a.consume()
    unused = ("friction",) if JOINT_KINDS[kind].damped and a.tag == "axis" else ("damping", "friction")
    passive = [c for d in a.children if d.tag == "dynamics" for c in d.children if c.tag in unused]
    given = [c for c in passive if parse_number(c.text) != 0]
    without_axes(given[0] if given else None, joint, kind, [c.tag for c in given])
    if not any(c.tag == "mimic" for c in a.children):
        return
    if kind == "fixed":
        a.warning(
            "mimic-follower-fixed", f"joint {joint!r} is fixed and cannot follow anything: the coupling is dropped"
        )
    else:
        a.error("mimic-axis-missing", f"joint {joint!r} is of type {kind} and has no <{a.tag}> that could follow")


def _shown(v: Vector3) -> str:
    return " ".join(f"{c:g}" for c in v)


def axis_direction(a: Element, scope: Scope, X_MJ: Pose, name: str, fragment: Fragment) -> Vector3:
    """A unit vector in the joint frame. Before 1.5 axes are in the model's frame, until 1.6 where the file says so."""
    x = a.child("xyz")
    if x is None:
        a.warning("axis-missing", f"joint {name!r}: an axis without <xyz>; 0 0 1 is used")
    raw = Z if x is None else a.child_vector("xyz", Z)
    expressed_in = x.get("expressed_in") if x is not None else None
    if a.child_truth("use_parent_model_frame", fragment.version < (1, 5)) and fragment.version < (1, 7):
        expressed_in = expressed_in or MODEL
    expressed_in = fragment.frame if expressed_in == MODEL else expressed_in
    direction = unit(a, name, raw, Z)
    if not expressed_in:
        return direction
    try:
        R_ME = scope.resolve(expressed_in, a).R
    except PoseError:
        return direction
    R_JE: Array = X_MJ.R.T @ R_ME
    if np.array_equal(R_JE, np.eye(3)):
        return direction
    v = R_JE @ np.array(direction)
    v /= np.linalg.norm(v)
    return (float(v[0]), float(v[1]), float(v[2]))


def _limits(a: Element, name: str) -> Limits:
    e = a.child("limit")
    if e is None:
        return Limits()
    softness = {k: e.child_number(k, 0.0) for k in ("stiffness", "dissipation") if e.child(k) is not None}
    return limits(
        e, name, lower=e.child_number("lower", -inf, infinite=True), upper=e.child_number("upper", inf, infinite=True),
        velocity=e.child_number("velocity", inf, infinite=True), effort=e.child_number("effort", inf, infinite=True),
        **softness,
    )  # fmt: skip


def _dynamics(a: Element, joint: str) -> AxisDynamics:
    e = a.child("dynamics")
    if e is None:
        return AxisDynamics()
    names = ("damping", "friction", "spring_stiffness", "spring_reference", "armature")
    return dynamics(e, joint, {k: e.child_number(k, 0.0) for k in names})


def _thread_pitch(e: Element) -> float:
    """`screw_thread_pitch` [m/rev]; the older `thread_pitch` [rad/m] turns the other way: −2π/thread_pitch."""
    old = e.child("thread_pitch")
    if e.child("screw_thread_pitch") is None and old is None:
        near = e.misspelt("screw_thread_pitch")
        message = (
            f"screw {e.attributes.get('name', '')!r} has no <screw_thread_pitch>; SDFormat's 1 m/rev is used{near}"
        )
        e.warning("element-missing", message)
        return 1.0
    if e.child("screw_thread_pitch") is not None or old is None:
        return e.child_number("screw_thread_pitch", 1.0)
    value = e.child_number("thread_pitch", 1.0)
    if abs(value) < 1e-100:
        old.error("number-invalid", "<thread_pitch> must not be zero")
        return 1.0
    return -2 * pi / value


def _safety(e: Element) -> SafetyController | None:
    """URDF's soft limits, as an element of ours."""
    given = e.child("safety_controller")
    return None if given is None else SafetyController(**values_of(given, SafetyController))


def _leave_physics(e: Element) -> None:
    for tag in ("physics", "drake:controller_gains"):
        child = e.child(tag)
        if child is not None:
            if e.report.first(("joint", tag)):
                child.info("element-ignored", f"<{tag}> of joints: settings for another program, not used here")
            child.consume()
    for tag in ("gearbox_ratio", "gearbox_reference_body", "thread_pitch", "screw_thread_pitch"):
        e.child(tag)
