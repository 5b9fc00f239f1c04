"""Dry friction by speed: the level of a kind of `gearwright.model.frictions`, at the speed that an axis has.

It bounds the impulse against a motion, so that it takes energy whatever the level does with the speed. The level is
that of the speed at which a phase begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi
from casadi import Function

from gearwright.dynamics.algebra.scalar import Scalar, maximum, simplified
from gearwright.model import Axis
from gearwright.model.frictions import FrictionModel
from gearwright.model.transmissions import parameters, with_parameters
from gearwright.tracing import trace


@dataclass(frozen=True)
class SpeedFriction:
    """Friction of one axis; `numbers` are the fields that are inputs."""

    name: str
    model: FrictionModel
    numbers: dict[str, Scalar]

    @staticmethod
    def of(name: str, axis: Axis, values: Mapping[str, Scalar]) -> SpeedFriction | None:
        model = axis.dynamics.friction_model
        if model is None:
            return None
        own = {n: values[f"{name}.friction_model.{n}"] for n in parameters(model)}
        return SpeedFriction(name, model, {n: x for n, x in own.items() if not isinstance(x, float)})

    @cached_property
    def _level(self) -> Function:
        names = [*self.numbers]

        def level(speed, numbers):  # type: ignore[no-untyped-def]  # traced
            return with_parameters(self.model, dict(zip(names, numbers, strict=True))).level(speed)

        function: Function = trace(level, [None, len(names)], name=f"friction of {self.name}", returns=[1])
        return function

    def level(self, speed: Scalar) -> Scalar:
        """The most that resists, per axis effort; not below 0."""
        return maximum(simplified(self._level(abs(speed), casadi.vertcat(*self.numbers.values()))), 0.0)
