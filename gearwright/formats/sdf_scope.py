"""Names and poses inside an SDFormat model: what a name means there, and where that is.

A `Scope` is one model (or a world). It knows its links, joints, frames and nested models; `resolve` walks the
`relative_to` references to a pose in the model's own frame, `body` the `attached_to` references to a link.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import radians

from gearwright.errors import suggestion
from gearwright.formats.located_xml import Element
from gearwright.model.joints import WORLD
from gearwright.model.poses import IDENTITY, Pose

MODEL = "__model__"
ROOTS = (MODEL, "__root__")


class PoseError(Exception):
    """A pose that cannot be worked out; the reason is in the report."""


@dataclass(slots=True)
class Placed:
    """A part with a pose in its scope."""

    element: Element
    kind: str  # link, joint, frame or model
    relative_to: str  # another part's name, or __model__
    pose: Pose
    attached_to: str = ""  # of a frame: what carries it


@dataclass(slots=True)
class Scope:
    element: Element
    prefix: str  # "" or "outer::inner::", what its names get in the mechanism
    parent: Scope | None = None
    canonical: str = ""  # the link that carries the model's own frame
    X_WM: Pose = IDENTITY
    parts: dict[str, Placed] = field(default_factory=dict)
    models: dict[str, Scope] = field(default_factory=dict)
    _known: dict[str, Pose] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)

    @staticmethod
    def of_links(element: Element, poses: Mapping[str, Pose]) -> Scope:
        """A scope of links that are already placed, as in a URDF."""
        scope = Scope(element, "")
        for name, pose in poses.items():
            scope.parts[name] = Placed(element, "link", MODEL, pose)
        return scope

    @property
    def is_world(self) -> bool:
        return self.element.tag == "world"

    def full(self, name: str) -> str:
        """The name in the mechanism."""
        return name if name == WORLD else self.prefix + name

    # --- poses -------------------------------------------------------------------------------------------------

    def resolve(self, name: str, asked: Element) -> Pose:
        """The pose of a link, joint, frame or nested model in this model's frame."""
        if name in ROOTS or (name == WORLD and self.is_world):
            return IDENTITY
        if name in self._known:
            return self._known[name]
        if name == WORLD:
            return self.X_WM.inverse()
        inner, _, rest = name.partition("::")
        if rest and name not in self.parts:
            if inner not in self.models:
                raise self._unknown(name, asked)
            return self.resolve(inner, asked) @ self.models[inner].resolve(rest, asked)
        part = self.parts.get(name)
        if part is None:
            raise self._unknown(name, asked)
        if name in self._open:
            circle = " → ".join([*self._open[self._open.index(name) :], name])
            asked.error("frame-cycle", f"poses are defined in a circle: {circle}")
            raise PoseError
        if len(self._open) > 200:
            asked.error("frame-cycle", "poses are defined through more than 200 others")
            raise PoseError
        self._open.append(name)
        try:
            X = self.resolve(part.relative_to, part.element) @ part.pose
        finally:
            self._open.pop()
        self._known[name] = X
        return X

    def _unknown(self, name: str, asked: Element) -> PoseError:
        near = suggestion(name, [*self.parts, MODEL, WORLD])
        asked.error("frame-not-found", f"there is no frame, link, joint or model {name!r} in this model{near}")
        return PoseError()

    # --- what carries a frame ----------------------------------------------------------------------------------

    def body(self, name: str, asked: Element) -> tuple[Scope, str]:
        """The link, in its scope, that a name is rigidly attached to; ("world") for the world."""
        scope, seen = self, set[tuple[int, str]]()
        while True:
            if name == WORLD or (name in ROOTS and scope.is_world):
                return scope, WORLD
            if (id(scope), name) in seen:
                asked.error("frame-cycle", f"frames are attached to each other in a circle at {name!r}")
                raise PoseError
            seen.add((id(scope), name))
            if name in ROOTS:
                if not scope.canonical:
                    raise self._unknown(name, asked)
                name = scope.canonical
                continue
            inner, _, rest = name.partition("::")
            if rest and name not in scope.parts and inner in scope.models:
                scope, name = scope.models[inner], rest
                continue
            part = scope.parts.get(name)
            if part is None:
                raise PoseError
            if part.kind == "link":
                return scope, name
            if part.kind == "model":
                scope, name = scope.models[name], MODEL
            else:
                name = part.attached_to

    def link(self, name: str, asked: Element) -> str | None:
        """The name in the mechanism of the link that `name` is attached to; None where it does not exist."""
        try:
            scope, link = self.body(name, asked)
        except PoseError:
            return None
        return scope.full(link)


def read_pose(e: Element, default_frame: str = MODEL) -> tuple[str, Pose]:
    """<pose> of an element: the frame it is relative to, and the pose in it."""
    p = e.child("pose")
    if p is None:
        return default_frame, IDENTITY
    frame = p.get("relative_to") or p.get("frame") or default_frame
    text = p.words
    if not text:
        return frame, IDENTITY
    values = p.numbers() or []
    written = p.get("rotation_format") or "euler_rpy"
    if len(values) == 7 and written == "quat_xyzw" and any(values[3:]):
        return frame, Pose.from_quaternion(values[:3], (values[6], *values[3:6]))
    if len(values) == 6 and written == "euler_rpy":
        rpy = values[3:]
        if p.truth(p.get("degrees") or "false", "attribute degrees", False):
            rpy = [radians(a) for a in rpy]
        return frame, Pose.from_rpy(values[:3], rpy)
    if values or text:
        expected = "x y z and a quaternion" if written == "quat_xyzw" else "x y z roll pitch yaw"
        p.error("pose-invalid", f"<pose>: expected {expected}, not {text[:60]!r}")
    return frame, IDENTITY
