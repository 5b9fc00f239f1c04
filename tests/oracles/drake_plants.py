"""Drake as an oracle: a plant from the same text, less what Drake cannot take, and its poses by our names."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from lxml import etree
from numpy.typing import NDArray
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    BallRpyJoint,
    BodyIndex,
    Joint,
    JointIndex,
    PlanarJoint,
    PrismaticJoint,
    RevoluteJoint,
    ScrewJoint,
    UniversalJoint,
)
from pydrake.systems.framework import Context

import gearwright as gw

Array = NDArray[np.float64]
Position = float | list[float]

# our positions from Drake's, and how far each of Drake's is drawn
LIKE_OURS = (RevoluteJoint, PrismaticJoint, ScrewJoint, UniversalJoint, PlanarJoint)
SPAN = 1.2  # [rad, m]: away from the singular pitch of roll-pitch-yaw

logging.getLogger("drake").setLevel(logging.ERROR)


class RefusedError(Exception):
    """Drake does not take the file."""


@dataclass(frozen=True)
class Plant:
    """A plant, a context of it, and the name that Gearwright gives each of its parts."""

    plant: MultibodyPlant
    context: Context
    top: str  # the scope that Gearwright leaves out of names; "" when the whole world was loaded

    def joints(self) -> Iterator[tuple[str, Joint]]:
        """Those with freedoms that a file has; the floating ones that Drake adds are no joints of the file."""
        for i in self.plant.GetJointIndices():
            joint = self.plant.get_joint(JointIndex(i))
            if isinstance(joint, (*LIKE_OURS, BallRpyJoint)):
                yield self.named(joint.model_instance(), joint.name()), joint

    def named(self, instance: object, name: str) -> str:
        scope = self.plant.GetModelInstanceName(instance)
        if scope == "WorldModelInstance":
            return name
        full = f"{scope}::{name}"
        return full.removeprefix(f"{self.top}::") if self.top else full

    def move(self, rng: np.random.Generator) -> dict[str, Position]:
        """Puts the plant into a random configuration and returns it as Gearwright's positions."""
        q: dict[str, Position] = {}
        for name, joint in self.joints():
            x = rng.uniform(-SPAN, SPAN, joint.num_positions())
            self._set(joint, x)
            q[name] = _ours(joint, x)
        for body in self._free():
            p, R = rng.uniform(-2, 2, 3), RotationMatrix(RollPitchYaw(rng.uniform(-SPAN, SPAN, 3)))
            self.plant.SetFreeBodyPose(self.context, self.plant.get_body(body), RigidTransform(R, p))
        return q

    def home(self) -> dict[str, Position]:
        """Joints at zero, free bodies where the file puts them."""
        q: dict[str, Position] = {}
        for name, joint in self.joints():
            zero = np.zeros(joint.num_positions())
            self._set(joint, zero)
            q[name] = _ours(joint, zero)
        return q

    def _set(self, joint: Joint, x: Array) -> None:
        q = self.plant.GetPositions(self.context)
        q[joint.position_start() : joint.position_start() + len(x)] = x
        self.plant.SetPositions(self.context, q)

    def hold(self, link: str, X_WL: Array) -> None:
        """Puts a free body where Gearwright holds it: a URDF's root floats in Drake."""
        for index in self._free():
            body = self.plant.get_body(index)
            if self.named(body.model_instance(), body.name()) == link:
                self.plant.SetFreeBodyPose(self.context, body, RigidTransform(X_WL))

    def _free(self) -> list[object]:
        return list(self.plant.GetFloatingBaseBodies())

    def poses(self) -> dict[str, Array]:
        """X_WL of every body but the world."""
        found = {}
        for i in range(1, self.plant.num_bodies()):
            body = self.plant.get_body(BodyIndex(i))
            X = self.plant.EvalBodyPoseInWorld(self.context, body)
            found[self.named(body.model_instance(), body.name())] = X.GetAsMatrix4()
        return found

    def frame(self, name: str) -> Array:
        """X_WF of a named frame. Drake keeps it with the link that carries it, so that only the last name counts."""
        return self.plant.GetFrameByName(name.rsplit("::", maxsplit=1)[-1]).CalcPoseInWorld(self.context).GetAsMatrix4()


