"""Pinocchio: URDF, by urdfdom."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from math import cos, sin
from typing import Any, ClassVar

import numpy as np

from gearwright.conversion.bare import TreeSample
from gearwright.conversion.peers.peer import URDF_KINDS, Peer, PeerRefusedError
from gearwright.model import Pose
from gearwright.model.poses import Array, Vector3


class Pinocchio(Peer):
    package: ClassVar[str] = "pinocchio"
    kinds: ClassVar[Mapping[str, tuple[str, ...]]] = {".urdf": URDF_KINDS}
    formats: ClassVar[tuple[str, ...]] = (".urdf",)

    def __init__(self, text: str, ending: str, gravity: Vector3) -> None:
        import pinocchio

        self.pin: Any = pinocchio
        try:
            with _quiet():
                self.model: Any = pinocchio.buildModelFromXML(text)
        except (ValueError, RuntimeError) as error:
            raise PeerRefusedError(" ".join(str(error).split())) from error
        self.model.gravity.linear = np.array(gravity)
        self.data: Any = self.model.createData()
        self.q: Array = pinocchio.neutral(self.model)
        self.v: Array = np.zeros(self.model.nv)

    def _each(self) -> Iterator[tuple[str, Any]]:
        return ((self.model.names[i], self.model.joints[i]) for i in range(1, self.model.njoints))

    def move(self, sample: TreeSample, free: Mapping[str, tuple[str, Pose]]) -> None:
        self.q, self.v = self.pin.neutral(self.model), np.zeros(self.model.nv)
        for name, joint in self._each():
            at = joint.idx_q
            if name in free:
                X = free[name][1]
                w, *xyz = X.quaternion
                self.q[at : at + 7] = (*X.p, *xyz, w)
            elif name in sample.position and joint.nv == 1:
                x = sample.position[name]
                self.q[at : at + joint.nq] = (cos(x), sin(x)) if joint.nq == 2 else (x,)
                self.v[joint.idx_v] = sample.velocity[name]

    def poses(self) -> dict[str, Array]:
        self.pin.framesForwardKinematics(self.model, self.data, self.q)
        body = self.pin.FrameType.BODY
        return {f.name: self.data.oMf[i].homogeneous for i, f in enumerate(self.model.frames) if f.type == body}

    def mass_matrix(self) -> tuple[list[str], Array]:
        upper = np.triu(self.pin.crba(self.model, self.data, self.q))
        M = upper + np.triu(upper, 1).T
        scalar = {name: joint.idx_v for name, joint in self._each() if joint.nv == 1}
        rows = list(scalar.values())
        return list(scalar), M[np.ix_(rows, rows)]

    def bias(self) -> dict[str, float]:
        h = self.pin.nonLinearEffects(self.model, self.data, self.q, self.v)
        return {name: float(h[joint.idx_v]) for name, joint in self._each() if joint.nv == 1}


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """urdfdom writes to the standard error stream directly."""
    sys.stderr.flush()
    saved, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(null)
