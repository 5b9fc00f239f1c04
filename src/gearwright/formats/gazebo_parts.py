"""Links and joints in SDFormat inside <gazebo> blocks of a URDF."""

from __future__ import annotations

from gearwright.formats.draft import Draft
from gearwright.formats.located_xml import Element
from gearwright.formats.sdf_joints import read_joint
from gearwright.formats.sdf_links import read_link
from gearwright.formats.sdf_scope import Fragment, Placed, Scope, read_pose
from gearwright.model import IDENTITY, WORLD, Joint, Pose
from gearwright.model.kinematics import link_poses
from gearwright.model.topology import grow, roots, span


def read_parts(links: list[Element], joints: list[Element], robot: Element, draft: Draft) -> None:
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
