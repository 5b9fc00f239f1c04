"""SDFormat 1.4 to 1.12: which model of a file is read, and where it stands in its world."""

from __future__ import annotations

from contextlib import suppress

from gearwright.formats.draft import Draft
from gearwright.formats.paths.includes import Library
from gearwright.formats.sdf.choice import Candidate, choose
from gearwright.formats.sdf.models import ModelReader
from gearwright.formats.sdf.scope import MODEL, ROOTS, Fragment, Placed, PoseError, Scope, read_pose
from gearwright.formats.sdf.sensors import LEFT
from gearwright.formats.sdf.version import Version, read_version
from gearwright.formats.transmissions.plugins import PluginPolicy
from gearwright.formats.xml.located_xml import Element
from gearwright.model import WORLD, Pose
from gearwright.model.poses import IDENTITY, Vector3

SDF_GRAVITY: Vector3 = (0.0, 0.0, -9.8)  # the format's default for a world [m/s²]

IGNORED = {
    "sensor": LEFT,
    "light": "lights",
    "plugin": "plugins of other programs",
    "projector": "projectors",
    "audio_sink": "sound",
    "audio_source": "sound",
    "battery": "batteries",
    "particle_emitter": "particles",
    "allow_auto_disable": "settings of a physics engine",
    "enable_wind": "wind",
    "must_be_base_link": "settings of a physics engine",
    "velocity_decay": "settings of a physics engine",
    "kinematic": "settings of a physics engine",
    "gripper": "Gazebo's grippers",
    "actor": "actors",
    "gui": "the user interface",
    "scene": "the scene",
    "atmosphere": "the atmosphere",
    "wind": "wind",
    "magnetic_field": "the magnetic field",
    "spherical_coordinates": "geography",
    "road": "roads",
    "population": "populations",
    "state": "recorded states",
    "model_state": "recorded states",
    "frame": "frames inside of links and joints, which nothing refers to",
    "physics": "settings of a physics engine",
    "audio": "sound",
    "origin": "the old origin element",
    "drake:perception_properties": "rendering settings of Drake",
    "drake:collision_filter_group": "collision settings of Drake",
}


def read_sdf(root: Element, draft: Draft, plugins: PluginPolicy, library: Library, chosen: str | None) -> None:
    """The chosen model of an <sdf>, or its only one."""
    version = read_version(root)
    top = choose(root, chosen, library, version)
    if top is None:
        return
    element = top.model
    draft.name = element.get("name") or ""
    if not draft.name and element.tag != "sdf":
        element.warning("name-missing", f"the {element.tag} has no name")
    if top.holder.tag == "world":
        _read_gravity(top.holder, draft)
    reader = ModelReader(draft, plugins, library)
    scope = reader.scope(element, "", None, top.version)
    draft.scene = scope.is_world
    reader.place(scope, IDENTITY if scope.is_world else _pose(reader, scope, top, version))
    if top.environment:
        _read_environment(reader, top, version)
    reader.finish()
    static = [e.child_truth("static", False) for e in (top.model, top.placing)]
    if any(static):
        draft.fixed.update(draft.links)
    if not draft.links:
        element.error("link-not-found", f"the {element.tag} {draft.name!r} has no links")


def _read_environment(reader: ModelReader, top: Candidate, version: Version) -> None:
    """Static models beside the one that is loaded: what it touches. One that cannot be read is left out."""
    world = Scope(top.holder, "")
    fragment = Fragment(top.holder, version)
    reader.collect_frames(world, fragment)
    world.parts.setdefault(top.name, Placed(top.model, "model", *read_pose(top.placing)))
    for c in top.environment:
        with c.model.report.leaving_out(f"model {c.name!r}") as reading:
            reader.nest(world, c.model, c.placing, Fragment(c.model, c.version))
            name = c.model.attributes.get("name", "")
            if reading.failed or name not in world.models:
                c.model.consume()
                continue
            with suppress(PoseError):
                reader.place(world.models[name], world.resolve(name, c.placing))


def _leave_world(world: Element) -> None:
    """Marks the world's frames as read for a model that is loaded alone; reports joints of the world."""
    for frame in world.all("frame"):
        frame.consume()
    for j in world.all("joint"):
        name = j.attributes.get("name", "")
        j.consume()
        j.warning(
            "element-ignored", f"joint {name!r} of the world is not read with one model alone; model='*' reads it"
        )


def _read_gravity(world: Element, draft: Draft) -> None:
    """Reads gravity from the world; before 1.6 it was in <physics>."""
    draft.gravity = world.child_vector("gravity", SDF_GRAVITY)
    for physics in world.all("physics"):
        draft.gravity = physics.child_vector("gravity", draft.gravity)
        if draft.report.first(("ignored", "physics")):
            physics.info("element-ignored", f"<physics>: {IGNORED['physics']}; its gravity alone is used here")
        physics.consume()


# --- where the chosen model stands ------------------------------------------------------------------------------------


def _pose(reader: ModelReader, scope: Scope, top: Candidate, version: Version) -> Pose:
    """Pose in its world of a model that is loaded alone: its own, or that of the include."""
    placing = top.placing
    try:
        relative_to, X = reader.placement(placing, top.model, scope, MODEL, top.version)
    except PoseError:  # reported: its placement frame does not exist
        return IDENTITY
    if top.holder.tag == "world":
        _leave_world(top.holder)
    if relative_to in (*ROOTS, WORLD):
        return X
    if top.holder.tag != "world":
        placing.warning("element-ignored", f"<pose relative_to={relative_to!r}>: there is no world with such a frame")
        return X
    try:
        world = _world_scope(reader, top, relative_to, Fragment(top.holder, version))
        return world.resolve(relative_to, placing) @ X
    except PoseError:
        return X


def _world_scope(reader: ModelReader, top: Candidate, relative_to: str, fragment: Fragment) -> Scope:
    """Frames of the world, and those of its other models that lie between them and the name."""
    scope = Scope(top.holder, "")
    reader.collect_frames(scope, fragment)
    models = {c.name: c for c in reversed(top.others)}
    seen: set[str] = set()
    name = relative_to.partition("::")[0]
    while name not in seen and name not in ROOTS:
        seen.add(name)
        if name not in scope.parts and name in models:
            other = models[name]
            reader.nest(scope, other.model, other.placing, Fragment(other.model, other.version))
        part = scope.parts.get(name)
        name = part.relative_to.partition("::")[0] if part is not None else name
    return scope
