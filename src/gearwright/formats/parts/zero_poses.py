"""Where the links of a mechanism under construction are, with all of its joints at zero."""

from __future__ import annotations

from gearwright.formats.draft import Draft
from gearwright.model import IDENTITY, WORLD, Joint, Pose
from gearwright.model.tree.kinematics import link_poses
from gearwright.model.tree.topology import grow, roots, span


def zero_poses(draft: Draft) -> dict[str, Pose]:
    """Poses of all links with joints at zero; links that nothing ties to the world are held where it is."""
    ends = {*draft.links, WORLD}
    sound = (j for j in draft.joints.values() if j.parent in ends and j.child in draft.links and j.parent != j.child)
    known = {j.name: j for j in sound}
    kept, _ = span(known)
    held = [Joint(name=f"base {r}", kind="fixed", parent=WORLD, child=r) for r in roots(draft.links, kept)]
    tree = grow(draft.links, [*held, *kept], ())
    return {WORLD: IDENTITY, **link_poses(tree, {b.joint.name: b.joint.type.zero for b in tree.branches})}
