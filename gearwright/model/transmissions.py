"""Transmissions: maps between actuator space (a) and joint space (j).

Power is conserved: with `v_j = A·v_a` the efforts obey `τ_a = Aᵀ·τ_j`. A linear kind gives A and its inverse
in closed form; everything else follows here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.diagnostics import Source
from gearwright.errors import ModelError
from gearwright.model.joints import AxisRef
from gearwright.model.poses import Array


class TransmissionMap:
    """What a transmission does, apart from which actuators and joints it is tied to."""

    @property
    def actuators(self) -> int:
        """Size of actuator space."""
        return 1

    @property
    def joints(self) -> int:
        """Size of joint space."""
        return 1


class LinearTransmission(TransmissionMap, ABC):
    """A map with constant ratios. Arguments are scalars (sizes of 1), vectors (n,) or batches (…, n)."""

    @property
    @abstractmethod
    def joint_per_actuator(self) -> Array:
        """A of `v_j = A·v_a`, (joints, actuators)."""

    @property
    @abstractmethod
    def actuator_per_joint(self) -> Array:
        """A⁻¹ of `v_a = A⁻¹·v_j`, (actuators, joints)."""

    @property
    def position_offset(self) -> Array:
        """Joint positions when the actuators stand at zero, (joints,) [rad or m]."""
        return np.zeros(self.joints)

    def actuator_to_joint_position(self, a: ArrayLike) -> Any:
        return _apply(self.joint_per_actuator, a, after=self.position_offset)

    def joint_to_actuator_position(self, j: ArrayLike) -> Any:
        return _apply(self.actuator_per_joint, j, before=-self.position_offset)

    def actuator_to_joint_velocity(self, a: ArrayLike) -> Any:
        return _apply(self.joint_per_actuator, a)

    def joint_to_actuator_velocity(self, j: ArrayLike) -> Any:
        return _apply(self.actuator_per_joint, j)

    def actuator_to_joint_effort(self, a: ArrayLike) -> Any:
        return _apply(self.actuator_per_joint.T, a)

    def joint_to_actuator_effort(self, j: ArrayLike) -> Any:
        return _apply(self.joint_per_actuator.T, j)


def _apply(M: Array, x: ArrayLike, *, before: Array | float = 0.0, after: Array | float = 0.0) -> Any:
    """`M·(x + before) + after` over the last axis; a scalar stays a scalar where both spaces have size 1."""
    x = np.asarray(x, dtype=float)
    if x.ndim == 0 and M.shape == (1, 1):
        return float(_apply(M, x[None], before=before, after=after)[0])
    if x.ndim == 0 or x.shape[-1] != M.shape[1]:
        raise ModelError(f"expected {M.shape[1]} values along the last axis, got shape {x.shape}")
    return (x + before) @ M.T + after


class ZeroRatioError(ModelError):
    """A ratio that makes no map."""


def _nonzero(**ratios: float) -> None:
    for name, value in ratios.items():
        if value == 0 or not isfinite(value):
            raise ZeroRatioError(f"{name} must be finite and not zero, not {value}")


@dataclass(frozen=True, kw_only=True)
class SimpleTransmission(LinearTransmission):
    """`x_j = x_a/reduction + offset`."""

    reduction: float = 1.0  # actuator's unit per joint's unit
    offset: float = 0.0  # of the joint [rad, m]

    def __post_init__(self) -> None:
        _nonzero(reduction=self.reduction)

    @property
    def joint_per_actuator(self) -> Array:
        return np.array([[1.0 / self.reduction]])

    @property
    def actuator_per_joint(self) -> Array:
        return np.array([[self.reduction]])

    @property
    def position_offset(self) -> Array:
        return np.array([self.offset])


@dataclass(frozen=True, kw_only=True)
class _TwoByTwo(LinearTransmission):
    """Two actuators, two joints, each with its reduction."""

    actuator_reduction: tuple[float, float] = (1.0, 1.0)
    joint_reduction: tuple[float, float] = (1.0, 1.0)
    joint_offset: tuple[float, float] = (0.0, 0.0)  # [rad, m]

    def __post_init__(self) -> None:
        for name in ("actuator_reduction", "joint_reduction", "joint_offset"):
            object.__setattr__(self, name, tuple(map(float, getattr(self, name))))
            if len(getattr(self, name)) != 2:
                raise ModelError(f"{name} takes two values")
        _nonzero(**{f"actuator_reduction[{i}]": r for i, r in enumerate(self.actuator_reduction)})
        _nonzero(**{f"joint_reduction[{i}]": r for i, r in enumerate(self.joint_reduction)})

    @property
    def actuators(self) -> int:
        return 2

    @property
    def joints(self) -> int:
        return 2

    @property
    def position_offset(self) -> Array:
        return np.array(self.joint_offset)


class DifferentialTransmission(_TwoByTwo):
    """Two motors that turn one joint together and the other against each other, as in a wrist."""

    @property
    def joint_per_actuator(self) -> Array:
        (a1, a2), (j1, j2) = self.actuator_reduction, self.joint_reduction
        return np.array([[1 / (2 * j1 * a1), 1 / (2 * j1 * a2)], [1 / (2 * j2 * a1), -1 / (2 * j2 * a2)]])

    @property
    def actuator_per_joint(self) -> Array:
        (a1, a2), (j1, j2) = self.actuator_reduction, self.joint_reduction
        return np.array([[a1 * j1, a1 * j2], [a2 * j1, -a2 * j2]])


class FourBarLinkageTransmission(_TwoByTwo):
    """ros2_control's four-bar: a remote drive, the second joint turned by both motors. Not the real linkage."""

    @property
    def joint_per_actuator(self) -> Array:
        (a1, a2), (j1, j2) = self.actuator_reduction, self.joint_reduction
        return np.array([[1 / (j1 * a1), 0.0], [-1 / (j1 * a1 * j2), 1 / (a2 * j2)]])

    @property
    def actuator_per_joint(self) -> Array:
        (a1, a2), (j1, j2) = self.actuator_reduction, self.joint_reduction
        return np.array([[j1 * a1, 0.0], [a2, a2 * j2]])


