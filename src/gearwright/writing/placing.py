"""Where links and joints stand in a file whose joints carry links, and which joints close loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from gearwright.model import IDENTITY, WORLD, Joint, Mechanism, Pose
from gearwright.model.tree.kinematics import link_poses
from gearwright.model.tree.references import spanned


@dataclass(frozen=True)
class Placing:
    """The joints of a robot by their part in its tree."""

    robot: Mechanism

    @cached_property
    def carrying(self) -> dict[str, Joint]:
        """By link, the joint of the tree that carries it; joints that the tree walks backwards carry their parent."""
        return {b.link: self.robot.joint(b.joint.name) for b in self.robot.tree.branches}

    @cached_property
    def closing(self) -> frozenset[str]:
        """Joints that close loops."""
        return frozenset(j.name for j in spanned(self.robot)[1])

    def is_free(self, joint: Joint) -> bool:
        """Whether it lets a link float in the world."""
        return joint.kind == "floating" and joint.parent == WORLD

    def X_WL(self, joint: Joint) -> Pose:
        """Where a joint of the world holds its link at the start."""
        q = self.robot.initial.get(joint.name, joint.type.zero)
        return joint.X_PC(q)

    @cached_property
    def zero_poses(self) -> dict[str, Pose]:
        """Poses of all links with joints at zero, floating bases at their start."""
        return self.poses_at(lambda joint: joint.type.zero)

    def poses_at(self, position: Callable[[Joint], tuple[float, ...]]) -> dict[str, Pose]:
        """Poses of all links with joints at these positions, floating bases at their start."""
        q = {
            b.joint.name: self.robot.initial.get(b.joint.name, b.joint.type.zero)
            if self.is_free(b.joint)
            else position(b.joint)
            for b in self.robot.tree.branches
        }
        return {WORLD: IDENTITY, **link_poses(self.robot.tree, q)}

    @property
    def joints(self) -> Iterator[Joint]:
        """Those of the file, and the bases."""
        yield from self.robot.bases.values()
        yield from self.robot.joints.values()


def near(a: Pose, b: Pose, tolerance: float = 1e-12) -> bool:
    return bool(abs(a.matrix - b.matrix).max() <= tolerance)
