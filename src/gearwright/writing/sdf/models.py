"""A robot as an SDFormat 1.11 file.

Links stand on the joints that carry them and joints on their parents, so that the file has the model's own numbers.
"""

from __future__ import annotations

from gearwright.errors import ModelError
from gearwright.model import WORLD, Joint, Mechanism
from gearwright.model.mechanism import DEFAULT_GRAVITY
from gearwright.model.renaming import with_names
from gearwright.writing.actuation import FormatDialect, add_actuator, add_coupling, add_keyframe, add_sensor, mimics
from gearwright.writing.fields import OWN
from gearwright.writing.hardware import add_hardware
from gearwright.writing.nodes import Node, is_identity, pose_text
from gearwright.writing.placing import Placing
from gearwright.writing.report import LossLog
from gearwright.writing.sdf.joints import add_joint
from gearwright.writing.sdf.links import ON_BODIES, add_body_sensor, add_link
from gearwright.writing.sdf.scopes import Scopes, can_nest, colons, flat_names
from gearwright.writing.shapes import MeshPath
from gearwright.writing.transmissions import add_transmission

VERSION = "1.11"  # the first with <mimic>
NAMESPACE = "urn:gearwright:1"


def sdf_text(robot: Mechanism, losses: LossLog, mesh_path: MeshPath) -> str:
    names = flat_names(robot)
    robot = with_names(robot, names)
    root = Node("sdf", version=VERSION)
    root.attributes["xmlns:gearwright"] = NAMESPACE
    holder = root
    if robot.gravity != DEFAULT_GRAVITY:
        holder = root.add("world", name="default")  # libsdformat reserves "world"
        holder.add("gravity", robot.gravity)
    model = holder.add("model", name=robot.name or "robot")
    if not robot.name:
        losses.note("the robot has no name, which SDFormat requires; it is called 'robot'")
    _Model(robot, losses, mesh_path, model).write()
    for name, written in names.items():
        model.add(f"{OWN}called", name, as_=written)  # libsdformat wants every `name` once
        losses.note(f"{name!r} is written as {written!r}: in SDFormat, '::' separates the names of nested models")
    return root.xml()


