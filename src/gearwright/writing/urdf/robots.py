"""A robot as a URDF, with ros2_control tags and transmissions.

A URDF has a link's frame where the joint that carries it is. Links whose own frame is elsewhere say so in an element of
ours, and loops close by joints in <gazebo> blocks, as Gazebo reads them.
"""

from __future__ import annotations

from collections.abc import Iterator

from gearwright.model import IDENTITY, WORLD, Joint, Mechanism, Pose
from gearwright.model.mechanism import DEFAULT_GRAVITY
from gearwright.model.tree.topology import forward
from gearwright.writing.actuation import FormatDialect, mimics
from gearwright.writing.fields import OWN
from gearwright.writing.nodes import Node, is_identity, numbers, rpy
from gearwright.writing.placing import Placing
from gearwright.writing.report import LossLog
from gearwright.writing.sdf.joints import add_joint as add_sdf_joint
from gearwright.writing.shapes import MeshPath
from gearwright.writing.urdf.actuation import add_actuation
from gearwright.writing.urdf.joints import add_joint
from gearwright.writing.urdf.links import add_link


def urdf_text(robot: Mechanism, losses: LossLog, mesh_path: MeshPath) -> str:
    root = Node("robot", name=robot.name or "robot")
    if not robot.name:
        losses.note("the robot has no name, which URDF requires; it is called 'robot'")
    root.attributes |= {"xmlns:gearwright": "urn:gearwright:1", "xmlns:drake": "http://drake.mit.edu"}
    if robot.gravity != DEFAULT_GRAVITY:
        root.add(f"{OWN}gravity", robot.gravity)
    _Robot(robot, losses, mesh_path, root).write()
    return root.xml()


class _Robot:
    """The parts of one robot in its <robot>."""

    def __init__(self, robot: Mechanism, losses: LossLog, mesh_path: MeshPath, root: Node) -> None:
        self.robot, self.root, self.mesh_path = robot, root, mesh_path
        self.d = FormatDialect(robot=robot, losses=losses)
        self.placing = Placing(robot)
        self.joints = {b.link: forward(b).joint for b in robot.tree.branches}  # by the link that each carries
        self.X_UL = {link: self._own_frame(j) for link, j in self.joints.items()} | {WORLD: IDENTITY}

    def _own_frame(self, carried: Joint) -> Pose:
        """The link's own frame in the one that a URDF gives it: that of its joint."""
        return carried.X_CJ.inverse()

    def write(self) -> None:
        if self._stands_alone():
            written: set[str] = {next(iter(self.robot.bases))}
        else:
            written = set()
            if WORLD not in self.robot.links:
                self.root.add("link", name=WORLD)
        for link in self.robot.links.values():
            add_link(self.root, link, self.X_UL[link.name], self.d, self.mesh_path)
        for j in self._in_order():
            if j.name not in written:
                add_joint(self.root, j, self.X_UL[j.parent], self.robot.joint(j.name), self.d)
        self._loops()
        self._frames()
        self._actuation()

    def _stands_alone(self) -> bool:
        """Whether the root link stands fixed at the world's origin: the meaning of a URDF without a world."""
        bases = [j for j in self.joints.values() if j.parent == WORLD]
        fixed = len(bases) == 1 and bases[0].name in self.robot.bases and bases[0].kind == "fixed"
        return fixed and is_identity(bases[0].X_PJ) and is_identity(bases[0].X_CJ)

    def _in_order(self) -> Iterator[Joint]:
        """The tree's joints in the order of the file, bases first."""
        by_name = {j.name: j for j in self.joints.values()}
        return (by_name[j.name] for j in self.placing.joints if j.name in by_name)

    def _loops(self) -> None:
        """Loop-closing joints in SDFormat, in a <gazebo> block."""
        for j in self.placing.joints:
            if j.name in self.placing.closing:
                block = self.root.add("gazebo")
                there = self._in_urdf_frames(j)
                add_sdf_joint(block, there, self.d, self.placing, mimics(self.robot), drawn_apart=self._drawn_apart(j))
                self.d.losses.note(f"joint {j.name!r} closes a loop: it is in a <gazebo> block, as Gazebo reads it")

    def _drawn_apart(self, j: Joint) -> bool:
        X_W = self.placing.zero_poses
        return bool(abs((X_W[j.parent] @ j.X_PJ).matrix - (X_W[j.child] @ j.X_CJ).matrix).max() > 1e-12)

    def _in_urdf_frames(self, j: Joint) -> Joint:
        from dataclasses import replace

        return replace(j, X_PJ=self.X_UL[j.parent] @ j.X_PJ, X_CJ=self.X_UL[j.child] @ j.X_CJ)

    def _frames(self) -> None:
        for f in self.robot.frames.values():
            if f.link == WORLD and WORLD not in self.robot.links:
                self.d.losses.lose(f"frame {f.name!r}", "", "it is on the world, where a URDF has no frames")
                continue
            X = self.X_UL[f.link] @ f.X_LF
            self.root.add("frame", name=f.name, link=f.link, xyz=numbers(X.p), rpy=rpy(X.R))

    def _actuation(self) -> None:
        robot, said = self.robot, set(map(id, mimics(self.robot).values()))
        tree = {j.name for j in self.joints.values()}
        apart = [
            c
            for c in robot.couplings.values()
            if id(c) not in said or (c.follower.joint in tree and len(robot.joint(c.follower.joint).axes) > 1)
        ]
        add_actuation(self.root, self.d, apart)
        for link in robot.self_collide:
            self.root.add("gazebo", reference=link).add("selfCollide", True)
