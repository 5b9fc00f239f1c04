"""Sensors of forces and of motion in space: force-torque sensors in joints, inertial ones on links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from gearwright.errors import ModelError
from gearwright.given_numbers import numbers
from gearwright.model.poses import IDENTITY, Pose
from gearwright.model.sensors.sensors import Sensor

SIX = (0.0,) * 6
UNITS = {"f": "N", "t": "N·m", "w": "rad/s", "a": "m/s²"}  # by the first letter of a label


@dataclass(frozen=True, kw_only=True)
class BodySensor(Sensor):
    """Six numbers with noise: `y = x + offset + noise·n`, n normally distributed."""

    labels: ClassVar[tuple[str, ...]] = ()

    pose: Pose = IDENTITY  # of the sensor, in its joint's frame on the child, or in its link's frame
    offset: tuple[float, ...] = SIX  # in the order of `labels`, like noise
    noise: tuple[float, ...] = SIX  # standard deviations
    seed: int = 0  # of the noise

    def unit(self, *, length: bool, index: int = 0) -> str:
        return UNITS[self.labels[index][0]]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("offset", "noise"):
            if numbers(name, getattr(self, name)).shape != (6,):
                raise ModelError(f"{name} must be six finite numbers, not {getattr(self, name)!r:.60}")
        if min(self.noise) < 0:
            raise ModelError(f"noise cannot be negative ({min(self.noise)})")


@dataclass(frozen=True, kw_only=True)
class ForceTorque(BodySensor):
    """The wrench in the joint named by `joint` (or `reaction`) [N, N·m], at the sensor's origin.

    In the axes of the joint's child link, of its parent link or of the sensor. `child_to_parent` is what the child
    exerts on the parent, SDFormat's default; `parent_to_child` is the opposite, as in `Simulation.reaction`.
    """

    kind: ClassVar[str] = "force_torque"
    labels: ClassVar[tuple[str, ...]] = ("fx", "fy", "fz", "tx", "ty", "tz")

    frame: Literal["child", "parent", "sensor"] = "child"  # whose axes the reading has
    direction: Literal["child_to_parent", "parent_to_child"] = "child_to_parent"  # who acts on whom

    def __post_init__(self) -> None:
        if self.reaction is None and self.joint is not None:  # the joint that it sits in, by the usual name
            object.__setattr__(self, "reaction", str(self.joint))
            object.__setattr__(self, "joint", None)
        super().__post_init__()
        if self.reaction is None:
            raise ModelError("a force_torque sensor needs the joint that it sits in: joint=…")
        if self.frame not in ("child", "parent", "sensor"):
            raise ModelError(f"frame must be child, parent or sensor, not {self.frame!r}")
        if self.direction not in ("child_to_parent", "parent_to_child"):
            raise ModelError(f"direction must be child_to_parent or parent_to_child, not {self.direction!r}")


@dataclass(frozen=True, kw_only=True)
class Imu(BodySensor):
    """Angular velocity [rad/s] and specific force a − g [m/s²] of `link`, at the sensor's origin, in its axes."""

    kind: ClassVar[str] = "imu"
    labels: ClassVar[tuple[str, ...]] = ("wx", "wy", "wz", "ax", "ay", "az")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.link is None:
            raise ModelError("an imu needs the link that it sits on: link=…")
