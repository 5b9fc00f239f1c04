"""A USD stage to a draft: the passes in order."""

from __future__ import annotations

from gearwright.formats.draft import Draft
from gearwright.formats.parts.actuation import read_actuation
from gearwright.formats.transmissions.plugins import PluginPolicy
from gearwright.formats.usd.joints import add_joints
from gearwright.formats.usd.links import add_links
from gearwright.formats.usd.stage import OWN, UsdStage
from gearwright.formats.xml.located_xml import Element
from gearwright.model import NamedFrame

ARTICULATION = "PhysicsArticulationRootAPI"
PHYSICS = ("physics", "physx", "newton", "drive", "limit", "state", "mjc")  # prefixes of attributes that may matter


def read_stage(root: Element, draft: Draft, plugins: PluginPolicy) -> None:
    """Reads all of a stage."""
    stage = UsdStage.of(root, draft)
    draft.name = _name(stage)
    draft.gravity = stage.gravity
    add_links(stage)
    if not draft.links:
        root.error("link-not-found", "the stage has no prim with PhysicsRigidBodyAPI, and so no robot")
        return
    add_joints(stage)
    _add_frames(stage)
    for prim in stage.prims.values():
        if (robot := prim.own_element("elements")) is not None:
            _read_own(robot, draft, plugins)
    _report_unread(stage)


def _name(stage: UsdStage) -> str:
    """That of the articulation, or of the default prim."""
    roots = [p for p in stage.prims.values() if p.has(ARTICULATION) and p.body is None]
    named = roots[0] if roots else stage.prims.get(f"/{stage.root.get('@defaultPrim') or ''}")
    if named is None:
        return "robot"
    return named.element.get(f"{OWN}name") or named.element.get("name") or "robot"


def _add_frames(stage: UsdStage) -> None:
    for prim in stage.prims.values():
        name = prim.element.get(f"{OWN}frame")
        if name is None or prim.body is None:
            continue
        frame = stage.in_link(prim)
        if frame is not None:
            made = NamedFrame(name=name, link=prim.body.name, X_LF=frame.X, source=prim.element.source)
            stage.draft.add(stage.draft.frames, "frame", name, made, prim.element)


def _read_own(robot: Element, draft: Draft, plugins: PluginPolicy) -> None:
    """What USD has no schema for: elements as in a URDF."""
    for e in robot.all("initial_position"):
        joint, values = e.get("joint") or "", e.numbers()
        if joint in draft.joints and values is not None:
            draft.initial[joint] = tuple(values)
    draft.self_collide += [e.words for e in robot.all("self_collide")]
    read_actuation(robot, draft, plugins)
    if tags := robot.all("ros2_control"):
        from gearwright.formats.ros2_control.tags import read_ros2_controls

        read_ros2_controls(tags, draft, plugins, str)
    if sensors := robot.all("body_sensor"):
        from gearwright.formats.urdf.own_frames import read_body_sensors

        read_body_sensors(sensors, robot, draft, "")


def _report_unread(stage: UsdStage) -> None:
    """Attributes of physics that nothing here uses, once per name; colours, lights and cameras are not spoken of."""
    report = stage.draft.report
    for element, attribute in stage.root.unread():
        if attribute is None or not attribute.partition(":")[0].startswith(PHYSICS):
            continue
        if report.first(("attribute", attribute)):
            element.info("element-ignored", f"{attribute} of a {element.tag} is not used here")
