"""Maps with constant ratios: reductions, ros2_control's two pairs, and a matrix.

A kind gives the entries of both matrices as plain arithmetic on its fields, so that fields may be symbols.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.errors import ModelError
from gearwright.model.fields import Rules, check, quantity
from gearwright.model.poses import Array
from gearwright.model.transmissions.maps import TransmissionMap, like, vectors

Entries = list[list[Any]]  # of a matrix, row by row; a float 0.0 is zero whatever the parameters are


class LinearTransmission(TransmissionMap):
    """`x_j = A⁻¹·x_a + offset`. `at` and `near` are accepted but have no effect: the ratios are the same everywhere."""

    @abstractmethod
    def actuator_entries(self) -> Entries:
        """A of `v_a = A·v_j`, (actuators, joints)."""

    def joint_entries(self) -> Entries:
        """A⁻¹ of `v_j = A⁻¹·v_a`, (joints, actuators). A kind of more than one actuator and joint gives it."""
        if self.actuators != 1 or self.joints != 1:
            raise ModelError(f"{type(self).__name__} does not say how actuators move its joints: give joint_entries")
        ((ratio,),) = self.actuator_entries()
        return [[1.0 / ratio]]

    def inverse_error(self) -> float:
        """The largest entry of A⁻¹·A − 1 beside that of |A⁻¹|·|A|; 0 where one of them is not known, or not finite."""
        try:
            there, back = self.actuator_per_joint, self.joint_per_actuator
        except (ModelError, ZeroDivisionError):
            return 0.0
        if there.shape[0] != there.shape[1] or not (np.isfinite(there).all() and np.isfinite(back).all()):
            return 0.0
        with np.errstate(all="ignore"):
            scale = np.max(np.abs(back) @ np.abs(there))
            found = float(np.abs(back @ there - np.eye(len(there))).max() / scale)
        return found if np.isfinite(found) else 0.0

    def joint_offsets_at_zero(self) -> list[Any]:
        """Joint positions when the actuators stand at zero [rad or m]."""
        return [0.0] * self.joints

    def to_actuators(self, q: Any) -> Any:
        moved = [q[..., k] - o for k, o in enumerate(self.joint_offsets_at_zero())]
        return np.stack([dot(row, moved) for row in self.actuator_entries()], axis=-1)

    def to_joints(self, a: Any) -> Any:
        entries, offsets = self.joint_entries(), self.joint_offsets_at_zero()
        moved = [a[..., k] for k in range(self.actuators)]
        return np.stack([dot(row, moved) + o for row, o in zip(entries, offsets, strict=True)], axis=-1)

    @property
    def joint_per_actuator(self) -> Array:
        """A⁻¹ of `v_j = A⁻¹·v_a`, (joints, actuators)."""
        return np.array(self.joint_entries(), dtype=np.float64)

    @property
    def actuator_per_joint(self) -> Array:
        """A of `v_a = A·v_j`, (actuators, joints)."""
        return np.array(self.actuator_entries(), dtype=np.float64)

    @property
    def position_offset(self) -> Array:
        """Joint positions when the actuators stand at zero, (joints,) [rad or m]."""
        return np.array(self.joint_offsets_at_zero(), dtype=np.float64)

    def actuator_per_joint_at(self, q: ArrayLike) -> Array:
        lead = vectors(q, self.joints).shape[:-1]
        return np.broadcast_to(self.actuator_per_joint, (*lead, self.actuators, self.joints)).copy()

    def joint_to_actuator_position(self, j: ArrayLike) -> Any:
        return like(j, (vectors(j, self.joints) - self.position_offset) @ self.actuator_per_joint.T)

    def actuator_to_joint_position(self, a: ArrayLike, *, near: ArrayLike | None = None) -> Any:
        return like(a, vectors(a, self.actuators) @ self.joint_per_actuator.T + self.position_offset)

    def _inverse_at(self, at: ArrayLike | None) -> Array:
        inverse = self.joint_per_actuator
        lead = () if at is None else vectors(at, self.joints).shape[:-1]
        return np.broadcast_to(inverse, (*lead, *inverse.shape))


def dot(row: list[Any], values: list[Any]) -> Any:
    """Σ rᵢ·xᵢ without the terms whose factor is zero by structure."""
    terms = [r * x for r, x in zip(row, values, strict=True) if not is_zero(r)]
    return sum(terms[1:], terms[0]) if terms else 0.0 * values[0]


def product(left: Entries, right: Entries) -> Entries:
    """Two matrices one after the other; what is zero by structure stays so."""
    columns = list(zip(*right, strict=True))
    return [[_total([(r, c) for r, c in zip(row, column, strict=True)]) for column in columns] for row in left]


def _total(pairs: list[tuple[Any, Any]]) -> Any:
    terms = [a * b for a, b in pairs if not (is_zero(a) or is_zero(b))]
    return sum(terms[1:], terms[0]) if terms else 0.0


def is_zero(x: Any) -> bool:
    return isinstance(x, Real) and x == 0


@dataclass(frozen=True, kw_only=True)
class SimpleTransmission(LinearTransmission):
    """`x_j = x_a/reduction + offset`."""

    reduction: float = quantity(nonzero=True, doc="actuator's unit per joint's unit", default=1.0)
    offset: float = quantity("rad | m", doc="joint position with the actuator at zero", default=0.0)

    def actuator_entries(self) -> Entries:
        return [[self.reduction]]

    def joint_offsets_at_zero(self) -> list[Any]:
        return [self.offset]


@dataclass(frozen=True, kw_only=True)
class _TwoByTwo(LinearTransmission):
    """Two actuators, two joints, each with its reduction."""

    actuator_reduction: tuple[float, float] = quantity(
        nonzero=True, doc="reduction at each actuator", default=(1.0, 1.0)
    )
    joint_reduction: tuple[float, float] = quantity(nonzero=True, doc="reduction at each joint", default=(1.0, 1.0))
    joint_offset: tuple[float, float] = quantity("rad | m", doc="offset of each joint", default=(0.0, 0.0))

    def __post_init__(self) -> None:
        check(self)

    def rules(self) -> Rules:
        for name in ("actuator_reduction", "joint_reduction", "joint_offset"):
            yield len(getattr(self, name)) == 2, f"{name} takes two values"

    @property
    def actuators(self) -> int:
        return 2

    @property
    def joints(self) -> int:
        return 2

    def joint_offsets_at_zero(self) -> list[Any]:
        return list(self.joint_offset)


class DifferentialTransmission(_TwoByTwo):
    """Two motors that turn one joint together and the other against each other, as in a wrist."""

    def actuator_entries(self) -> Entries:
        (a1, a2), (j1, j2) = self.actuator_reduction, self.joint_reduction
        return [[a1 * j1, a1 * j2], [a2 * j1, -a2 * j2]]

    def joint_entries(self) -> Entries:
        (a1, a2), (j1, j2) = self.actuator_reduction, self.joint_reduction
        return [[1 / (2 * j1 * a1), 1 / (2 * j1 * a2)], [1 / (2 * j2 * a1), -1 / (2 * j2 * a2)]]


class FourBarLinkageTransmission(_TwoByTwo):
    """ros2_control's four-bar: a remote drive, the second joint turned by both motors. Not the real linkage."""

    def actuator_entries(self) -> Entries:
        (a1, a2), (j1, j2) = self.actuator_reduction, self.joint_reduction
        return [[j1 * a1, 0.0], [a2, a2 * j2]]

    def joint_entries(self) -> Entries:
        (a1, a2), (j1, j2) = self.actuator_reduction, self.joint_reduction
        return [[1 / (j1 * a1), 0.0], [-1 / (j1 * a1 * j2), 1 / (a2 * j2)]]
