"""Drake: SDFormat, by libsdformat, and URDF."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar
from xml.etree.ElementTree import Element, fromstring

import numpy as np

from gearwright.conversion.bare import TreeSample
from gearwright.conversion.peers.peer import URDF_KINDS, Peer, PeerRefusedError
from gearwright.model import Mechanism, Pose
from gearwright.model.poses import Array, Vector3

ROUNDING = 1e-14  # of the largest moment: what Drake forgives
CALLED = "{urn:gearwright:1}called"  # the name here of what has another one in SDFormat


class Drake(Peer):
    package: ClassVar[str] = "pydrake"
    kinds: ClassVar[Mapping[str, tuple[str, ...]]] = {
        ".urdf": (*URDF_KINDS, "ball", "universal", "screw"),
        ".sdf": ("fixed", "revolute", "continuous", "prismatic", "floating", "ball", "universal", "screw"),
    }
    formats: ClassVar[tuple[str, ...]] = (".sdf", ".urdf")

    @staticmethod
    def replaced_inertia(robot: Mechanism) -> str | None:
        """Where a moment exceeds the sum of the other two, or has no mass, it takes the inertia of a sphere."""
        for link in robot.links.values():
            x, y, z = np.linalg.eigvalsh(np.array(link.inertia.own_tensor()))
            if z > x + y + ROUNDING * z or (z > 0 and not link.inertia.mass):
                return f"no body has the inertia of link {link.name!r}: Drake takes another one"
        return None

    def __init__(self, text: str, ending: str, gravity: Vector3) -> None:
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import MultibodyPlant

        logging.getLogger("drake").setLevel(logging.ERROR)
        self.plant: Any = MultibodyPlant(0.0)
        try:
            parser = Parser(self.plant)
            instances = parser.AddModelsFromString(text, ending.removeprefix("."))
            field: Any = self.plant.mutable_gravity_field()
            field.set_gravity_vector(gravity)
            self.plant.Finalize()
        except (RuntimeError, ValueError) as error:
            raise PeerRefusedError(" ".join(str(error).split())) from error
        self.called = _called(text) if ending == ".sdf" else {}
        self.names = {e.attrib["as"]: e.text or "" for e in fromstring(text).iter(CALLED)}  # of parts of any kind
        self.top = self.plant.GetModelInstanceName(instances[0]) if instances else ""
        self.context: Any = self.plant.CreateDefaultContext()

    def _named(self, part: Any) -> str:
        """The name as Gearwright has it: nested models before it, the top one left out."""
        scope = self.plant.GetModelInstanceName(part.model_instance())
        inner = scope.removeprefix(self.top).removeprefix("::")
        return f"{inner}::{part.name()}" if inner and scope != "WorldModelInstance" else part.name()

    def _ours(self, written: str) -> str:
        return self.names.get(written, written)

    def _scalar(self) -> Iterator[tuple[str, Any]]:
        for i in self.plant.GetJointIndices():
            joint = self.plant.get_joint(i)
            if joint.num_velocities() == 1:
                yield self._ours(self.called.get(self._named(joint), self._named(joint))), joint

    def _bodies(self) -> Iterator[tuple[str, Any]]:
        from pydrake.multibody.tree import BodyIndex

        for i in range(1, self.plant.num_bodies()):
            body = self.plant.get_body(BodyIndex(i))
            yield self._ours(self._named(body)), body

    def move(self, sample: TreeSample, free: Mapping[str, tuple[str, Pose]]) -> None:
        from pydrake.math import RigidTransform

        held = dict(free.values())
        for name, body in self._bodies():
            if name in held:
                X: Any = held[name].matrix
                self.plant.SetFreeBodyPose(self.context, body, RigidTransform(X))
        q, v = self.plant.GetPositions(self.context), self.plant.GetVelocities(self.context)
        for name, joint in self._scalar():
            if name in sample.position:
                q[joint.position_start()], v[joint.velocity_start()] = sample.position[name], sample.velocity[name]
        self.plant.SetPositions(self.context, q)
        self.plant.SetVelocities(self.context, v)

    def poses(self) -> dict[str, Array]:
        return {
            name: np.asarray(self.plant.EvalBodyPoseInWorld(self.context, body).GetAsMatrix4())
            for name, body in self._bodies()
        }

    def mass_matrix(self) -> tuple[list[str], Array]:
        M = self.plant.CalcMassMatrix(self.context)
        rows = {name: joint.velocity_start() for name, joint in self._scalar()}
        at = list(rows.values())
        return list(rows), M[np.ix_(at, at)]

    def bias(self) -> dict[str, float]:
        h = self.plant.CalcBiasTerm(self.context) - self.plant.CalcGravityGeneralizedForces(self.context)
        return {name: float(h[joint.velocity_start()]) for name, joint in self._scalar()}


def _called(text: str) -> dict[str, str]:
    """Our names of joints, by those in Drake: it counts a joint to the model of its child, and one that has a link's
    name is written with another.
    """
    found: dict[str, str] = {}

    def look(model: Element, scope: str) -> None:
        for joint in model.findall("joint"):
            name = joint.attrib["name"]
            outer, colons, _ = (scope + (joint.findtext("child") or "")).rpartition("::")
            found[outer + colons + name] = scope + joint.get(CALLED, name)
        for inner in model.findall("model"):
            look(inner, f"{scope}{inner.attrib['name']}::")

    root = fromstring(text)
    for top in (*root.findall("model"), *root.findall("world/model")):
        look(top, "")
    return found
