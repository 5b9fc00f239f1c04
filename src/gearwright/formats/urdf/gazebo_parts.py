"""Links, joints and models in SDFormat inside <gazebo> blocks of a URDF, which Gazebo puts into the model it makes."""

from __future__ import annotations

from gearwright.formats.draft import Draft
from gearwright.formats.parts.zero_poses import zero_poses
from gearwright.formats.paths.includes import Library
from gearwright.formats.sdf.joints import read_joint
from gearwright.formats.sdf.links import read_link
from gearwright.formats.sdf.models import ModelReader
from gearwright.formats.sdf.scope import Fragment, Placed, PoseError, Scope, read_pose
from gearwright.formats.transmissions.plugins import PluginPolicy
from gearwright.formats.xml.located_xml import Element

VERSION = (1, 6)  # of SDFormat, in which they are written


def read_parts(
    parts: list[Element], robot: Element, draft: Draft, plugins: PluginPolicy, library: Library, prefix: str
) -> None:
    """Poses are those of the URDF's links with all joints at zero."""
    scope = Scope.of_links(robot, zero_poses(draft), prefix)
    by_tag = {tag: [e for e in parts if e.tag == tag] for tag in ("model", "include", "link", "joint")}
    for e in by_tag["link"]:
        name = e.get("name") or ""
        scope.parts.setdefault(name, Placed(e, "link", *read_pose(e)))
        read_link(e, name, scope, draft)
    own = set(draft.links)
    _read_models(by_tag["model"], by_tag["include"], scope, draft, ModelReader(draft, plugins, library))
    draft.apart.update(draft.links.keys() - own)
    for e in by_tag["joint"]:
        _read_joint(e, scope, draft)


def _read_models(
    models: list[Element], includes: list[Element], scope: Scope, draft: Draft, reader: ModelReader
) -> None:
    for e in models:
        reader.nest(scope, e, e, Fragment(e, VERSION))
    for e in includes:
        reader.include(scope, e, Fragment(scope.element, VERSION), strict=False)
    for name, inner in scope.models.items():
        try:
            reader.place(inner, scope.resolve(name, inner.element))
        except PoseError:
            continue
    reader.finish()


def _read_joint(e: Element, scope: Scope, draft: Draft) -> None:
    name = e.attributes["name"]
    ends = [c.words for c in e.children if c.tag in ("parent", "child")]
    lost = [end for end in ends if "::" in end and end.partition("::")[0] not in scope.models]
    if lost:
        message = f"joint {name!r} in <gazebo> names {lost[0]!r}, of a model that does not exist; it is left out"
        e.recoverable("link-not-found", message)
        e.consume()
        return
    if scope.full(name) in draft.joints:  # Gazebo drops a URDF joint to a massless frame, and this one takes its place
        e.attributes["name"] = f"gazebo::{name}"
        e.warning("name-duplicate", f"the URDF has a joint {name!r} too; Gazebo's is called 'gazebo::{name}'")
    read_joint(e, scope, draft, Fragment(scope.element, VERSION))
