"""The parts of an MJCF file while it is read, by name: bodies with their joints, geoms and sites."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from gearwright.formats.draft import Draft
from gearwright.formats.mjcf.compiler import Compiler, Option
from gearwright.formats.mjcf.defaults import MAIN, Defaults
from gearwright.formats.mjcf.grammar import heed
from gearwright.formats.mjcf.meshes import MeshAssets, MeshPart
from gearwright.formats.paths.includes import Library
from gearwright.formats.xml.located_xml import MAX_NAME, Element
from gearwright.model.geometry import Shape
from gearwright.model.joints import WORLD
from gearwright.model.poses import IDENTITY, Array, Pose

_T = TypeVar("_T")


@dataclass(frozen=True)
class Placement:
    """Where elements stand: in a body, at a pose in its frame, with a default class for those that name none."""

    body: MjcfBody
    X_BF: Pose = IDENTITY  # of the <frame> around them
    childclass: str = MAIN
    prefix: str = ""  # of an <attach>
    file: FileSettings | None = None  # of the file that they are written in


@dataclass
class FileSettings:
    """What a file says for all of its elements. A model that another attaches keeps its own."""

    compiler: Compiler
    defaults: Defaults
    meshes: MeshAssets

    @property
    def models(self) -> dict[str, Element]:
        """Models that can be attached."""
        return self.meshes.models


@dataclass(frozen=True)
class SourceFile:
    """A file whose sections are read: the model itself, or one that it attaches, with a prefix for its names."""

    root: Element
    settings: FileSettings
    prefix: str = ""


@dataclass
class JointPart:
    name: str
    kind: str  # "hinge", "slide", "ball", "free"
    element: Element
    body: MjcfBody
    pos: Array  # in the body's frame
    axis: Array
    ref: float = 0.0
    range: tuple[float, float] | None = None
    freejoint: bool = False  # written as <freejoint>

    @property
    def scalar(self) -> bool:
        return self.kind in ("hinge", "slide")

    @property
    def positions(self) -> int:
        return {"free": 7, "ball": 4}.get(self.kind, 1)

    @property
    def velocities(self) -> int:
        return {"free": 6, "ball": 3}.get(self.kind, 1)


@dataclass
class GeomPart:
    name: str
    element: Element
    body: MjcfBody
    kind: str  # "box", "mesh" …
    size: tuple[float, ...]  # half sizes
    mesh: MeshPart | None
    shape: Shape
    X_BG: Pose
    pose: Pose  # as it is drawn and touched
    group: int = 0
    contype: int = 1
    conaffinity: int = 1

    @property
    def X_BI(self) -> Pose:
        """Of its principal axes."""
        return self.X_BG if self.mesh is None else self.X_BG @ self.mesh.X_MI

    @property
    def collides(self) -> bool:
        return bool(self.contype or self.conaffinity)


@dataclass
class SitePart:
    name: str
    element: Element
    body: MjcfBody
    X_BS: Pose


@dataclass
class MjcfBody:
    name: str
    element: Element
    parent: MjcfBody | None
    X_PB: Pose = IDENTITY
    file: FileSettings | None = None
    joints: list[JointPart] = field(default_factory=list)
    geoms: list[GeomPart] = field(default_factory=list)
    inertial: Element | None = None
    X_BF: Pose = IDENTITY  # of the frame around its <inertial>
    mocap: bool = False
    gravcomp: float = 0.0

    @property
    def X_WB(self) -> Pose:
        """In the world, with every joint at its reference."""
        X, b = self.X_PB, self.parent
        while b is not None:
            X, b = b.X_PB @ X, b.parent
        return X

    @property
    def carrier(self) -> MjcfBody:
        """The body with joints, or the world, that it is rigidly part of."""
        b = self
        while b.parent is not None and not b.joints:
            b = b.parent
        return b

    @property
    def part(self) -> MjcfBody:
        """The body in the world that carries it; the world itself."""
        b = self
        while b.parent is not None and b.parent.parent is not None:
            b = b.parent
        return b

    @property
    def above(self) -> MjcfBody | None:
        """What the body that carries it is attached to by joints."""
        return None if self.parent is None else self.parent.carrier

    def upwards(self) -> Iterator[MjcfBody]:
        """The body and those that carry it, the world last."""
        b: MjcfBody | None = self
        while b is not None:
            yield b
            b = b.parent


@dataclass
class Parts:
    """All of them by name, in document order."""

    draft: Draft
    option: Option
    world: MjcfBody
    library: Library
    bodies: dict[str, MjcfBody] = field(default_factory=dict)
    joints: dict[str, JointPart] = field(default_factory=dict)
    geoms: dict[str, GeomPart] = field(default_factory=dict)
    sites: dict[str, SitePart] = field(default_factory=dict)
    tendons: dict[str, Any] = field(default_factory=dict)
    copied: int = 0  # elements, by <replicate>
    replicas: list[str] = field(default_factory=list)  # suffixes, in the order in which MuJoCo makes them
    replicated: dict[tuple[str, str], list[int]] = field(default_factory=dict)  # kind and name → which replicas have it
    files: list[SourceFile] = field(default_factory=list)  # the model, then those that it attaches

    def sections(self, tag: str) -> Iterator[tuple[Element, SourceFile]]:
        """The sections of this name in all files."""
        for file in self.files:
            for e in file.root.all(tag):
                heed(e, tag)
                yield e, file

    def name(
        self, e: Element, family: Collection[str], kind: str, prefix: str, otherwise: str, written: str | None = None
    ) -> str:  # fmt: skip
        """The name of a part: as written, or made from what it belongs to, so that it stays when others change."""
        written = written or e.get("name")
        if written and len(written) > MAX_NAME:
            e.error("xml-unsafe", f"a {kind} with a name of more than {MAX_NAME} characters")
            written = written[:MAX_NAME]
        name = prefix + written if written else otherwise
        if name not in family:
            return name
        if written:
            e.error("name-duplicate", f"there are two {kind}s named {name!r}")
        return self.draft.numbered(f"{name}_", family, first=2)

    def base_or_joint(self, j: JointPart, bases: Mapping[str, str]) -> str | None:
        """What a joint is called in the mechanism; None of one that does not move."""
        if j.kind == "free":
            return bases.get(j.body.name)
        made = self.draft.joints.get(j.name)
        return j.name if made is not None and made.kind != "fixed" else None

    def find(self, e: Element, attribute: str, family: dict[str, _T], kind: str, prefix: str = "") -> _T | None:
        """What an attribute names; None with an error where there is none of that name."""
        written = e.get(attribute)
        if written is None:
            e.error("element-missing", f"<{e.tag}> needs {attribute}, the name of a {kind}")
            return None
        found = family.get(prefix + written)
        if found is None and prefix:  # of a model of which a part is attached
            e.consume()
        elif found is None:
            code = {"joint": "joint-not-found", "body": "link-not-found"}.get(kind, "name-missing")
            e.error(code, f"<{e.tag}>: there is no {kind} {written[:80]!r}{e.report.near(written, family)}")
        return found

    def body(self, e: Element, attribute: str, prefix: str = "") -> MjcfBody | None:
        """A body by name; the world where the attribute is not given."""
        if e.get(attribute) in (None, WORLD):
            return self.world
        return self.find(e, attribute, self.bodies, "body", prefix)
