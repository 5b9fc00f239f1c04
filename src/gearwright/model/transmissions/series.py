"""Several maps one after another, the motor's first: a planetary gear, then a belt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any, ClassVar, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from gearwright.errors import ModelError
from gearwright.model.poses import Array
from gearwright.model.transmissions.linear import Entries, LinearTransmission, dot, product
from gearwright.model.transmissions.losses import Losses
from gearwright.model.transmissions.maps import TransmissionMap, vectors


@dataclass(frozen=True)
class Series(TransmissionMap):
    """Stages one after another: the joints of one are the actuators of the next. Linear if all stages are.

    `at` is the position of the last stage's joints.
    """

    checked_at_start: ClassVar[bool] = True

    stages: Sequence[TransmissionMap]  # the motor's first; kept as a tuple

    def __new__(cls, stages: Sequence[TransmissionMap] = ()) -> Series:
        linear = bool(stages) and all(isinstance(s, LinearTransmission) for s in stages)  # none: a copy in the making
        return object.__new__(LinearSeries if linear and cls is Series else cls)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stages", tuple(self.stages))
        if not self.stages:
            raise ModelError("a series takes at least one stage")
        for s in self.stages:
            if not isinstance(s, TransmissionMap):
                raise ModelError(f"a stage must be a transmission's map, not {s!r}")
            if s.by_effort:
                raise ModelError("a stage given by its effort has no positions to pass on; give position(q)")
        for i, (before, after) in enumerate(pairwise(self.stages)):
            if before.joints != after.actuators:
                message = f"stage {i + 1} has {before.joints} joints and stage {i + 2} has {after.actuators} actuators"
                raise ModelError(f"{message}: they must be the same")

    @property
    def actuators(self) -> int:
        return self.stages[0].actuators

    @property
    def joints(self) -> int:
        return self.stages[-1].joints

    def to_actuators(self, q: Any) -> Any:
        return reduce(lambda x, stage: stage.to_actuators(x), reversed(self.stages), q)

    @property
    def leads_joints(self) -> bool:
        """If a stage does, and no other stage needs the joints' side."""
        return any(s.leads_joints for s in self.stages) and all(
            s.leads_joints or isinstance(s, LinearTransmission) for s in self.stages
        )

    def to_joints(self, a: Any) -> Any:
        return reduce(lambda x, stage: stage.to_joints(x), self.stages, a)

    @property
    def rest(self) -> Array:
        """Where the last stage rests."""
        return self.stages[-1].rest

    # --- efficiency --------------------------------------------------------------------------------------------

    def efficiency_at(self, load: Any, speed: Any) -> Any:
        """The product over its stages, each at its own load and speed, which follow from the ratios before it.

        The losses of earlier stages are not subtracted from the load, because they depend on the direction of power.
        """
        found: Any = 1.0
        for losses, own_load, own_speed in self._loaded_stages(load, speed):
            found = found * losses.efficiency_at(own_load, own_speed)
        return found

    def backward_efficiency_at(self, load: Any, speed: Any) -> Any:
        """The product over its stages; if one is self-locking, so is the series."""
        found: Any = 1.0
        least: Any = 1.0
        for losses, own_load, own_speed in self._loaded_stages(load, speed):
            own = losses.backward_efficiency_at(own_load, own_speed)
            found, least = found * np.maximum(own, 0.0), np.minimum(least, own)
        return found + np.minimum(least, 0.0)

    def _loaded_stages(self, load: Any, speed: Any) -> Iterator[tuple[Losses, Any, Any]]:
        """The losses of stages with their load and speed, as far as these are known."""
        for stage in self.stages:
            yield stage.losses(), load, speed
            if not _constant_ratio(stage):
                return
            (ratio,) = stage.actuator_entries()[0]
            load, speed = load * ratio, speed / ratio

    def losses(self) -> Losses:
        """Efficiencies of its stages, as far as their load is known."""
        known = self.stages[: len(self.stages) - len(self.stages_without_load)]
        return Losses(own=self if any(not s.losses().efficient for s in known) else None)

    @property
    def stages_without_load(self) -> list[TransmissionMap]:
        """Stages behind one with a variable ratio or several ends: their load and speed are not known."""
        ends = next((i for i, s in enumerate(self.stages, 1) if not _constant_ratio(s)), len(self.stages))
        return list(self.stages[ends:])

    # --- stage by stage, so that each one's own checks, offsets and bounds hold -------------------------------

    def joint_to_actuator_position(self, j: ArrayLike) -> Any:
        return reduce(lambda x, stage: stage.joint_to_actuator_position(x), reversed(self.stages), j)

    def actuator_to_joint_position(self, a: ArrayLike, *, near: ArrayLike | None = None) -> Any:
        starts = [None] * len(self.stages) if near is None else self._between(near)
        for stage, q in zip(self.stages, starts, strict=True):
            a = stage.actuator_to_joint_position(a, near=q)
        return a

    def actuator_per_joint_at(self, q: ArrayLike) -> Array:
        ratios = [s.actuator_per_joint_at(x) for s, x in zip(self.stages, self._between(q), strict=True)]
        return np.asarray(reduce(np.matmul, ratios), dtype=np.float64)

    def actuator_to_joint_effort(self, a: ArrayLike, *, at: ArrayLike | None = None) -> Any:
        for stage, q in zip(self.stages, self._between(at), strict=True):
            a = stage.actuator_to_joint_effort(a, at=q)
        return a

    def joint_to_actuator_effort(self, j: ArrayLike, *, at: ArrayLike | None = None) -> Any:
        for stage, q in reversed(list(zip(self.stages, self._between(at), strict=True))):
            j = stage.joint_to_actuator_effort(j, at=q)
        return j

    def _between(self, q: ArrayLike | None) -> list[Array]:
        """The joint position of each stage when the last one's is q."""
        positions = [vectors(self.rest if q is None else q, self.joints)]
        for stage in reversed(self.stages[1:]):
            positions.insert(0, stage.joint_to_actuator_position(positions[0]))
        return positions


def _constant_ratio(stage: TransmissionMap) -> TypeGuard[LinearTransmission]:
    """Whether load and speed behind it are known: one actuator, one joint, and a ratio that does not change."""
    return isinstance(stage, LinearTransmission) and stage.actuators == stage.joints == 1


class LinearSeries(Series, LinearTransmission):
    """Linear stages: their matrices multiplied."""

    checked_at_start: ClassVar[bool] = False

    def actuator_entries(self) -> Entries:
        return reduce(product, [s.actuator_entries() for s in self._linear])

    def joint_entries(self) -> Entries:
        return reduce(product, [s.joint_entries() for s in reversed(self._linear)])

    def joint_offsets_at_zero(self) -> list[Any]:
        """Each stage turns what came before it and adds its own."""
        offsets: list[Any] = [0.0] * self.actuators
        for s in self._linear:
            offsets = [
                dot(row, offsets) + o for row, o in zip(s.joint_entries(), s.joint_offsets_at_zero(), strict=True)
            ]
        return offsets

    @property
    def _linear(self) -> list[LinearTransmission]:
        return [s for s in self.stages if isinstance(s, LinearTransmission)]
