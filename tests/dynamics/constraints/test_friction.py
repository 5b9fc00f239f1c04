"""Dry friction by speed, in symbols: the level of the axis's model, at either sign of the speed, and never below 0."""

from dataclasses import dataclass

import casadi
import numpy as np
import pytest
from casadi import SX

from gearwright.dynamics.constraints.friction import FrictionAxis
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.tree.reduction import TreeState
from gearwright.model.fields import quantity
from gearwright.model.frictions import FrictionModel, Stribeck
from tests.tolerances import ROUNDING

MODEL = Stribeck(static=3.0, coulomb=2.0, stribeck_velocity=0.1)


def at(speed):
    """An instant of one axis with this speed."""
    return Moment.of_instant(TreeState([0.0], [speed], [{0: 1.0}], [0.0]), None, 1e-3, 1)


def seen(now):
    return now.tree.q[0], {0: 1.0}


def of(model, **values):
    fields = {f"j.friction_model.{n}": values.get(n, getattr(model, n)) for n in ("static", "coulomb")}
    return FrictionAxis.of("j", model, {**fields, "j.friction_model.stribeck_velocity": 0.1}, seen)


def test_an_axis_without_a_model_has_none():
    assert FrictionAxis.of("j", None, {}, seen) is None


@pytest.mark.parametrize("speed", [0.0, 0.05, -0.05, 3.0])
def test_the_level_is_the_models_at_either_sign(speed):
    assert of(MODEL).level(at(speed)) == pytest.approx(float(MODEL.level(abs(speed))), rel=ROUNDING)


def test_numbers_that_are_inputs_stay_symbols():
    static = SX.sym("static")
    friction = of(MODEL, static=static)
    assert [*friction.numbers] == ["static"]
    level = casadi.Function("level", [static], [friction.level(at(0.05))])
    for number in (2.5, 4.0):
        expected = 2.0 + (number - 2.0) * np.exp(-0.25)
        assert float(level(number)) == pytest.approx(expected, rel=ROUNDING)


@dataclass(frozen=True, kw_only=True)
class Falling(FrictionModel):
    """Negative from 1 rad/s on, which would drive."""

    most: float = quantity("N·m | N", at_least=0, doc="at rest")

    def level(self, speed):
        return self.most * (1.0 - speed)


def test_a_level_below_zero_is_none():
    friction = FrictionAxis.of("j", Falling(most=2.0), {"j.friction_model.most": 2.0}, seen)
    assert [friction.level(at(speed)) for speed in (0.5, 3.0)] == [1.0, 0.0]
