"""Models of SDFormat, nested and included, flattened into one mechanism.

Reading goes in three rounds over the models: names and poses (scopes), then links and joints, then what couples,
drives and senses them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from gearwright.formats.draft import Draft
from gearwright.formats.drake.constraints import read_drake_constraints
from gearwright.formats.drake.joints import read_drake_joint
from gearwright.formats.parts.actuation import read_actuation
from gearwright.formats.paths.includes import Library
from gearwright.formats.ros2_control.tags import read_ros2_controls
from gearwright.formats.sdf.choice import is_static
from gearwright.formats.sdf.joints import OLDER, read_joint
from gearwright.formats.sdf.links import read_link
from gearwright.formats.sdf.older_spellings import Welds, read_older_spellings
from gearwright.formats.sdf.scope import ROOTS, Fragment, Placed, PoseError, Scope, read_pose
from gearwright.formats.sdf.version import Version
from gearwright.formats.transmissions.plugins import PluginPolicy
from gearwright.formats.urdf.included import UrdfPart, is_urdf
from gearwright.formats.xml.located_xml import MAX_NAME, Element
from gearwright.model import WORLD, NamedFrame, Pose
from gearwright.model.poses import IDENTITY


class ModelReader:
    """Reads models into a draft, nested and included ones, too; those of a URDF among them."""

    def __init__(self, draft: Draft, plugins: PluginPolicy, library: Library) -> None:
        self.draft = draft
        self.plugins = plugins
        self.library = library
        self.placed: list[Scope] = []  # inner ones first
        self.static: set[str] = set()  # prefixes of nested models that do not move
        self.robots: dict[Fragment, UrdfPart] = {}

    # round one: names and poses

    def scope(self, e: Element, prefix: str, parent: Scope | None, version: Version) -> Scope:
        scope = Scope(e, prefix, parent)
        e.get("namespace")  # of messages, not of parts
        self._collect(scope, Fragment(e, version))
        scope.canonical = self._canonical(scope) or next((n for n, p in _of(scope, "link")), "")
        if not scope.canonical and scope.models:
            first = next(iter(scope.models))
            scope.canonical = f"{first}::{scope.models[first].canonical}"
        return scope

    def _canonical(self, scope: Scope) -> str:
        """The link that the model names; "" where it names none, or none that exists."""
        e = scope.element
        name = e.get("canonical_link") or ""
        holder, links = scope, name.split("::")
        while len(links) > 1 and links[0] in holder.models:
            holder = holder.models[links.pop(0)]
        part = holder.parts.get("::".join(links))
        if not name or (part is not None and part.kind == "link"):
            return name
        near = e.report.near(name, (n for n, _ in _of(scope, "link")))
        e.recoverable("link-not-found", f"the canonical link {name!r} does not exist{near}; the first link is used")
        return ""

    def _collect(self, scope: Scope, fragment: Fragment) -> None:
        """Adds the parts of a model element to a scope; a merged include is one more element."""
        scope.fragments.append(fragment)
        e, own = fragment.element, fragment.frame
        if is_urdf(e):
            self.robots[fragment] = UrdfPart.read(fragment, scope, self.draft.report, self.plugins, self.library)
            return
        for c in e.all("link"):
            self._name(scope, c, "link", *read_pose(c, own), fragment=fragment)
        for c in e.all("joint"):
            child = next((g.words for g in c.children if g.tag == "child"), "")
            older = c.attributes.get("type", "") in OLDER
            pose = read_pose(c, child or own)
            self._name(scope, c, "joint", *pose, attached_to=child, placed=not older, fragment=fragment)
        self.collect_frames(scope, fragment)
        for c in e.all("model"):
            self.nest(scope, c, c, fragment)
        for c in e.all("include"):
            self.include(scope, c, fragment, strict=not scope.is_world)

    def collect_frames(self, scope: Scope, fragment: Fragment) -> None:
        for c in fragment.element.all("frame"):
            attached = c.get("attached_to") or fragment.frame
            self._name(scope, c, "frame", *read_pose(c, attached), attached_to=attached, fragment=fragment)

    def include(self, scope: Scope, c: Element, fragment: Fragment, strict: bool) -> None:
        """Adds the model that an <include> brings. `strict`: nothing found is an error, not a warning."""
        included = self.library.include(c, strict)
        if included is None:
            return
        brought = Fragment(included.model, included.version, fragment.frame)
        merge = c.get("merge")
        if merge is not None and c.truth(merge, "attribute merge", False):
            self._merge(scope, c, brought)
        else:
            self.nest(scope, included.model, c, brought)

    def _merge(self, scope: Scope, c: Element, brought: Fragment) -> None:
        """The included model's parts become this model's own; its frame stands where the include says."""
        frame = f"__merged_{brought.element.attributes.get('name', '')}__"
        try:
            relative_to, X = self.placement(c, brought.element, None, brought.frame, brought.version)
        except PoseError:  # reported
            return
        scope.parts[frame] = Placed(c, "frame", relative_to, X, attached_to=brought.frame)
        self._collect(scope, Fragment(brought.element, brought.version, frame))

    def placement(
        self, placing: Element, model: Element, inner: Scope | None, default: str, version: Version
    ) -> tuple[str, Pose]:
        """Where a nested or included model's frame stands: its placement frame is put at the pose."""
        where = placing if any(c.tag == "pose" for c in placing.children) else model
        relative_to, X = read_pose(where, default)
        placement = placing.child_text("placement_frame") or model.get("placement_frame")
        if placement:
            X = X @ (inner or self.scope(model, "", None, version)).resolve(placement, placing).inverse()
        return relative_to, X

    def nest(self, scope: Scope, model: Element, placing: Element, fragment: Fragment) -> None:
        name = model.get("name") or ""
        if not name:
            model.error("name-missing", "a nested model without a name")
            return
        if scope.is_world and name in scope.parts:
            name = self._another_name(scope, model, name)
        if scope.prefix.count("::") > 40 or len(name) > MAX_NAME:
            model.error("xml-unsafe", "models are nested too deeply, or their names are too long")
            return
        inner = self.scope(model, f"{scope.full(name)}::", scope, fragment.version)
        try:
            pose = self.placement(placing, model, inner, fragment.frame, fragment.version)
        except PoseError:
            return
        if placing.child_truth("static", False) or is_static(model):
            self.static.add(inner.prefix)
        if self._name(scope, model, "model", *pose, fragment=fragment):
            scope.models[name] = inner

    def _another_name(self, scope: Scope, model: Element, name: str) -> str:
        """Worlds of before 1.7 repeat the names of models; Gazebo numbers them."""
        free = self.draft.numbered(f"{name}_", scope.parts)
        first = scope.parts[name].element.line
        message = f"there is another {name!r} in this world, at line {first}; this model is called {free!r}"
        model.warning("name-duplicate", message)
        model.attributes["name"] = free
        return free

    def _name(
        self, scope: Scope, e: Element, kind: str, relative_to: str, X: Pose, *, fragment: Fragment,
        attached_to: str = "", placed: bool = True,
    ) -> bool:  # fmt: skip
        """Gives a part its name in the scope. False if it cannot have it."""
        name = e.get("name") or ""
        if not name:
            e.error("name-missing", f"a {kind} without a name")
            return False
        if name == WORLD or (name.startswith("__") and name.endswith("__")):
            e.error("name-reserved", f"{name!r} cannot name a {kind}: the name is reserved in SDFormat")
            return False
        other = scope.parts.get(name)
        if other is not None:
            if other.kind == kind or fragment.version >= (1, 7):
                message = f"there are two parts named {name!r} in this model; the first is at line {other.element.line}"
                e.error("name-duplicate", message)
            return False  # before 1.7 a joint could share a link's name; nothing refers to its frame then
        if placed:
            at, on = (fragment.frame if n in ROOTS else n for n in (relative_to, attached_to))
            scope.parts[name] = Placed(e, kind, at, X, on)
        return True

    # rounds two and three

    def place(self, scope: Scope, X_WP: Pose) -> None:
        """Reads the bodies of a scope whose parent frame stands at X_WP, then those of its nested models."""
        scope.X_WM = X_WP
        for inner_name, inner in scope.models.items():
            try:
                self.place(inner, scope.X_WM @ scope.resolve(inner_name, inner.element))
            except PoseError:
                continue
        for name, part in list(_of(scope, "link")):
            if not is_urdf(part.element):
                read_link(part.element, name, scope, self.draft)
        for fragment in scope.fragments:
            if fragment in self.robots:
                self.robots[fragment].place(scope, self.draft)
                continue
            for c in fragment.element.all("joint"):
                read_joint(c, scope, self.draft, fragment)
            for c in fragment.element.all("drake:joint"):
                read_drake_joint(c, scope, self.draft, fragment)
        for name, part in _of(scope, "frame"):
            self._frame(scope, name, part)
        for fragment in (f for f in scope.fragments if f not in self.robots):
            read_drake_constraints(fragment.element, self.draft, scope.full)
        self.placed.append(scope)

    def finish(self) -> None:
        """Reads couplings, actuation and sensors of all scopes; static nested models are fixed."""
        welds = cache(lambda: Welds(self.draft))
        for scope in self.placed:
            for fragment in (f for f in scope.fragments if not is_urdf(f.element)):
                m = fragment.element
                read_older_spellings(m.all("joint"), scope, self.draft, fragment, welds)
                read_actuation(m, self.draft, self.plugins, scope.full)
                read_ros2_controls(m.all("ros2_control"), self.draft, self.plugins, scope.full)
                m.child("static")
                m.child("pose")
                for c in m.all("called"):  # ours: a name that SDFormat has no way to write
                    self.draft.names[scope.full(c.get("as") or "")] = c.text
        if self.static:
            self.draft.fixed.update(n for n in self.draft.links if not self.static.isdisjoint(_scopes(n)))

    def _frame(self, scope: Scope, name: str, part: Placed) -> None:
        if name.startswith("__merged"):
            return
        try:
            inner, link = scope.body(name, part.element)
            on_world = link == WORLD
            X_WF = scope.X_WM @ scope.resolve(name, part.element)
            X_WL = IDENTITY if on_world else inner.X_WM @ inner.resolve(link, part.element)
        except PoseError:
            if not self.draft.report.failed:
                near = self.draft.report.near(part.attached_to, scope.parts)
                part.element.error("frame-not-found", f"frame {name!r} is attached to nothing that exists{near}")
            return
        full = scope.full(part.element.get("called") or name)  # ours: another part has this name in SDFormat
        frame = NamedFrame(name=full, link=inner.full(link), X_LF=X_WL.inverse() @ X_WF, source=part.element.source)
        self.draft.add(self.draft.frames, "frame", full, frame, part.element)


def _scopes(name: str) -> Iterator[str]:
    """Prefixes of the models that a part is in: `a::`, `a::b::` of `a::b::link`."""
    end = -2
    while (end := name.find("::", end + 2)) >= 0:
        yield name[: end + 2]


def _of(scope: Scope, kind: str) -> Iterator[tuple[str, Placed]]:
    return ((n, p) for n, p in scope.parts.items() if p.kind == kind)
