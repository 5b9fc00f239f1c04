"""Axes of joints: direction, limits, and the passive forces along them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan

from gearwright.errors import ModelError
from gearwright.model.fields import check, quantity
from gearwright.model.frictions.kind import FrictionModel
from gearwright.model.poses import Vector3


@dataclass(frozen=True, slots=True, order=True)
class AxisRef:
    """One axis of a joint, as a coupling or a transmission names it. Prints as `joint` or `joint.axis2`."""

    joint: str
    index: int = 0  # 0: axis, 1: axis2

    @staticmethod
    def of(written: object) -> AxisRef | None:
        """An axis as a user names it: `"knee"`, `"wrist.axis2"`, or an AxisRef."""
        if not isinstance(written, str):
            return written  # type: ignore[return-value]  # an AxisRef, or None
        joint, dot, last = written.rpartition(".axis")
        return AxisRef(joint, int(last) - 1) if dot and last in ("1", "2", "3") else AxisRef(written)

    def __str__(self) -> str:
        return f"{self.joint}.axis{self.index + 1}" if self.index else self.joint


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """Bounds on one axis."""

    lower: float = quantity("rad | m", infinite=True, doc="lowest position", default=-inf)
    upper: float = quantity("rad | m", infinite=True, doc="highest position", default=inf)
    velocity: float = quantity("rad/s | m/s", at_least=0, infinite=True, doc="highest speed", default=inf)
    effort: float = quantity("N·m | N", at_least=0, infinite=True, doc="highest effort of a motor there", default=inf)
    stiffness: float | None = quantity(
        "N·m/rad | N/m", at_least=0, infinite=True, doc="of the stop; not given: hard", default=None
    )
    dissipation: float | None = quantity(
        "N·m·s/rad | N·s/m", at_least=0, infinite=True, doc="of the stop", default=None
    )

    def __post_init__(self) -> None:
        unordered = any(type(x) is float and isnan(x) for x in (self.lower, self.upper))
        if not unordered:
            check(self)
        if unordered or self.lower > self.upper:
            raise ModelError(f"a lower limit ({self.lower}) cannot be above the upper one ({self.upper})")

    @property
    def bounded(self) -> bool:
        return self.lower > -inf or self.upper < inf


@dataclass(frozen=True, kw_only=True, slots=True)
class AxisDynamics:
    """Passive forces along one axis: `−damping·v − friction·sign(v) − spring_stiffness·(q − spring_reference)`."""

    damping: float = quantity("N·m·s/rad | N·s/m", at_least=0, doc="viscous friction", default=0.0)
    friction: float = quantity("N·m | N", at_least=0, doc="Coulomb friction", default=0.0)
    spring_stiffness: float = quantity("N·m/rad | N/m", doc="of the spring along the axis", default=0.0)
    spring_reference: float = quantity("rad | m", doc="position at which the spring is relaxed", default=0.0)
    armature: float = quantity("kg·m² | kg", at_least=0, doc="inertia added along the axis", default=0.0)
    friction_model: FrictionModel | None = None  # dry friction by speed, beside the Coulomb friction

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True, slots=True)
class Axis:
    """A direction in the joint frame, with what acts along it."""

    xyz: Vector3 = (0.0, 0.0, 1.0)  # unit vector in the joint frame J
    limits: Limits = Limits()
    dynamics: AxisDynamics = AxisDynamics()

    def __post_init__(self) -> None:
        if not abs(sum(c * c for c in self.xyz) - 1.0) <= 1e-9:  # NaN fails, too
            raise ModelError(f"an axis must be of unit length, not {self.xyz}")


@dataclass(frozen=True, kw_only=True, slots=True)
class SafetyController:
    """URDF's soft limits, for controllers; the mechanism itself has none of them."""

    k_velocity: float = quantity("N·m·s/rad | N·s/m", doc="effort per speed beyond its soft limit", default=0.0)
    k_position: float = quantity("1/s", doc="speed limit per distance to a soft limit", default=0.0)
    soft_lower_limit: float = quantity("rad | m", doc="where the lower soft limit begins", default=0.0)
    soft_upper_limit: float = quantity("rad | m", doc="where the upper soft limit begins", default=0.0)
