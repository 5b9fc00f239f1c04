"""A tendon in space: straight lines between points of links that joints move. An actuator pulls it.

L(q) = gear·(Σ share·|b(q) − a(q)| + constant),    each point moved by the screws of the joints that carry it
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.fields import quantity
from gearwright.model.transmissions.rod_linkage import Screw, ScrewJoints, moved_by_screw
from gearwright.model.transmissions.tendon_wraps import wrapped_length


@dataclass(frozen=True, kw_only=True)
class TendonWrap:
    """A line that goes round a sphere or a cylinder where it would meet it."""

    ends: tuple[Screw, Screw]  # points
    carriers: tuple[tuple[int, ...], tuple[int, ...]]  # the joints that carry each, from the world outwards
    shape: tuple[Screw, Screw, Screw]  # the middle, and points at unit length along its x and y; z is a cylinder's axis
    shape_carriers: tuple[int, ...]
    radius: float  # [m]
    sphere: bool  # otherwise a cylinder without ends
    side: Screw | None = None  # a point outside, in the shape's frame: where it passes
    share: float = 1.0


@dataclass(frozen=True, kw_only=True)
class SpatialTendon(ScrewJoints):
    """One actuator that pulls a tendon over points, given at one pose, at which the joints are at their references.

    A screw is an axis w and the velocity v of the point at the origin: for a hinge through p, `(w, p × w)`; for a
    slide, `(0, v)`. Each line has two ends; `carriers` are the places of the joints that move an end,
    from the world outwards. Joints that move both ends of a line alike can be left out.
    """

    ends: tuple[Screw, ...] = quantity("m", parameter=False, doc="points: two for each line")
    carriers: tuple[tuple[int, ...], ...] = ()  # for each end, the joints that carry it, from the inside outwards
    shares: tuple[float, ...] = quantity(parameter=False, doc="what each line counts: less behind a pulley")
    wraps: tuple[TendonWrap, ...] = ()  # spheres and cylinders that it goes round
    constant: float = quantity("m", parameter=False, doc="length of lines that do not change", default=0.0)
    gear: float = quantity(nonzero=True, parameter=False, doc="actuator's unit per unit of length", default=1.0)

    def __post_init__(self) -> None:
        lines, joints = len(self.shares), len(self.joint_screws)
        if len(self.ends) != 2 * lines or len(self.carriers) != 2 * lines:
            raise ModelError("a tendon has two ends, with the joints that carry them, for each line")
        if any(not 0 <= k < joints for chain in self.carriers for k in chain):
            raise ModelError("a tendon's end is carried by a joint that the tendon does not have")
        for w in self.wraps:
            if not w.radius > 0 or any(not 0 <= k < joints for c in (*w.carriers, w.shape_carriers) for k in c):
                raise ModelError("a tendon wraps around a positive radius, carried by joints that the tendon has")
        super().__post_init__()

    def geared(self, gear: float) -> SpatialTendon:
        """The same tendon through a gear."""
        return replace(self, gear=self.gear * gear)

    def to_actuators(self, q: Any) -> Any:
        moved = [q[..., i] - reference for i, reference in enumerate(self.joint_references)]
        length: Any = sum(share * self._line(k, moved) for k, share in enumerate(self.shares))
        length = length + sum(w.share * self._wrapped(w, moved) for w in self.wraps)
        return np.stack([self.gear * (length + self.constant)], axis=-1)

    def _line(self, k: int, moved: list[Any]) -> Any:
        a, b = self._end(2 * k, moved), self._end(2 * k + 1, moved)
        return np.sqrt(sum((y - x) * (y - x) for x, y in zip(a, b, strict=True)))

    def _end(self, i: int, moved: list[Any]) -> list[Any]:
        return self._carried(self.ends[i], self.carriers[i], moved)

    def _carried(self, point: Screw, carriers: tuple[int, ...], moved: list[Any]) -> list[Any]:
        there: list[Any] = list(point)
        for k in reversed(carriers):
            there = moved_by_screw(self.joint_screws[k], moved[k], there)
        return there

    def _wrapped(self, w: TendonWrap, moved: list[Any]) -> Any:
        o, x, y = (self._carried(p, w.shape_carriers, moved) for p in w.shape)
        x, y = ([c - m for c, m in zip(axis, o, strict=True)] for axis in (x, y))
        z = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]

        def seen(i: int) -> list[Any]:  # an end in the shape's frame
            d = [c - m for c, m in zip(self._carried(w.ends[i], w.carriers[i], moved), o, strict=True)]
            return [sum(c * e for c, e in zip(d, axis, strict=True)) for axis in (x, y, z)]

        return wrapped_length(seen(0), seen(1), w.radius, sphere=w.sphere, side=w.side)