@dataclass(frozen=True, kw_only=True)
class LinearMap(LinearTransmission):
    """Efforts `τ_j = T·(τ_a + oₐ) + oⱼ`, clipped to [lower, upper]; so `v_a = Tᵀ·v_j`."""

    matrix: tuple[tuple[float, ...], ...]  # T, (joints, actuators)
    actuator_offsets: tuple[float, ...] = ()  # [N·m, N]
    joint_offsets: tuple[float, ...] = ()  # [N·m, N]
    lower: tuple[float, ...] = ()  # [N·m, N]
    upper: tuple[float, ...] = ()  # [N·m, N]

    def __post_init__(self) -> None:
        rows = tuple(tuple(map(float, row)) for row in np.atleast_2d(np.asarray(self.matrix, dtype=float)))
        object.__setattr__(self, "matrix", rows)
        if not np.isfinite(rows).all():
            raise ModelError("the matrix must be finite")
        sizes = {"actuator_offsets": self.actuators, "joint_offsets": self.joints}
        sizes |= {"lower": self.joints, "upper": self.joints}
        for name, size in sizes.items():
            values = tuple(map(float, np.atleast_1d(np.asarray(getattr(self, name), dtype=float))))
            object.__setattr__(self, name, values)
            if values and len(values) != size:
                raise ModelError(f"{name} takes {size} values, not {len(values)}")
        if any(lo > hi for lo, hi in zip(self.lower, self.upper, strict=False)):
            raise ModelError("a lower bound cannot be above its upper one")

    @property
    def actuators(self) -> int:
        return len(self.matrix[0])

    @property
    def joints(self) -> int:
        return len(self.matrix)

    @property
    def actuator_per_joint(self) -> Array:
        return np.array(self.matrix).T

    @property
    def joint_per_actuator(self) -> Array:
        try:
            return np.asarray(np.linalg.inv(self.actuator_per_joint), dtype=np.float64)
        except np.linalg.LinAlgError as e:
            raise ModelError(f"the matrix {self.matrix} has no inverse, so actuators do not fix the joints") from e

    @property
    def _offsets(self) -> tuple[Array, Array]:
        """oₐ and oⱼ."""
        return (
            np.array(self.actuator_offsets or (0.0,) * self.actuators),
            np.array(self.joint_offsets or (0.0,) * self.joints),
        )

    def joint_to_actuator_effort(self, j: ArrayLike) -> Any:
        o_a, o_j = self._offsets
        return _apply(self.joint_per_actuator.T, j, before=-o_j, after=-o_a)

    def actuator_to_joint_effort(self, a: ArrayLike) -> Any:
        o_a, o_j = self._offsets
        j = _apply(np.array(self.matrix), a, before=o_a, after=o_j)
        low = np.array(self.lower) if self.lower else -np.inf
        high = np.array(self.upper) if self.upper else np.inf
        clipped = np.clip(j, low, high)
        return float(clipped[0]) if np.ndim(j) == 0 and np.ndim(clipped) else clipped


@dataclass(frozen=True, kw_only=True)
class FourBarLinkage(TransmissionMap):
    """The real linkage: the input crank's angle to the output rocker's. Lengths in metres."""

    ground: float  # [m]
    input: float  # [m]
    coupler: float  # [m]
    output: float  # [m]
    branch: int = 1  # +1 or −1: which of the two ways it is assembled

    def __post_init__(self) -> None:
        lengths = {k: getattr(self, k) for k in ("ground", "input", "coupler", "output")}
        for name, value in lengths.items():
            if not (isfinite(value) and value > 0):
                raise ModelError(f"the {name} length must be positive, not {value}")
        longest = max(lengths, key=lambda k: lengths[k])
        if lengths[longest] >= sum(lengths.values()) - lengths[longest]:
            raise ModelError(f"no four-bar closes with a {longest} longer than the other three together")
        if self.branch not in (1, -1):
            raise ModelError(f"branch is +1 or −1, not {self.branch}")


@dataclass(frozen=True, kw_only=True)
class CustomTransmission(TransmissionMap):
    """The user's own map: `position(q)` from joints to actuators, or `effort(a, q, v)` from actuators to joints."""

    position: Callable[..., Any] | None = None
    effort: Callable[..., Any] | None = None
    size: tuple[int, int] = (1, 1)  # actuators, joints

    def __post_init__(self) -> None:
        if (self.position is None) == (self.effort is None):
            raise ModelError("a custom transmission takes either position or effort")

    @property
    def actuators(self) -> int:
        return self.size[0]

    @property
    def joints(self) -> int:
        return self.size[1]


@dataclass(frozen=True, kw_only=True)
class Transmission:
    """A map tied to actuators and joint axes, both in the order of their roles."""

    name: str
    type: str  # as the file says it, without a package prefix
    map: TransmissionMap | None  # None: a type that is not known here, kept by name
    actuators: tuple[str, ...]
    joints: tuple[AxisRef, ...]
    parameters: Mapping[str, str] = field(default_factory=dict)
    source: Source | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.map is None:
            return
        for what, names, size in (
            ("actuator", self.actuators, self.map.actuators),
            ("joint", self.joints, self.map.joints),
        ):
            if len(names) != size:
                raise ModelError(f"transmission {self.name!r} takes {size} {what}s, not {len(names)}")
