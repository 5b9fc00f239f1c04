"""A matrix of efforts, with offsets and bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.errors import ModelError
from gearwright.given_numbers import numbers
from gearwright.model.fields import Rules, check, quantity
from gearwright.model.poses import Array
from gearwright.model.transmissions.linear import Entries, LinearTransmission
from gearwright.model.transmissions.maps import like, vectors


@dataclass(frozen=True, kw_only=True)
class LinearMap(LinearTransmission):
    """Efforts `τ_j = T·(τ_a + oₐ) + oⱼ`, clipped to [lower, upper]; so `v_a = Tᵀ·v_j`."""

    matrix: tuple[tuple[float, ...], ...] = quantity(doc="T, (joints, actuators)")
    actuator_offsets: tuple[float, ...] = quantity(
        "N·m | N", parameter=False, doc="oₐ, added to each actuator's effort", default=()
    )
    joint_offsets: tuple[float, ...] = quantity(
        "N·m | N", parameter=False, doc="oⱼ, added to each joint's effort", default=()
    )
    lower: tuple[float, ...] = quantity(
        "N·m | N", parameter=False, infinite=True, doc="lowest joint efforts", default=()
    )
    upper: tuple[float, ...] = quantity(
        "N·m | N", parameter=False, infinite=True, doc="highest joint efforts", default=()
    )

    def __post_init__(self) -> None:
        rows = tuple(map(tuple, np.atleast_2d(numbers("matrix", self.matrix)).tolist()))
        object.__setattr__(self, "matrix", rows)
        sizes = {"actuator_offsets": self.actuators, "joint_offsets": self.joints}
        sizes |= {"lower": self.joints, "upper": self.joints}
        for name, size in sizes.items():
            values = tuple(np.atleast_1d(numbers(name, getattr(self, name), infinite=True)).tolist())
            object.__setattr__(self, name, values)
            if values and len(values) != size:
                raise ModelError(f"{name} takes {size} values, not {len(values)}")
        check(self)

    def rules(self) -> Rules:
        bounds = zip(self.lower, self.upper, strict=False)
        yield not any(lo > hi for lo, hi in bounds), "a lower bound cannot be above its upper one"

    @property
    def actuators(self) -> int:
        return len(self.matrix[0])

    @property
    def joints(self) -> int:
        return len(self.matrix)

    def actuator_entries(self) -> Entries:
        return [list(column) for column in zip(*self.matrix, strict=True)]

    def joint_entries(self) -> Entries:
        A = np.array(self.matrix).T
        try:
            if np.linalg.cond(A) < 1 / np.finfo(float).eps:  # beyond it the inverse keeps no digits
                return [list(row) for row in np.linalg.inv(A).tolist()]
        except np.linalg.LinAlgError:
            pass
        raise ModelError(f"the matrix {self.matrix} has no inverse, so actuators do not determine the joints")

    @property
    def shifts_efforts(self) -> bool:
        """Whether it is more than its matrix."""
        return any((*self.actuator_offsets, *self.joint_offsets, self.lower, self.upper))

    @property
    def effort_offsets(self) -> tuple[Array, Array]:
        """oₐ and oⱼ."""
        return (
            np.array(self.actuator_offsets or (0.0,) * self.actuators),
            np.array(self.joint_offsets or (0.0,) * self.joints),
        )

    def joint_to_actuator_effort(self, j: ArrayLike, *, at: ArrayLike | None = None) -> Any:
        o_a, o_j = self.effort_offsets
        return like(j, super().joint_to_actuator_effort(vectors(j, self.joints) - o_j, at=at) - o_a)

    def actuator_to_joint_effort(self, a: ArrayLike, *, at: ArrayLike | None = None) -> Any:
        o_a, o_j = self.effort_offsets
        efforts = super().actuator_to_joint_effort(vectors(a, self.actuators) + o_a, at=at) + o_j
        low = np.array(self.lower) if self.lower else -np.inf
        high = np.array(self.upper) if self.upper else np.inf
        return like(a, np.clip(efforts, low, high))
