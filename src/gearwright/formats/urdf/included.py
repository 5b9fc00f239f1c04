"""A URDF that an SDFormat file includes: its parts stand in the scope of a model, and go into the mechanism with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gearwright.diagnostics import Report
from gearwright.formats.draft import Draft
from gearwright.formats.parts.zero_poses import zero_poses
from gearwright.formats.sdf.scope import Fragment, Placed, Scope
from gearwright.formats.transmissions.plugins import PluginPolicy
from gearwright.formats.xml.located_xml import Element
from gearwright.model import WORLD, Pose

if TYPE_CHECKING:
    from gearwright.formats.paths.includes import Library


def is_urdf(e: Element) -> bool:
    return e.tag == "robot"


@dataclass(frozen=True)
class UrdfPart:
    """A URDF that was read, and where its links are with all joints at zero, in its own frame."""

    draft: Draft
    fragment: Fragment
    poses: dict[str, Pose]  # by name in the mechanism, the root first

    @staticmethod
    def read(
        fragment: Fragment, scope: Scope, report: Report, plugins: PluginPolicy, library: Library
    ) -> UrdfPart:  # fmt: skip
        """Reads all of it, and gives its links and joints a place in the scope."""
        from gearwright.formats.urdf.robot import read_robot  # which reads models inside of <gazebo>

        robot, frame = fragment.element, fragment.frame
        draft = Draft(report)
        read_robot(robot, draft, plugins, library, scope.prefix)
        poses = zero_poses(draft)
        del poses[WORLD]
        for name, X in poses.items():
            scope.parts.setdefault(name.removeprefix(scope.prefix), Placed(robot, "link", frame, X))
        for name, joint in draft.joints.items():
            child = joint.child.removeprefix(scope.prefix)
            place = Placed(robot, "joint", child, joint.X_CJ, attached_to=child)
            scope.parts.setdefault(name.removeprefix(scope.prefix), place)
        return UrdfPart(draft, fragment, poses)

    def place(self, scope: Scope, draft: Draft) -> None:
        """Adds its parts to the mechanism, in which the scope has its place by now."""
        robot = self.fragment.element
        X_WR = scope.X_WM @ scope.resolve(self.fragment.frame, robot)
        part = self.draft
        part.links.pop(WORLD, None)  # the world itself
        tied = {n: replace(j, X_PJ=X_WR @ j.X_PJ) for n, j in part.joints.items() if j.parent == WORLD}
        part.joints.update(tied)
        part.X_WL.update({name: X_WR @ X for name, X in self.poses.items()})
        draft.take(part, robot)