class _Model:
    """The parts of one robot in its <model>, and in models inside it."""

    def __init__(self, robot: Mechanism, losses: LossLog, mesh_path: MeshPath, model: Node) -> None:
        self.robot, self.losses, self.mesh_path = robot, losses, mesh_path
        self.placing = Placing(robot)
        self.scopes = Scopes(root=model, nested=can_nest(robot))
        self.renamed, self.renamed_frames = _renamed(robot, [j.name for j in self._written_joints], losses)

    def dialect(self, name: str) -> FormatDialect:
        """Names as the model of this part has them."""
        prefix = self.scopes.prefix(name)
        return FormatDialect(
            robot=self.robot, losses=self.losses, local=lambda n: n.removeprefix(prefix),
            joint=lambda n: self.renamed.get(n, n).removeprefix(prefix),
        )  # fmt: skip

    def place(self, name: str) -> tuple[Node, FormatDialect]:
        return self.scopes.model(self.scopes.prefix(name)), self.dialect(name)

    def write(self) -> None:
        links = {name: self._link(name) for name in self.robot.links if name != WORLD}
        self._leave_world_link()
        joints = {j.name: self._joint(j) for j in self._written_joints}
        self._frames()
        self._actuation()
        for s in self.robot.sensors.values():
            if isinstance(s, ON_BODIES):
                owner = joints.get(s.reaction or "") if s.link is None else links.get(s.link)
                if owner is None:
                    self.losses.lose(f"sensor {s.name!r}", "", f"{s.link or s.reaction!r} is not written")
                else:
                    add_body_sensor(owner, s, self.dialect(s.name))
        for k in self.robot.keyframes.values():
            parent, d = self.place(k.name)
            add_keyframe(parent, k, d)
        for a, b in self.robot.no_contact:
            self.scopes.root.add(f"{OWN}no_contact", link1=a, link2=b)
        for name in self.robot.cut:
            self.scopes.root.add(f"{OWN}cut", self.renamed.get(name, name))

    @property
    def _written_joints(self) -> list[Joint]:
        """All but free bases, which are no joints in SDFormat."""
        return [j for j in self.placing.joints if not self.placing.is_free(j)]

    def _link(self, name: str) -> Node:
        parent, d = self.place(name)
        node = add_link(parent, self.robot.links[name], d, self.mesh_path)
        carried = self.placing.carrying.get(name)
        if carried is not None:
            self._add_pose(node, name, carried, d)
        return node

    def _add_pose(self, node: Node, name: str, carried: Joint, d: FormatDialect) -> None:
        if self.placing.is_free(carried):
            X = self.placing.X_WL(carried)
            if not is_identity(X):
                node.children.insert(0, Node("pose", pose_text(X)))
            if carried.name != "base" or not is_identity(carried.X_PJ) or not is_identity(carried.X_CJ):
                node.add(f"{OWN}base_name", carried.name)
            return
        prefix = self.scopes.prefix(name)
        if not carried.name.startswith(prefix):  # the joint stands in a model around this one
            node.children.insert(0, Node("pose", pose_text(self.placing.zero_poses[name])))
            return
        forwards = carried.child == name
        X_JL = (carried.X_CJ if forwards else carried.X_PJ).inverse()
        node.children.insert(0, Node("pose", pose_text(X_JL), relative_to=d.joint(carried.name)))

    def _leave_world_link(self) -> None:
        world = self.robot.links.get(WORLD)
        if world is not None and (world.visuals or world.collisions):
            self.losses.lose("link 'world'", "shapes", "SDFormat's world is no link, and has none")

    def _joint(self, j: Joint) -> Node:
        parent, d = self.place(j.name)
        return add_joint(parent, j, d, self.placing, mimics(self.robot))

    def _frames(self) -> None:
        for f in self.robot.frames.values():
            parent, d = self.place(f.name)
            link = WORLD if f.link == WORLD else d.local(f.link)
            name = d.local(self.renamed_frames.get(f.name, f.name))
            node = parent.add("frame", name=name, attached_to=link)
            if f.name in self.renamed_frames:
                node.attributes[f"{OWN}called"] = d.local(f.name)
            if not is_identity(f.X_LF):
                node.add("pose", pose_text(f.X_LF))

    def _actuation(self) -> None:
        robot, said = self.robot, set(map(id, mimics(self.robot).values()))
        in_tags = {name for h in robot.hardware.values() for name in h.transmissions}
        for a in robot.actuators.values():
            parent, d = self.place(a.name)
            add_actuator(parent, a, d)
        for t in robot.transmissions.values():
            parent, d = self.place(t.name)
            if t.name not in in_tags:
                add_transmission(parent, t, d)
        for h in robot.hardware.values():
            parent, d = self.place(h.name)
            add_hardware(parent, h, f"{OWN}ros2_control", d)
        for s in robot.sensors.values():
            parent, d = self.place(s.name)
            add_sensor(parent, s, d)
        for c in robot.couplings.values():
            parent, d = self.place(c.name)
            if id(c) not in said:
                add_coupling(parent, c, d)


def _renamed(robot: Mechanism, joints: list[str], losses: LossLog) -> tuple[dict[str, str], dict[str, str]]:
    """Joints that have a link's name, and frames that have one of either, which SDFormat does not allow."""
    models = {name[:at] for name in (*robot.links, *robot.joints) for at in colons(name)}
    taken = {*robot.links, *models}
    every = {*taken, *robot.bases, *robot.joints, *robot.frames}
    renamed: dict[str, dict[str, str]] = {"joint": {}, "frame": {}}
    for kind, names in (("joint", joints), ("frame", robot.frames)):
        for name in names:
            new = name
            while new in taken or (new != name and new in every):
                new = f"{new}_{kind}"
            if new != name:
                renamed[kind][name] = new
                losses.note(f"{kind} {name!r} is written as {new!r}: in SDFormat, no two parts of a model share a name")
            taken.add(new)
    for name in taken:
        if name.startswith("__") and name.endswith("__"):
            raise ModelError(f"{name!r} cannot be written: SDFormat reserves names that begin and end with '__'")
    return renamed["joint"], renamed["frame"]
