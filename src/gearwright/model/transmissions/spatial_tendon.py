"""A tendon in space: straight lines between points of links that joints move. An actuator pulls it.

L(q) = gear·(Σ share·|b(q) − a(q)| + constant),    each point moved by the screws of the joints that carry it
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.fields import quantity
from gearwright.model.poses import Array
from gearwright.model.transmissions.maps import TransmissionMap
from gearwright.model.transmissions.rod_linkage import Screw, moved_by_screw


@dataclass(frozen=True, kw_only=True)
class SpatialTendon(TransmissionMap):
    """One actuator that pulls a tendon over points, given at one pose, at which the joints are at their references.

    A screw is an axis w and the velocity v of the point at the origin: for a hinge through p, `(w, p × w)`; for a
    slide, `(0, v)`. Each line has two ends; `carriers` are the places of the joints that move an end,
    from the world outwards. Joints that move both ends of a line alike can be left out.
    """

    joint_screws: tuple[Screw, ...] = quantity("1, m", parameter=False, doc="of the joints")
    joint_references: tuple[float, ...] = quantity("rad | m", parameter=False, doc="the joints' positions there")
    ends: tuple[Screw, ...] = quantity("m", parameter=False, doc="points: two for each line")
    carriers: tuple[tuple[int, ...], ...] = ()  # for each end, the joints that carry it, from the inside outwards
    shares: tuple[float, ...] = quantity(parameter=False, doc="what each line counts: less behind a pulley")
    constant: float = quantity("m", parameter=False, doc="length of lines that do not change", default=0.0)
    gear: float = quantity(nonzero=True, parameter=False, doc="actuator's unit per unit of length", default=1.0)

    def __post_init__(self) -> None:
        lines, joints = len(self.shares), len(self.joint_screws)
        if not joints or len(self.joint_references) != joints:
            raise ModelError("a tendon has one reference per joint, and a joint at least")
        if len(self.ends) != 2 * lines or len(self.carriers) != 2 * lines:
            raise ModelError("a tendon has two ends, with the joints that carry them, for each line")
        if any(not 0 <= k < joints for chain in self.carriers for k in chain):
            raise ModelError("a tendon's end is carried by a joint that the tendon does not have")
        super().__post_init__()

    @property
    def joints(self) -> int:
        return len(self.joint_screws)

    @property
    def rest(self) -> Array:
        return np.array(self.joint_references)

    def geared(self, gear: float) -> SpatialTendon:
        """The same tendon through a gear."""
        return replace(self, gear=self.gear * gear)

    def to_actuators(self, q: Any) -> Any:
        moved = [q[..., i] - reference for i, reference in enumerate(self.joint_references)]
        length = sum(share * self._line(k, moved) for k, share in enumerate(self.shares))
        return np.stack([self.gear * (length + self.constant)], axis=-1)

    def _line(self, k: int, moved: list[Any]) -> Any:
        a, b = self._end(2 * k, moved), self._end(2 * k + 1, moved)
        return np.sqrt(sum((y - x) * (y - x) for x, y in zip(a, b, strict=True)))

    def _end(self, i: int, moved: list[Any]) -> list[Any]:
        point: list[Any] = list(self.ends[i])
        for k in reversed(self.carriers[i]):
            point = moved_by_screw(self.joint_screws[k], moved[k], point)
        return point
