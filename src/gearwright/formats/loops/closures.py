"""Joints that close loops, however a file says them: two links, a frame on each, and the motion between the frames.

Drake's constraints inside a model, and lists beside it (`closure_lists`), all end here, in an ordinary joint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gearwright.diagnostics import Source
from gearwright.errors import nearest
from gearwright.formats.draft import Draft
from gearwright.formats.parts.zero_poses import zero_poses
from gearwright.model import IDENTITY, JOINT_KINDS, WORLD, Axis, Joint, Pose
from gearwright.model.poses import Vector3

Z: Vector3 = (0.0, 0.0, 1.0)
OTHER_NAMES = {
    "6d": "fixed", "weld": "fixed", "3d": "ball", "connect": "ball", "spherical": "ball", "point": "ball",
    "hinge": "continuous", "cardan": "universal",
}  # fmt: skip
Report = Callable[[str, str], None]  # code and message of an error


@dataclass(frozen=True, kw_only=True)
class ClosureEnd:
    """A link or frame that a closure names, and the joint's frame in it; None: where it is with all joints at zero."""

    name: str
    pose: Pose | None = IDENTITY


@dataclass(frozen=True, kw_only=True)
class Closure:
    """A joint between two links that other joints connect already."""

    name: str  # "": one is made up
    kind: str  # a joint type, or another name of one
    parent: ClosureEnd
    child: ClosureEnd
    axes: tuple[Axis, ...] = field(default_factory=lambda: (Axis(xyz=Z),))  # as many as the type has are taken
    source: Source | None = None

    def add(self, draft: Draft, error: Report, stem: str = "closure") -> None:
        """Adds the joint; what is wrong is reported as an error."""
        kind = OTHER_NAMES.get(self.kind.lower().removesuffix("_joint"), self.kind.lower().removesuffix("_joint"))
        if kind not in JOINT_KINDS:
            error("joint-type-unknown", f"{self._shown}: there is no type {self.kind!r}{nearest(kind, [*JOINT_KINDS])}")
            return
        ends = [_located(draft, end, error, self._shown) for end in (self.parent, self.child)]
        if None in ends:
            return
        (parent, X_PJ), (child, X_CJ) = (end for end in ends if end is not None)
        if parent == child:
            error("joint-self", f"{self._shown} joins {parent!r} to itself")
            return
        if X_PJ is None or X_CJ is None:
            X_PJ, X_CJ = _aligned(zero_poses(draft), (parent, X_PJ), (child, X_CJ))
        if child == WORLD:
            parent, child, X_PJ, X_CJ = child, parent, X_CJ, X_PJ
        name = (
            self.name if self.name and self.name not in draft.joints else draft.numbered(self._stem(stem), draft.joints)
        )
        count = JOINT_KINDS[kind].axes
        draft.joints[name] = Joint(
            name=name, kind=kind, parent=parent, child=child, X_PJ=X_PJ, X_CJ=X_CJ,
            axes=(*self.axes, Axis(xyz=(0.0, 1.0, 0.0)))[:count], source=self.source,
        )  # fmt: skip

    @property
    def _shown(self) -> str:
        return f"closure {self.name!r}" if self.name else f"the closure of {self.parent.name!r} and {self.child.name!r}"

    def _stem(self, stem: str) -> str:
        return f"{self.name}_" if self.name else f"{stem}_"


def _located(draft: Draft, end: ClosureEnd, error: Report, closure: str) -> tuple[str, Pose | None] | None:
    """The link, and the joint's frame in it."""
    frame = draft.frames.get(end.name)
    if end.name in draft.links or end.name == WORLD:
        return end.name, end.pose
    if frame is not None:
        return frame.link, None if end.pose is None else frame.X_LF @ end.pose
    known = [*draft.links, *draft.frames]
    error("link-not-found", f"{closure}: there is no link or frame {end.name!r}{draft.report.near(end.name, known)}")
    return None


def _aligned(
    poses: dict[str, Pose], parent: tuple[str, Pose | None], child: tuple[str, Pose | None]
) -> tuple[Pose, Pose]:
    """Both frames of the joint, which coincide with all joints at zero, by the one that is given."""
    X_PC = poses[parent[0]].inverse() @ poses[child[0]]
    if parent[1] is not None:
        return parent[1], X_PC.inverse() @ parent[1]
    X_CJ = IDENTITY if child[1] is None else child[1]
    return X_PC @ X_CJ, X_CJ
