"""A robot as an MJCF file: bodies, then what couples, drives and senses their joints.

Positions are ours: a body's frame is where its joint puts it at the start, which is the joint's `ref`. Joints with
several axes are written at zero.
"""

from __future__ import annotations

from collections.abc import Mapping

from gearwright.model import Mechanism
from gearwright.model.keyframes import unknown_names, within
from gearwright.writing.fields import leave_rest
from gearwright.writing.mjcf.actuators import add_actuators
from gearwright.writing.mjcf.bodies import DRAWN, BodyWriter
from gearwright.writing.mjcf.constraints import add_couplings, add_loops
from gearwright.writing.mjcf.names import MjcfNames
from gearwright.writing.mjcf.sensors import add_frames, add_sensors
from gearwright.writing.nodes import Node
from gearwright.writing.placing import Placing
from gearwright.writing.report import LossLog
from gearwright.writing.shapes import MeshPath

TIMESTEP = 1e-3  # [s] soft constraints are as stiff as two of them allow
MASS = ("name", "links", "joints", "bases", "couplings", "transmissions", "actuators", "sensors", "frames", "initial",
        "gravity", "cut", "reported", "hardware", "search_path", "keyframes",
        "no_contact", "self_collide")  # fmt: skip


def mjcf_text(robot: Mechanism, losses: LossLog, mesh_path: MeshPath) -> str:
    root = Node("mujoco", model=robot.name or "robot")
    root.add("compiler", angle="radian", autolimits=True, inertiafromgeom=False)
    root.add("option", timestep=TIMESTEP, integrator="implicitfast", gravity=robot.gravity)
    classes = root.add("default")
    visual = {"contype": 0, "conaffinity": 0, "group": DRAWN}
    classes.add("default", class_="visual").add("geom", **visual)
    classes.add("default", class_="collision").add("geom", contype=1, conaffinity=0, group=3)  # `bodies.ALONE`
    sections = {name: Node(name) for name in SECTIONS}
    names, placing = MjcfNames(robot, losses), Placing(robot)
    bodies = BodyWriter(
        robot=robot, losses=losses, placing=placing, names=names, mesh_path=mesh_path, sections=sections
    )
    bodies.write()
    add_frames(robot, bodies.nodes, names)
    add_loops(robot, placing, names, losses, sections, bodies.nodes)
    add_couplings(robot, names, losses, sections)
    add_actuators(robot, names, losses, sections)
    add_sensors(robot, bodies.nodes, names, losses, sections)
    for one, other in robot.no_contact:
        sections["contact"].add("exclude", body1=one, body2=other)
    _leave_rest(robot, losses)
    _add_keyframes(robot, bodies, sections, losses)
    root.children += [s for s in sections.values() if s.children or s.tag == "worldbody"]
    return root.xml()


SECTIONS = ("asset", "worldbody", "contact", "tendon", "equality", "actuator", "sensor", "keyframe")


def _leave_rest(robot: Mechanism, losses: LossLog) -> None:
    leave_rest(losses, "robot", robot, MASS, "MJCF has no element for it")
    for name in robot.hardware:
        losses.lose(f"ros2_control tag {name!r}", "", "MJCF has no hardware interfaces")
    for name in robot.self_collide:
        if name in robot.links and not robot.links[name].collisions:
            losses.note(f"link {name!r} has no shapes: its self_collide has no effect, and is not written")
    for name in robot.cut:
        losses.lose("robot", "cut", f"MuJoCo does not choose where to cut a loop ({name})")


def _add_keyframes(robot: Mechanism, bodies: BodyWriter, sections: Mapping[str, Node], losses: LossLog) -> None:
    """Those of the robot, and one where a joint does not start at zero."""
    free = {j.name for j in bodies.placing.joints if bodies.placing.is_free(j)}
    drawn_at = bodies.names.drawn_at
    started = [n for n, q in robot.initial.items() if n not in free and tuple(q) != drawn_at(robot.joint(n))]
    if started:
        name = "start" if "start" not in robot.keyframes else "start_"
        sections["keyframe"].add("key", name=name, qpos=bodies.start)
        losses.note(
            f"MuJoCo's joints of several axes start at zero: where {started[0]!r} starts is in the keyframe {name!r}"
        )
    for written in robot.keyframes.values():
        actuators = [node.attributes["name"] for node in sections["actuator"].children]
        for name in unknown_names(written, bodies.places, actuators):
            losses.lose(f"keyframe {written.name!r}", name, "there is no joint or actuator of this name in the file")
        k = within(written, bodies.places, actuators)
        qpos, qvel = list(bodies.start), [0.0] * bodies.speeds
        for joint, values in k.position.items():
            at = bodies.places[joint][0]
            qpos[at : at + len(values)] = values
        for joint, values in k.velocity.items():
            at = bodies.places[joint][1]
            qvel[at : at + len(values)] = values
        ctrl = [k.command.get(name, 0.0) for name in actuators] if k.command else None
        sections["keyframe"].add("key", name=k.name, qpos=qpos, qvel=qvel if any(qvel) else None, ctrl=ctrl)