def _ours(joint: Joint, x: Array) -> Position:
    if isinstance(joint, BallRpyJoint):
        return RotationMatrix(RollPitchYaw(x)).ToQuaternion().wxyz().tolist()
    return float(x[0]) if len(x) == 1 else x.tolist()


def from_file(path: Path, top: str, packages: Iterable[Path] = ()) -> Plant:
    """`packages` are the folders that model:// and package:// addresses name."""

    def add(parser: Parser) -> None:
        for folder in packages:
            parser.package_map().Add(folder.name, str(folder))
        parser.AddModels(str(path))

    return _plant(add, top)


def from_text(text: str, kind: str, top: str) -> Plant:
    return _plant(lambda parser: parser.AddModelsFromString(text, kind), top)


def _plant(add: Callable[[Parser], object], top: str) -> Plant:
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    parser.SetAutoRenaming(True)
    try:
        add(parser)
        plant.Finalize()
    except RuntimeError as error:
        raise RefusedError(str(error)) from error
    return Plant(plant, plant.CreateDefaultContext(), top)


# --- edits ----------------------------------------------------------------------------------------------------------

UNSEEN = (
    *("visual", "collision", "sensor", "plugin", "light", "gui", "scene", "initial_position", "population", "state"),
    *("transmission", "ros2_control", "gazebo", "material", "mimic", "{*}mimic", "drake:mimic", "limit"),
)
DEFAULT_AXES = {"axis": "0 0 1", "axis2": "0 1 0"}  # SDFormat's, and DART's second one; Drake wants them written
AXES = {"revolute": 1, "prismatic": 1, "continuous": 1, "screw": 1, "universal": 2}


def digestible(path: Path, drop: Iterable[str]) -> str:
    """The file's text without joints that Drake has no room for (loops, gearboxes) and without what has no pose here.

    What stays is untouched but for three spellings: revolute2 becomes universal (the same motion), a joint that
    shares a link's name, allowed before 1.7, is renamed, and in SDFormat a missing axis is written out.
    """
    root = etree.fromstring(path.read_bytes(), etree.XMLParser(recover=True, huge_tree=True, remove_comments=True))
    root = root.find("robot") if root.tag == "urdf" else root
    dropped = set(drop)
    elsewhere = [i for i in root.iter("include") if "://" in (i.findtext("uri") or "")]
    for element in [*root.iter(*UNSEEN), *elsewhere]:
        _remove(element)
    for joint in list(root.iter("joint", "{*}joint", "drake:joint")):
        if joint.get("name") in dropped or joint.get("type") == "gearbox":
            _remove(joint)
        elif joint.get("type") == "revolute2":
            joint.set("type", "universal")
    for joint in root.iter("joint") if root.tag == "sdf" else ():
        for tag in list(DEFAULT_AXES)[: AXES.get(joint.get("type", ""), 0)]:
            axis = joint.find(tag)
            axis = etree.SubElement(joint, tag) if axis is None else axis
            if axis.find("xyz") is None:
                etree.SubElement(axis, "xyz").text = DEFAULT_AXES[tag]
    links = {link.get("name") for link in root.iter("link")}
    for joint in root.iter("joint"):
        if joint.get("name") in links:
            joint.set("name", renamed(joint.get("name")))
    return etree.tostring(root, encoding="unicode")


def renamed(joint: str) -> str:
    return f"{joint} joint"


def _remove(element: etree._Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


# --- comparing ------------------------------------------------------------------------------------------------------


def place_bases(robot: gw.Mechanism, poses: dict[str, Array], q: dict[str, Position]) -> None:
    """Puts our floating bases where Drake has those links: which link of a part floats is each program's own choice."""
    for base in robot.bases.values():
        if base.kind == "floating":
            X = RigidTransform(poses[base.child])
            q[base.name] = [*X.translation(), *X.rotation().ToQuaternion().wxyz()]


__all__ = ["Plant", "RefusedError", "digestible", "from_file", "from_text", "place_bases", "renamed"]
