"""<joint> of SDFormat."""

from __future__ import annotations

from math import inf

from gearwright.model import WORLD, Axis, AxisRef, Coupling, Joint
from gearwright.writing.actuation import AXES, AXIS_LIKE, FormatDialect, add_friction_model, add_mode
from gearwright.writing.fields import OWN, add_fields
from gearwright.writing.nodes import Node, is_identity, pose_text
from gearwright.writing.placing import Placing, near


def add_joint(
    parent: Node, j: Joint, d: FormatDialect, placing: Placing, couplings: dict[AxisRef, Coupling], *,
    drawn_apart: bool | None = None,
) -> Node:  # fmt: skip
    """A joint, with what acts along its axes. Types that the format lacks become elements of our own."""
    shown = f"joint {j.name!r}"
    standard = "sdf" in j.type.formats
    tag, kind = ("joint", j.kind) if standard else (f"{OWN}joint", OWN + j.kind)
    if not standard:
        d.losses.note(f"{shown}: SDFormat has no type {j.kind}; other programs leave this joint out")
    node = parent.add(tag, name=d.joint(j.name), type=kind)
    if d.joint(j.name) != d.local(j.name):
        node.attributes[f"{OWN}called"] = d.local(j.name)
    _add_pose(node, j, d, placing)
    if _drawn_apart(j, placing) if drawn_apart is None else drawn_apart:
        node.add(f"{OWN}parent_pose", pose_text(j.X_PJ))
    node.add("parent", _end(j.parent, d))
    node.add("child", _end(j.child, d))
    if j.type.travels:
        node.add("screw_thread_pitch", j.thread_pitch)
    for i, axis in enumerate(j.axes):
        add_axis(node, AXES[i], axis, f"{shown}, axis {i + 1}", d, couplings.get(AxisRef(j.name, i)))
    if j.damping:
        unused = node.add("axis")
        unused.add("xyz", (0.0, 0.0, 1.0))
        unused.add("dynamics").add("damping", j.damping)
    if j.safety is not None:
        add_fields(node.add(f"{OWN}safety_controller"), j.safety, shown, d.losses)
    initial = d.robot.initial.get(j.name)
    if initial is not None and tuple(initial) != j.type.zero and not placing.is_free(j):
        node.add(f"{OWN}initial_position", initial)
    return node


def _end(link: str, d: FormatDialect) -> str:
    return link if link == WORLD else d.local(link)


def _add_pose(node: Node, j: Joint, d: FormatDialect, placing: Placing) -> None:
    """In the link that is placed first: the parent, of a joint that carries its child."""
    carries_child = j.child != WORLD and placing.carrying.get(j.child) is j
    if carries_child and j.parent != WORLD:
        if not is_identity(j.X_PJ) or j.parent != j.child:
            node.add("pose", pose_text(j.X_PJ), relative_to=d.local(j.parent))
    elif carries_child:
        node.add("pose", pose_text(j.X_PJ), relative_to="__model__")
    else:
        node.add("pose", pose_text(j.X_CJ), relative_to=_end(j.child, d))


def _drawn_apart(j: Joint, placing: Placing) -> bool:
    """Whether it closes a loop that is open with all joints at zero, and that a simulation assembles."""
    X_W = placing.zero_poses
    return j.name in placing.closing and not near(X_W[j.parent] @ j.X_PJ, X_W[j.child] @ j.X_CJ)


def add_axis(parent: Node, tag: str, axis: Axis, shown: str, d: FormatDialect, mimic: Coupling | None) -> None:
    node = parent.add(tag)
    node.add("xyz", axis.xyz)
    limits = {k: getattr(axis.limits, k) for k in ("lower", "upper", "effort", "velocity", "stiffness", "dissipation")}
    given = {k: x for k, x in limits.items() if x is not None and abs(x) < inf}
    if given:
        limit = node.add("limit")
        for name, x in given.items():
            limit.add(name, x)
    passive = axis.dynamics
    own = ("armature", "friction_model")
    dynamics = Node("dynamics")
    add_fields(dynamics, passive, shown, d.losses, own)
    if passive.armature:
        dynamics.add(f"{OWN}armature", passive.armature)
    if passive.friction_model is not None:
        add_friction_model(dynamics, passive.friction_model, shown, d.losses)
    if dynamics.children:
        node.children.append(dynamics)
    if mimic is not None:
        _add_mimic(node, mimic, d)


def _add_mimic(parent: Node, c: Coupling, d: FormatDialect) -> None:
    """`follower = multiplier·(leader − reference) + offset`, SDFormat's own words."""
    leader = c.leaders[0].axis
    node = parent.add("mimic", joint=d.joint(leader.joint))
    if leader.index or leader.joint.endswith(AXIS_LIKE):
        node.attributes["axis"] = AXES[leader.index]
    node.add("multiplier", c.leaders[0].multiplier)
    node.add("offset", c.offset)
    node.add("reference", c.reference)
    add_mode(node, c, d.losses)
