"""Names and poses inside an SDFormat model: the part that a name refers to, and its pose.

A `Scope` is one model (or a world). It knows its links, joints, frames and nested models; `resolve` walks the
`relative_to` references to a pose in the model's own frame, `body` the `attached_to` references to a link.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from math import radians

from gearwright.formats.sdf.version import Version
from gearwright.formats.xml.located_xml import Element
from gearwright.given_numbers import FARTHEST
from gearwright.model.joints import WORLD
from gearwright.model.poses import IDENTITY, Pose

MODEL = "__model__"
ROOTS = (MODEL, "__root__")


class PoseError(Exception):
    """A pose that cannot be computed; the reason is in the report."""


@dataclass(slots=True)
class Placed:
    """A part with a pose in its scope."""

    element: Element
    kind: str  # link, joint, frame or model
    relative_to: str  # another part's name, or __model__
    pose: Pose
    attached_to: str = ""  # of a frame: what carries it


@dataclass(frozen=True, slots=True)
class Fragment:
    """A model element whose parts went into a scope: its own, or one that was merged into it."""

    element: Element
    version: Version
    frame: str = MODEL  # what __model__ means in it


@dataclass(slots=True)
class Scope:
    element: Element
    prefix: str  # "" or "outer::inner::", what its names get in the mechanism
    parent: Scope | None = None
    canonical: str = ""  # the link that carries the model's own frame
    X_WM: Pose = IDENTITY
    parts: dict[str, Placed] = field(default_factory=dict)
    models: dict[str, Scope] = field(default_factory=dict)
    fragments: list[Fragment] = field(default_factory=list)
    _known: dict[str, Pose] = field(default_factory=dict)
    _broken: set[str] = field(default_factory=set)  # names on a cycle, or leading to one
    bodies: dict[str, tuple[Scope, str]] = field(default_factory=dict)
    adrift: set[str] = field(default_factory=set)  # names whose attachments form a cycle

    @staticmethod
    def of_links(element: Element, poses: Mapping[str, Pose], prefix: str = "") -> Scope:
        """A scope of links that are already placed, as in a URDF; by their names in the mechanism."""
        scope = Scope(element, prefix)
        for name, pose in poses.items():
            scope.parts[name.removeprefix(prefix)] = Placed(element, "link", MODEL, pose)
        return scope

    @property
    def is_world(self) -> bool:
        """Or a file of several models, which stand in no world of their own."""
        return self.element.tag in ("world", "sdf")

    def full(self, name: str) -> str:
        """The name in the mechanism."""
        return name if name == WORLD else self.prefix + name

    # --- poses -------------------------------------------------------------------------------------------------

    def resolve(self, name: str, asked: Element) -> Pose:
        """The pose of a link, joint, frame or nested model in this model's frame."""
        walked: list[Placed] = []  # from the name towards something whose pose is known
        names: list[str] = []
        seen: set[str] = set()
        while (X := self._known_pose(name)) is None:
            if name in self._broken or name in seen:
                self._report_cycle(names, name, asked)
            part = self.parts.get(name) or self._inside(name, asked)
            seen.add(name)
            names.append(name)
            walked.append(part)
            name, asked = part.relative_to, part.element
        for part_name, part in zip(reversed(names), reversed(walked), strict=True):
            X = self._known[part_name] = X @ part.pose
        return X

    def _known_pose(self, name: str) -> Pose | None:
        """Poses that need no search: the model's own frame, the world, and cached ones."""
        if name in ROOTS or (name == WORLD and self.is_world):
            return IDENTITY
        if name == WORLD:
            return self.X_WM.inverse()
        return self._known.get(name)

    def _inside(self, name: str, asked: Element) -> Placed:
        """A part of a nested model, `model::part`, placed relative to that model."""
        inner, _, rest = name.partition("::")
        if not rest or inner not in self.models:
            raise self._unknown(name, asked)
        return Placed(asked, "frame", inner, self.models[inner].resolve(rest, asked))

    def _report_cycle(self, names: list[str], name: str, asked: Element) -> None:
        """Reports a cycle once for all frames on it or leading to it."""
        if name not in self._broken:
            cycle = [*names[names.index(name) :], name]
            shown = cycle if len(cycle) <= 8 else [*cycle[:4], "…", *cycle[-3:]]
            asked.error("frame-cycle", f"the definitions of poses form a cycle: {' → '.join(shown)}")
        self._broken.update(names)
        raise PoseError

    def _unknown(self, name: str, asked: Element) -> PoseError:
        near = asked.report.near(name, chain(self.parts, (MODEL, WORLD)))
        asked.error("frame-not-found", f"there is no frame, link, joint or model {name!r} in this model{near}")
        return PoseError()

    # --- what carries a frame ----------------------------------------------------------------------------------

    def body(self, name: str, asked: Element) -> tuple[Scope, str]:
        """The link, in its scope, that a name is rigidly attached to; the name is "world" for the world."""
        path: list[tuple[Scope, str]] = []
        at: tuple[Scope, str] | None = (self, name)
        seen: set[tuple[int, str]] = set()
        found: tuple[Scope, str] | None = None
        while found is None:
            assert at is not None
            scope, name = at
            if (id(scope), name) in seen or name in scope.adrift:
                if name not in scope.adrift:
                    asked.error("frame-cycle", f"the attachments of frames form a cycle at {name!r}")
                for on_path, part in path:
                    on_path.adrift.add(part)
                raise PoseError
            seen.add((id(scope), name))
            path.append(at)
            found = scope.bodies.get(name) or scope.own_body(name)
            at = scope.carrier(name, asked) if found is None else None
        for scope, name in path:
            scope.bodies[name] = found
        return found

    def own_body(self, name: str) -> tuple[Scope, str] | None:
        if name == WORLD or (name in ROOTS and self.is_world):
            return self, WORLD
        part = self.parts.get(name)
        return (self, name) if part is not None and part.kind == "link" else None

    def carrier(self, name: str, asked: Element) -> tuple[Scope, str]:
        """The scope and name that a frame, joint or model is attached to, one level up."""
        if name in ROOTS:
            if not self.canonical:
                raise self._unknown(name, asked)
            return self, self.canonical
        part = self.parts.get(name)
        inner, _, rest = name.partition("::")
        if part is None and rest and inner in self.models:
            return self.models[inner], rest
        if part is None:
            raise PoseError
        return (self.models[name], MODEL) if part.kind == "model" else (self, part.attached_to)

    def link(self, name: str, asked: Element) -> str | None:
        """The name in the mechanism of the link that `name` is attached to; None where it does not exist."""
        try:
            scope, link = self.body(name, asked)
        except PoseError:
            return None
        return scope.full(link)


