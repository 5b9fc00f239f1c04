"""URDF: <robot> with its links, joints, transmissions, <gazebo> blocks and <ros2_control> tags."""

from __future__ import annotations

from gearwright.formats.draft import Draft
from gearwright.formats.parts.actuation import read_actuation
from gearwright.formats.parts.axis_names import Rename
from gearwright.formats.paths.includes import Library
from gearwright.formats.sdf.version import parsed_version
from gearwright.formats.transmissions.plugins import PluginPolicy
from gearwright.formats.urdf.gazebo import read_gazebo
from gearwright.formats.urdf.joints import read_joint
from gearwright.formats.urdf.links import colour_of, read_link
from gearwright.formats.urdf.poses import attached
from gearwright.formats.urdf.text import report_text
from gearwright.formats.xml.located_xml import Element
from gearwright.model import (
    WORLD,
    NamedFrame,
)

URDF_VERSIONS = ((1, 0), (1, 1), (1, 2))
CLOSING = ("loop", "loop_joint", "loop_closure", "constraint")  # elements of other programs' URDFs

IGNORED = {
    "gazebo": "settings for Gazebo",
    "sensor": "sensors other than encoders",
    "calibration": "calibration flags",
    "verbose": "the old verbose flag",
    "self_collision_checking": "collision settings",
    "mujoco": "settings for MuJoCo",
    "texture": "textures",
    "collision_checking": "collision settings",
    "linear_damping": "damping of free bodies",
    "angular_damping": "damping of free bodies",
    "map": "old map settings",
    "joint_properties": "the old joint_properties",
    "simulation_parameters": "settings for a simulator",
    "acceleration": "acceleration limits",
    "jerk": "jerk limits",
    "group": "semantic groups",
}


def read_robot(robot: Element, draft: Draft, plugins: PluginPolicy, library: Library, prefix: str = "") -> None:
    """Reads all of a URDF; `prefix` is what its names get in the mechanism, where it is a part of another model."""
    draft.name = robot.get("name") or ""
    if not draft.name:
        robot.warning("name-missing", "the robot has no name")
    version = robot.get("version")
    if version is not None and parsed_version(version) not in URDF_VERSIONS:
        robot.warning("version-unknown", f"URDF {version[:20]!r} is not known; read as 1.0")
    draft.several_roots = False
    rename = _prefixed(prefix)
    colours = {m.get("name") or "": colour_of(m) for m in robot.all("material")}
    for e in robot.all("link"):
        read_link(e, draft, colours, rename)
    for e in robot.all("joint", "drake:joint"):
        read_joint(e, draft, rename)
    if not draft.links:
        robot.error("link-not-found", "the robot has no links")
    report_text(robot)
    read_gazebo(robot, draft, plugins, library, prefix)
    for e in robot.all("frame"):
        _read_frame(e, draft, rename)
    draft.gravity = robot.child_vector("gravity", draft.gravity)  # ours
    if any(c.tag.startswith("drake:") for c in robot.children):
        from gearwright.formats.drake.constraints import read_drake_constraints

        read_drake_constraints(robot, draft, rename)
    for e in robot.all(*CLOSING):
        e.warning(
            "not-simulated", f"<{e.tag}> closes a loop, which URDF has no element for: closures={e.file!r} reads it"
        )
        e.consume()
    draft.fixed.update(n for n in draft.links if n not in draft.apart)
    read_actuation(robot, draft, plugins, rename)
    if tags := robot.all("ros2_control"):
        from gearwright.formats.ros2_control.tags import (
            read_ros2_controls,  # with what it reads, only where there are tags
        )

        read_ros2_controls(tags, draft, plugins, rename)
    if sensors := robot.all("body_sensor"):
        from gearwright.formats.urdf.own_frames import read_body_sensors

        read_body_sensors(sensors, robot, draft, prefix)
    if draft.link_frames:
        from gearwright.formats.urdf.own_frames import in_own_frames

        in_own_frames(draft)


def _read_frame(e: Element, draft: Draft, rename: Rename) -> None:
    """Drake's frame on a link."""
    name, link = e.get("name") or "", e.get("link") or ""
    if not name or rename(link) not in draft.links:
        what = f"names no link that exists: {link!r}" if name else "has no name"
        e.recoverable("link-not-found" if name else "name-missing", f"a <frame> {what}; it is left out")
        e.consume()
        return
    frame = NamedFrame(name=rename(name), link=rename(link), X_LF=attached(e), source=e.source)
    draft.add(draft.frames, "frame", frame.name, frame, e)


def _prefixed(prefix: str) -> Rename:
    return (lambda name: name if name == WORLD else prefix + name) if prefix else str
