"""Cranks and rods: actuators turn cranks, or push slides, and rods lead from these to a link on a chain of joints.

    crank's end A(θ) on a circle, rod's other end B(q) on the link:  |B(q) − A(θ)| = |B − A| as it is drawn

With B from the crank's centre, a and b its components along and across the drawn crank, this is a·cos θ + b·sin θ = k:
θ = ∠(a, b) ± arccos(k/√(a² + b²)). A slide solves a square equation. All in closed form, from joints to actuators.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.fields import quantity
from gearwright.model.poses import Array
from gearwright.model.transmissions.maps import TransmissionMap

Screw = tuple[float, ...]  # axis, and the velocity of the point at the origin: 3 and 3 numbers
STRAIGHT = 1e-6  # sine of the angle between crank and rod, in line: neither way on is the drawn one


@dataclass(frozen=True, kw_only=True)
class ScrewJoints(TransmissionMap):
    """A map whose joints are given by their screws, at one pose of the mechanism."""

    joint_screws: tuple[Screw, ...] = quantity(
        "1, m", parameter=False, doc="of the joints, in their order from the world outwards"
    )
    joint_references: tuple[float, ...] = quantity("rad | m", parameter=False, doc="the joints' positions there")

    def __post_init__(self) -> None:
        if not self.joint_screws or len(self.joint_references) != len(self.joint_screws):
            raise ModelError(f"{type(self).__name__} needs at least one joint, and one reference per joint")
        super().__post_init__()

    @property
    def joints(self) -> int:
        return len(self.joint_screws)

    @property
    def rest(self) -> Array:
        return np.array(self.joint_references)


@dataclass(frozen=True, kw_only=True)
class RodLinkage(ScrewJoints):
    """Rods between cranks and a link, given by points and screw axes of one pose, all in the frame of their carrier.

    A screw is an axis w and the velocity v of the point at the origin: for a hinge through p, `(w, p × w)`; for a
    slide, `(0, v)`. At that pose, joints and actuators are at their references.
    """

    crank_screws: tuple[Screw, ...] = quantity("1, m", parameter=False, doc="of the cranks and slides, one per rod")
    crank_ends: tuple[Screw, ...] = quantity("m", parameter=False, doc="where each rod is tied to its crank")
    rod_ends: tuple[Screw, ...] = quantity("m", parameter=False, doc="where each rod is tied to the link")
    actuator_references: tuple[float, ...] = quantity("rad | m", parameter=False, doc="the actuators' positions there")

    def __post_init__(self) -> None:
        super().__post_init__()
        rods = len(self.crank_screws)
        if not rods or any(len(x) != rods for x in (self.crank_ends, self.rod_ends, self.actuator_references)):
            raise ModelError("a rod linkage has one crank, one end at each side and one reference per rod")
        for k in range(rods):
            w, v, A, B = _parts(self.crank_screws[k], self.crank_ends[k], self.rod_ends[k])
            moved = v + np.cross(w, A)  # velocity of the crank's end
            lever = abs(float(moved @ (B - A)))
            if lever <= STRAIGHT * float(np.linalg.norm(moved)) * float(np.linalg.norm(B - A)):
                raise ModelError(f"rod {k + 1} of a rod linkage is in line with its crank: a dead centre")

    @property
    def actuators(self) -> int:
        return len(self.crank_screws)

    def to_actuators(self, q: Any) -> Any:
        turned = [q[..., i] - reference for i, reference in enumerate(self.joint_references)]
        angles = [self._actuator(k, turned) + reference for k, reference in enumerate(self.actuator_references)]
        return np.stack(angles, axis=-1)

    def _actuator(self, k: int, turned: list[Any]) -> Any:
        """θ of one crank, or the travel of one slide, from where it is drawn."""
        w, v, A, B = _parts(self.crank_screws[k], self.crank_ends[k], self.rod_ends[k])
        point: list[Any] = B.tolist()
        for screw, angle in reversed(list(zip(self.joint_screws, turned, strict=True))):
            point = moved_by_screw(screw, angle, point)
        length = float((B - A) @ (B - A))  # squared
        if not w.any():
            u = v / np.linalg.norm(v)
            d = [x - a for x, a in zip(point, A.tolist(), strict=True)]
            along, drawn = _dot(u, d), float(u @ (B - A))
            travel = along - np.sign(drawn) * np.sqrt(along * along - _dot(d, d) + length)
            return travel / float(np.linalg.norm(v))
        center = A - (r := A - _on_axis(w, v, A))
        e = np.cross(w, r)
        d = [x - c for x, c in zip(point, center.tolist(), strict=True)]
        a, b, size = _dot(r, d), _dot(e, d), float(r @ r)
        a0, b0 = float(r @ (B - center)), float(e @ (B - center))
        half = (_dot(d, d) + size - length) / 2.0
        opening = np.arccos(half / np.sqrt(a * a + b * b))
        drawn = abs(float(np.arctan2(b0, a0)))
        return np.arctan2(b * a0 - a * b0, a * a0 + b * b0) - np.sign(b0) * (opening - drawn)


@dataclass(frozen=True, kw_only=True)
class ActuatorsFollow(TransmissionMap):
    """The same map with its ends exchanged: what is an actuator there follows as a joint here."""

    map: TransmissionMap

    @property
    def actuators(self) -> int:
        return self.map.joints

    @property
    def joints(self) -> int:
        return self.map.actuators

    @property
    def leads_joints(self) -> bool:
        return True

    def to_joints(self, a: Any) -> Any:
        return self.map.to_actuators(a)

    def to_actuators(self, q: Any) -> Any:
        raise ModelError("a rod linkage maps joints to actuators only, not the other way round")


def _parts(*numbers: Screw) -> tuple[Array, ...]:
    """Three numbers each."""
    return tuple(np.array(three) for screw in numbers for three in np.reshape(screw, (-1, 3)))


def _on_axis(w: Array, v: Array, point: Array) -> Array:
    """The point of an axis that is nearest to a point."""
    foot = np.cross(w, v)
    return np.asarray(foot + w * float(w @ (point - foot)))


def moved_by_screw(screw: Screw, angle: Any, point: list[Any]) -> list[Any]:
    """exp(screw·angle)·point, by Rodrigues."""
    w, v = _parts(screw)
    if not w.any():
        return [x + angle * float(rate) for x, rate in zip(point, v, strict=True)]
    foot, pitch = np.cross(w, v), float(w @ v)
    d = [x - float(f) for x, f in zip(point, foot, strict=True)]
    along = _dot(w, d)
    across = [float(w[1]) * d[2] - float(w[2]) * d[1], float(w[2]) * d[0] - float(w[0]) * d[2],
              float(w[0]) * d[1] - float(w[1]) * d[0]]  # fmt: skip
    c, s = np.cos(angle), np.sin(angle)
    return [
        float(f) + c * x + s * y + (1.0 - c) * along * float(axis) + pitch * angle * float(axis)
        for f, x, y, axis in zip(foot, d, across, w, strict=True)
    ]


def _dot(u: Any, d: list[Any]) -> Any:
    return u[0] * d[0] + u[1] * d[1] + u[2] * d[2]