def pose_on(e: Element, link: str, scope: Scope) -> Pose:
    """<pose> of what sits on a link, in the link's frame; one that cannot be resolved is reported."""
    relative_to, X = read_pose(e, link)
    if relative_to == link:
        return X
    try:
        return scope.resolve(link, e).inverse() @ scope.resolve(relative_to, e) @ X
    except PoseError:
        return X


def read_pose(e: Element, default_frame: str = MODEL) -> tuple[str, Pose]:
    """<pose> of an element: the frame it is relative to, and the pose in it."""
    p = e.child("pose")
    if p is None:
        return default_frame, IDENTITY
    return p.get("relative_to") or p.get("frame") or default_frame, pose_of(p)


def pose_of(p: Element) -> Pose:
    """The numbers of a <pose>."""
    written, degrees = p.get("rotation_format") or "euler_rpy", p.get("degrees") or "false"
    text = p.words
    if not text:
        return IDENTITY
    values = p.numbers() or []
    if any(abs(v) > FARTHEST for v in values):
        p.error("pose-invalid", f"<pose>: a coordinate exceeds the limit of {FARTHEST:g} m: {text[:60]!r}")
        return IDENTITY
    if len(values) == 7 and written == "quat_xyzw" and any(values[3:]):
        return Pose.from_quaternion(values[:3], (values[6], *values[3:6]))
    if len(values) == 6 and written == "euler_rpy":
        rpy = values[3:]
        if p.truth(degrees, "attribute degrees", False):
            rpy = [radians(a) for a in rpy]
        return Pose.from_rpy(values[:3], rpy)
    if values or text:
        expected = "x y z and a quaternion" if written == "quat_xyzw" else "x y z roll pitch yaw"
        p.error("pose-invalid", f"<pose>: expected {expected}, not {text[:60]!r}")
    return IDENTITY
