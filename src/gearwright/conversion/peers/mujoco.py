"""MuJoCo: URDF and MJCF."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from gearwright.conversion.bare import TreeSample
from gearwright.conversion.peers.peer import URDF_KINDS, Peer, PeerRefusedError
from gearwright.model import Pose
from gearwright.model.poses import Array, Vector3

KEEP_LINKS = '<mujoco><compiler fusestatic="false"/></mujoco>'
SWITCHED_OFF = ("LIMIT", "FRICTIONLOSS", "EQUALITY", "CONTACT", "ACTUATION")


class MuJoCo(Peer):
    package: ClassVar[str] = "mujoco"
    kinds: ClassVar[Mapping[str, tuple[str, ...]]] = {
        ".urdf": URDF_KINDS,
        ".xml": (*URDF_KINDS, "ball", "universal", "revolute2", "screw"),
    }
    formats: ClassVar[tuple[str, ...]] = (".urdf", ".xml")
    passive: ClassVar[tuple[str, ...]] = (".xml",)
    weightless: ClassVar[tuple[str, ...]] = (".xml",)

    def __init__(self, text: str, ending: str, gravity: Vector3) -> None:
        import mujoco

        self.mj = mujoco
        if ending == ".urdf":
            at = text.index(">", text.index("<robot")) + 1
            text = text[:at] + KEEP_LINKS + text[at:]
        try:
            self.model: Any = mujoco.MjModel.from_xml_string(text)
        except ValueError as error:
            raise PeerRefusedError(" ".join(str(error).split())) from error
        for flag in SWITCHED_OFF:
            self.model.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}")
        self.model.opt.gravity = gravity
        self.data: Any = mujoco.MjData(self.model)
        scalar = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
        every = [self.model.joint(i) for i in range(self.model.njnt)]
        self.joints = {j.name: j for j in every if int(j.type[0]) in scalar}
        self.free = {j.name: j for j in every if int(j.type[0]) == int(mujoco.mjtJoint.mjJNT_FREE)}

    def move(self, sample: TreeSample, free: Mapping[str, tuple[str, Pose]]) -> None:
        self.mj.mj_resetData(self.model, self.data)
        for name, (_, X) in free.items():
            if name in self.free:
                self.data.qpos[self.free[name].qposadr[0] :][:7] = (*X.p, *X.quaternion)
        for name, q in sample.position.items():
            if name in self.joints:
                self.data.qpos[self.joints[name].qposadr[0]] = q
                self.data.qvel[self.joints[name].dofadr[0]] = sample.velocity[name]
        self.mj.mj_forward(self.model, self.data)

    def poses(self) -> dict[str, Array]:
        found = {}
        for i in range(1, self.model.nbody):
            X = np.eye(4)
            X[:3, :3], X[:3, 3] = self.data.xmat[i].reshape(3, 3), self.data.xpos[i]
            found[self.model.body(i).name] = X
        return found

    def mass_matrix(self) -> tuple[list[str], Array]:
        nv = self.model.nv
        M = np.zeros((nv, nv))
        for k, unit in enumerate(np.eye(nv)):  # by columns: the way that every version has
            self.mj.mj_mulM(self.model, self.data, M[k], unit)
        dofs = [j.dofadr[0] for j in self.joints.values()]
        return list(self.joints), M[np.ix_(dofs, dofs)]

    def bias(self) -> dict[str, float]:
        h = self.data.qfrc_bias - self.data.qfrc_gravcomp  # which lifts links without gravity
        return {name: float(h[j.dofadr[0]]) for name, j in self.joints.items()}

    def motion(self, duration: float, dt: float) -> dict[str, float] | None:
        self.model.opt.timestep, self.model.opt.integrator = dt, self.mj.mjtIntegrator.mjINT_RK4
        for _ in range(round(duration / dt)):
            self.mj.mj_step(self.model, self.data)
        return {name: float(self.data.qpos[j.qposadr[0]]) for name, j in self.joints.items()}
