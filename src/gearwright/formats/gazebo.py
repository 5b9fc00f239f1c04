"""<gazebo> blocks of a URDF: joints (and links) in SDFormat that close loops are read, the rest is left to Gazebo."""

from __future__ import annotations

from gearwright.formats.draft import Draft
from gearwright.formats.located_xml import Element
from gearwright.formats.sdf_joints import read_joint
from gearwright.formats.sdf_links import read_link
from gearwright.formats.sdf_scope import Fragment, Placed, Scope, read_pose
from gearwright.model import IDENTITY, WORLD, Joint, Pose
from gearwright.model.kinematics import link_poses
from gearwright.model.topology import grow, roots, span

# Settings that affect the mechanism but are not simulated: reported one by one, not as "settings for Gazebo"
MECHANISM_SETTINGS = {
    "implicitSpringDamper": "Gazebo's implicit spring-damper; joint damping is always implicit here",
    "springStiffness": "Gazebo's joint spring",
    "springReference": "Gazebo's joint spring",
    "stopCfm": "softness of Gazebo's joint stops",
    "stopErp": "softness of Gazebo's joint stops",
    "turnGravityOff": "Gazebo's switch; gravity acts on every link of a URDF here",
    "fudgeFactor": "Gazebo's fudge factor",
    "disableFixedJointLumping": "Gazebo's merging of fixed joints; links are never merged here",
    "preserveFixedJoint": "Gazebo's merging of fixed joints; links are never merged here",
}


def read_gazebo(robot: Element, draft: Draft) -> None:
    blocks = robot.all("gazebo")
    named = [c for b in blocks for c in b.children if "name" in c.attributes]
    links = [c for c in named if c.tag == "link"]
    joints = [c for c in named if c.tag == "joint"]
    parts = {*links, *joints}
    for b in blocks:
        _leave_settings(b, parts, draft)
    if links or joints:
        _read_parts(links, joints, robot, draft)


def _leave_settings(b: Element, parts: set[Element], draft: Draft) -> None:
    b.get("reference")
    others: set[str] = set()
    for child in b.every():
        if child in parts:
            continue
        child.consume()
        if child.tag not in MECHANISM_SETTINGS:
            others.add(child.tag)
        elif draft.report.first(("gazebo", child.tag)):
            child.info("element-ignored", f"<{child.tag}>: {MECHANISM_SETTINGS[child.tag]}")
    if others and draft.report.first(("gazebo", "block")):
        shown = ", ".join(sorted(others)[:6])
        b.info("element-ignored", f"<gazebo> blocks hold settings for Gazebo ({shown}), not used here")


def _read_parts(links: list[Element], joints: list[Element], robot: Element, draft: Draft) -> None:
    """Gazebo puts them into the model that it makes of the URDF; poses are those of its links at zero."""
    scope = Scope.of_links(robot, _zero_poses(draft))
    fragment = Fragment(robot, version=(1, 6))
    for e in links:
        name = e.get("name") or ""
        scope.parts.setdefault(name, Placed(e, "link", *read_pose(e)))
        read_link(e, name, scope, draft)
    for e in joints:
        name = e.attributes["name"]
        if name in draft.joints:  # Gazebo drops a URDF joint to a massless frame, and this one takes its place
            e.attributes["name"] = f"gazebo::{name}"
            e.warning("name-duplicate", f"the URDF has a joint {name!r} too; Gazebo's is called 'gazebo::{name}'")
        read_joint(e, scope, draft, fragment)


def _zero_poses(draft: Draft) -> dict[str, Pose]:
    ends = {*draft.links, WORLD}
    sound = (j for j in draft.joints.values() if j.parent in ends and j.child in draft.links and j.parent != j.child)
    known = {j.name: j for j in sound}
    kept, _ = span(known)
    held = [Joint(name=f"base {r}", kind="fixed", parent=WORLD, child=r) for r in roots(draft.links, kept)]
    tree = grow(draft.links, [*held, *kept], ())
    return {WORLD: IDENTITY, **link_poses(tree, {b.joint.name: b.joint.type.zero for b in tree.branches})}
