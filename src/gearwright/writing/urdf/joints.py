"""<joint> of URDF."""

from __future__ import annotations

from gearwright.formats.parts.limits import HUGE
from gearwright.model import Axis, AxisDynamics, AxisRef, Joint, Limits, Pose
from gearwright.writing.actuation import FormatDialect, add_friction_model, add_mode, mimics
from gearwright.writing.fields import OWN, add_fields
from gearwright.writing.nodes import Node, is_identity, numbers, rpy
from gearwright.writing.sdf.joints import add_axis

STANDARD = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
DRAKE = ("ball", "universal", "screw")  # types of <drake:joint>
DRAKE_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))  # of a universal joint


def origin(parent: Node, X: Pose, tag: str = "origin") -> None:
    if not is_identity(X):
        parent.add(tag, xyz=numbers(X.p), rpy=rpy(X.R))


def add_joint(parent: Node, j: Joint, X_UP: Pose, as_written: Joint, d: FormatDialect) -> None:
    """A joint that carries its child; `as_written` is the model's own, which may point from child to parent."""
    shown = f"joint {j.name!r}"
    node = parent.add(_tag(j, d, shown), name=j.name, type=j.kind)
    if as_written.parent != j.parent:
        node.attributes[f"{OWN}reversed"] = "true"
        if j.dof > 1:
            d.losses.note(f"{shown}: it leads from child to parent, which other programs read the other way round")
    origin(node, X_UP @ j.X_PJ)
    node.add("parent", link=j.parent)
    node.add("child", link=j.child)
    if j.type.travels:
        node.add("drake:screw_thread_pitch", value=j.thread_pitch)
    if j.damping:
        node.add("dynamics", damping=j.damping)
    if len(j.axes) == 1:
        _add_axis(node, j, j.axes[0], shown, d)
    elif j.axes:
        both = node.add(f"{OWN}axes")
        for i, axis in enumerate(j.axes):
            add_axis(both, ("axis", "axis2")[i], axis, shown, d, None)
    if as_written.safety is not None:
        safety = as_written.safety
        node.add(
            "safety_controller", soft_lower_limit=safety.soft_lower_limit, soft_upper_limit=safety.soft_upper_limit,
            k_position=safety.k_position, k_velocity=safety.k_velocity,
        )  # fmt: skip
    initial = d.robot.initial.get(j.name)
    if initial is not None and tuple(initial) != j.type.zero:
        node.add(f"{OWN}initial_position", initial)
        if j.kind != "floating":
            d.losses.note(f"{shown}: it starts at {initial}, which other programs do not know")


def _tag(j: Joint, d: FormatDialect, shown: str) -> str:
    if j.kind in STANDARD:
        return "joint"
    if j.kind in DRAKE and (len(j.axes) < 2 or tuple(a.xyz for a in j.axes) == DRAKE_AXES):
        d.losses.note(f"{shown}: URDF has no type {j.kind}; it is a <drake:joint>, which Drake and Gearwright read")
        return "drake:joint"
    d.losses.note(f"{shown}: URDF has no type {j.kind}; other programs do not read this joint")
    return f"{OWN}joint"


def _add_axis(node: Node, j: Joint, axis: Axis, shown: str, d: FormatDialect) -> None:
    node.add("axis", xyz=axis.xyz)
    _add_limit(node, j, axis.limits)
    _add_dynamics(node, axis.dynamics, shown, d)
    mimic = mimics(d.robot).get(AxisRef(j.name))
    if mimic is None:
        return
    (leader, multiplier), reference = mimic.leaders[0], mimic.reference
    m = node.add("mimic", joint=leader.joint, multiplier=multiplier, offset=mimic.offset - multiplier * reference)
    if leader.index:
        m.attributes[f"{OWN}axis"] = "axis2"
    if reference:
        m.attributes[f"{OWN}leader_reference"] = Node("", x=reference).attributes["x"]
    add_mode(m, mimic, d.losses)


def _add_limit(node: Node, j: Joint, limits: Limits) -> None:
    """Revolute and prismatic joints need one; what is not limited is 1e16, SDFormat's and Gazebo's "no limit"."""
    if limits == Limits() and not j.type.bounded:
        return
    bounds = {"lower": max(limits.lower, -HUGE), "upper": min(limits.upper, HUGE)} if j.type.bounded else {}
    limit = node.add("limit", **bounds, effort=min(limits.effort, HUGE), velocity=min(limits.velocity, HUGE))
    for name in ("stiffness", "dissipation"):
        if (value := getattr(limits, name)) is not None:
            limit.attributes |= Node("", **{f"{OWN}{name}": value}).attributes


def _add_dynamics(node: Node, passive: AxisDynamics, shown: str, d: FormatDialect) -> None:
    dynamics = Node("dynamics")
    own = Node("")
    add_fields(own, passive, shown, d.losses, ("friction_model",))
    for field in own.children:
        standard = field.tag in ("damping", "friction")
        dynamics.attributes[field.tag if standard else OWN + field.tag] = field.text
    if passive.friction_model is not None:
        add_friction_model(dynamics, passive.friction_model, shown, d.losses)
    if dynamics.attributes or dynamics.children:
        node.children.append(dynamics)
