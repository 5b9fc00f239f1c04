"""A mechanism under construction: readers add parts, `finish` builds the frozen model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, MutableMapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from gearwright.diagnostics import Diagnostic, Report, in_line_order
from gearwright.errors import LoadError, ModelError
from gearwright.formats.transmissions.left_out import leave_out_transmissions
from gearwright.formats.xml.located_xml import MAX_NAME, Element
from gearwright.model import WORLD, AxisRef, Coupling, Couplings, Joint, Link, Mechanism, NamedFrame, Pose, Transmission
from gearwright.model.actuators import Actuator
from gearwright.model.checks.checks import advise
from gearwright.model.keyframes import Keyframe
from gearwright.model.mechanism import DEFAULT_GRAVITY
from gearwright.model.poses import IDENTITY, Vector3
from gearwright.model.sensors.sensors import Sensor
from gearwright.model.tree.topology import roots, span

if TYPE_CHECKING:
    from gearwright.model.hardware.hardware import Hardware

Base = Literal["floating", "fixed"]
_T = TypeVar("_T")
_MISSING = re.compile(r".*\b(?:joint|link|transmission|actuator) (.+?) does not exist")  # the last part that is named


@dataclass(slots=True)
class Draft:
    """Parts by name, in document order."""

    report: Report
    name: str = ""
    links: dict[str, Link] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    frames: dict[str, NamedFrame] = field(default_factory=dict)
    couplings: list[Coupling] = field(default_factory=list)
    transmissions: dict[str, Transmission] = field(default_factory=dict)
    actuators: dict[str, Actuator] = field(default_factory=dict)
    sensors: dict[str, Sensor] = field(default_factory=dict)
    hardware: dict[str, Hardware] = field(default_factory=dict)
    initial: dict[str, tuple[float, ...]] = field(default_factory=dict)
    X_WL: dict[str, Pose] = field(default_factory=dict)  # where links stand at first, for those that float
    link_frames: dict[str, Pose] = field(default_factory=dict)  # X_UL: own frames of links in a URDF's, where given
    called: dict[str, str] = field(default_factory=dict)  # joints that a format cannot call as they are: their names
    names: dict[str, str] = field(default_factory=dict)  # the same of parts of any kind, after those of joints
    fixed: set[str] = field(default_factory=set)  # links of static models
    gravity: Vector3 = DEFAULT_GRAVITY
    refused: set[str] = field(default_factory=set)  # names of parts that were written and could not be read
    foreign: set[str] = field(default_factory=set)  # names of actuators of other programs, which are left out
    declared: set[str] = field(default_factory=set)  # actuators that a transmission declares, as in ROS
    search_path: tuple[str, ...] = ()  # where meshes are looked for
    scene: bool = False  # a world of several models
    several_roots: bool = True  # parts that hang on nothing are allowed
    self_collide: list[str] = field(default_factory=list)  # links that touch others of their own robot
    no_contact: list[tuple[str, str]] = field(default_factory=list)  # links that never touch each other
    apart: set[str] = field(default_factory=set)  # links that may hang on nothing in any case
    base_names: dict[str, str] = field(default_factory=dict)  # of links whose bases the file names
    cut: list[str] = field(default_factory=list)  # joints that the file closes loops with
    keyframes: dict[str, Keyframe] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)
    _by_joint: dict[str, list[str]] = field(default_factory=dict)  # actuators, the first _counted of them
    _counted: int = 0

    def add(self, family: MutableMapping[str, _T], kind: str, name: str, part: _T, element: Element) -> bool:
        """Adds a part, unless its name is taken or too long."""
        if len(name) > MAX_NAME:
            element.error("xml-unsafe", f"the name of this {kind} has more than {MAX_NAME} characters")
            return False
        if name in family:
            before = getattr(family[name], "source", None)
            where = f"; the first is at line {before.line}" if before else ""
            element.error("name-duplicate", f"there are two {kind}s named {name!r}{where}")
            return False
        family[name] = part
        return True

    def distinct(self, family: Collection[str], kind: str, name: str, element: Element) -> str:
        """The name, or where another part has it, a new one with a number, and a warning."""
        if name not in family:
            return name
        free = self.numbered(f"{name}_", family)
        element.warning("name-duplicate", f"there is another {kind} named {name!r}; this one is called {free!r}")
        return free

    def take(self, other: Draft, element: Element) -> None:
        """Adds the parts of another draft; `element` is where they come from."""
        for kind in ("link", "joint", "frame", "transmission", "actuator", "sensor"):
            for name, part in getattr(other, f"{kind}s").items():
                self.add(getattr(self, f"{kind}s"), kind, name, part, element)
        for name, hardware in other.hardware.items():
            self.add(self.hardware, "ros2_control tag", name, hardware, element)
        self.couplings += other.couplings
        self.self_collide += other.self_collide
        self.no_contact += other.no_contact
        self.initial |= other.initial
        self.X_WL |= other.X_WL
        for names in ("refused", "foreign", "declared"):
            getattr(self, names).update(getattr(other, names))

    def numbered(self, stem: str, taken: Collection[str], first: int = 1) -> str:
        """The stem with the next number that makes it new."""
        while True:
            self._numbers[stem] = self._numbers.get(stem, first - 1) + 1
            name = f"{stem}{self._numbers[stem]}"
            if name not in taken:
                return name

    def actuator_of(self, joint: str) -> str | None:
        """The one actuator of this joint; None if it has none, or several."""
        added = islice(reversed(self.actuators.values()), len(self.actuators) - self._counted)
        for a in added:
            if a.joint is not None:
                self._by_joint.setdefault(str(a.joint), []).append(a.name)
        self._counted = len(self.actuators)
        found = self._by_joint.get(joint, [])
        return found[0] if len(found) == 1 else None

    def build(self, element: Element, code: str, what: str, kind: Callable[..., _T], **fields: Any) -> _T | None:
        """Makes a part whose own validation may refuse it."""
        try:
            return kind(source=element.source, **fields)
        except ModelError as e:
            element.error(code, f"{what}: {e}")
            return None

    def finish(self, base: Base | None, root: Element, cut: tuple[str, ...] = ()) -> Mechanism:
        """The frozen mechanism. Raises LoadError with everything that was found."""
        leave_out_transmissions(self)
        couplings = _settled(self)
        bases = self._bases(base, root)
        try:
            mechanism = Mechanism(
                name=self.name, links=self.links, joints=self.joints, frames=self.frames,
                couplings=Couplings(couplings), transmissions=self.transmissions, actuators=self.actuators,
                sensors=self.sensors, hardware=self.hardware, bases=bases, cut=(*self.cut, *cut),
                initial=self.initial, keyframes=self.keyframes, search_path=self.search_path,
                self_collide=tuple(self.self_collide), no_contact=tuple(self.no_contact),
                gravity=self.gravity, reported=tuple(self.report),
            )  # fmt: skip
        except ModelError as e:
            refused = {repr(name) for name in self.refused}
            self.report.extend(d for d in e.diagnostics if not _follows(d, refused))
            raise LoadError(self.report) from None
        if self.called or self.names:
            from gearwright.model.renaming import renamed_joints, with_names

            mechanism = with_names(renamed_joints(mechanism, self.called), self.names)
        if self.report.failed:  # loops of a part of the file need not close
            raise LoadError(in_line_order((*mechanism.reported, *advise(mechanism, closing=False))))
        return mechanism

    def _bases(self, base: Base | None, root: Element) -> dict[str, Joint]:
        """Connects each part without a parent joint to the world: floating, or fixed if file or caller say so."""
        starts = self._starts()
        ends = {*self.links, WORLD}
        sound = all(j.parent in ends and j.child in ends for j in self.joints.values()) and not self.report.failed
        own = [s for s in starts if s not in self.apart]
        if len(own) > 1 and not self.several_roots and sound:
            names = ", ".join(repr(s) for s in own[:5])
            root.error("root-multiple", f"there are {len(own)} root links where a URDF has one: {names}")
        bases: dict[str, Joint] = {}
        for link, name in self._base_names(starts).items():
            source = self.links[link].source
            X = self.X_WL.get(link)
            if (base or ("fixed" if link in self.fixed else "floating")) == "fixed":
                X_PJ = IDENTITY if X is None else X
                bases[name] = Joint(name=name, kind="fixed", parent=WORLD, child=link, X_PJ=X_PJ, source=source)
            else:
                bases[name] = Joint(name=name, kind="floating", parent=WORLD, child=link, source=source)
                if X is not None:
                    self.initial[name] = (*X.p.tolist(), *X.quaternion)
        return bases

    def _starts(self) -> list[str]:
        """One link of each part that no joint ties to the world."""
        ends = {*self.links, WORLD}
        known = {n: j for n, j in self.joints.items() if j.parent in ends and j.child in ends}
        kept, _ = span(known, self.cut)
        return roots(self.links, kept)

    def bases_by_link(self) -> dict[str, str]:
        """The names that bases will have, with the joints there are by now."""
        return self._base_names(self._starts())

    def _base_names(self, starts: Collection[str]) -> dict[str, str]:
        sizes = Counter(link.partition("::")[0] for link in self.links) if self.scene else Counter[str]()
        names: dict[str, str] = {}
        taken: set[str] = set()
        for link in starts:
            names[link] = name = self._base_name(link, taken, sizes)
            taken.add(name)
        return names

    def _base_name(self, link: str, bases: set[str], sizes: Counter[str]) -> str:
        """As the file says; `base`, `base_link` …; in a world `model::base`, or `model` of a body that is a model."""
        model, colons, own = link.partition("::")
        if link in self.base_names:
            name = self.base_names[link]
        elif colons and sizes:
            name = model if sizes[model] == 1 else f"{model}::base"
            name = f"{model}::base_{own}" if name in bases else name
        else:
            name = f"base_{link}" if bases else "base"
        while name in self.joints or name in bases:
            name += "_"
        return name


def _follows(d: Diagnostic, refused: set[str]) -> bool:
    """Whether a diagnostic only follows from a part that was refused and reported before."""
    missing = _MISSING.search(d.message)
    return missing is not None and missing[1] in refused


def _settled(draft: Draft) -> list[Coupling]:
    """Couplings with distinct names; those of fixed followers dropped, second ones of a follower made hard."""
    settled: dict[str, Coupling] = {}
    followers: set[AxisRef] = set()
    for c in draft.couplings:
        joint = draft.joints.get(c.follower.joint)
        if joint is not None and joint.kind == "fixed":
            message = f"joint {joint.name!r} is fixed and cannot follow anything: the coupling is dropped"
            draft.report.warning("mimic-follower-fixed", message, c.source)
            continue
        changes: dict[str, Any] = {}
        if c.follower in followers and c.mode == "exact":
            message = f"{c.follower} already follows; {c.alias or c.name!r} is made a hard constraint beside it"
            draft.report.warning("mimic-duplicate", message, c.source)
            changes["mode"] = "hard"
        if c.name in settled:
            free = c.alias or c.name
            changes |= {"name": free if free not in settled else draft.numbered(f"{free}#", settled), "alias": None}
        followers.add(c.follower)
        new = replace(c, **changes)
        settled[new.name] = new
    return list(settled.values())
