"""Losses and play: each takes its share, and never gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gearwright import Backlash, Losses, ModelError
from gearwright.tracing import trace
from tests.tolerances import ROUNDING


def test_efficiency_takes_its_share_in_either_direction(rng: np.random.Generator) -> None:
    losses = Losses(efficiency=0.8)
    back = losses.backward_efficiency_at(1.0, 1.0)
    assert back == pytest.approx(2 - 1 / 0.8, rel=1e-15) and Losses(efficiency=0.8, backward_efficiency=0.7).delivered(
        1.0, -1.0
    ) == pytest.approx(1 / 0.7, rel=1e-15)
    effort, velocity = rng.normal(size=100), rng.normal(size=100)
    into = losses.delivered(effort, velocity) * velocity  # power that reaches the map
    given = effort * velocity > 0
    np.testing.assert_allclose(into[given], 0.8 * (effort * velocity)[given], rtol=1e-15)
    np.testing.assert_allclose(
        (effort * velocity)[~given], back * into[~given], rtol=1e-14
    )  # what the actuator gets back
    assert (into <= effort * velocity + 1e-15).all()  # never a gain
    assert losses.delivered(2.0, 0.0) == 2.0


def test_friction_and_damping_resist(rng: np.random.Generator) -> None:
    losses = Losses(friction=0.3, damping=0.1)
    assert losses.delivered(1.0, 2.0) == pytest.approx(1 - 0.3 - 0.2, rel=1e-12)
    assert losses.delivered(1.0, -2.0) == pytest.approx(1 + 0.3 + 0.2, rel=1e-12)
    assert losses.delivered([1.0, 1.0], [0.0, 2.0]) == pytest.approx([1.0, 0.5], rel=1e-12)
    v = rng.normal(size=50)
    assert ((losses.delivered(np.zeros(50), v) * v) <= 0).all()
    assert Losses().lossless and not losses.lossless and Losses().delivered(3.0, -2.0) == 3.0


def test_backlash_is_a_dead_band() -> None:
    play = Backlash(gap=0.2, stiffness=100.0, damping=5.0)
    x = np.array([-0.3, -0.1, -0.05, 0.0, 0.1, 0.3])
    np.testing.assert_allclose(play.torque(x), [-20, 0, 0, 0, 0, 20], atol=ROUNDING, rtol=ROUNDING)
    assert play.torque(0.3, 1.0) == pytest.approx(25.0, rel=1e-12)
    assert play.torque(0.05, 1.0) == 0.0
    assert play.torque(0.3, -100.0) == 0.0  # contact pushes and never pulls
    assert play.torque(-0.3, 100.0) == 0.0


def test_losses_may_be_traced(rng: np.random.Generator) -> None:
    losses, play = Losses(efficiency=0.7, friction=0.2, damping=0.05), Backlash(gap=0.1, stiffness=3.0, damping=0.5)
    f = trace(lambda tau, v: (losses.delivered(tau, v), play.torque(tau, v)), [4, 4])
    tau, v = rng.normal(size=4), rng.normal(size=4)
    for got, wanted in zip(f(tau, v), (losses.delivered(tau, v), play.torque(tau, v)), strict=True):
        np.testing.assert_allclose(np.array(got)[:, 0], wanted, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(
    "bad",
    [{"efficiency": 0}, {"efficiency": 1.1}, {"efficiency": float("nan")}, {"friction": -1}, {"damping": float("inf")}],
)
def test_losses_that_cannot_be(bad: dict[str, float]) -> None:
    with pytest.raises(ModelError, match=next(iter(bad))):
        Losses(**bad)


@pytest.mark.parametrize("bad", [{"gap": -1}, {"stiffness": 0}, {"stiffness": float("inf")}, {"damping": -1}])
def test_play_that_cannot_be(bad: dict[str, float]) -> None:
    with pytest.raises(ModelError, match=next(iter(bad))):
        Backlash(**({"gap": 0.1, "stiffness": 1.0} | bad))


# --- efficiency by load and speed ------------------------------------------------------------------------------------

GRID = ((0.0, 0.0, 0.4), (2.0, 0.0, 0.8), (0.0, 100.0, 0.3), (2.0, 100.0, 0.6))


def test_a_table_is_linear_between_its_points_and_level_beyond_them() -> None:
    losses = Losses(efficiency_map=GRID)
    assert not losses.lossless and losses.varies
    for load, speed, efficiency in (*GRID, (1.0, 50.0, 0.525), (-1.0, -50.0, 0.525), (9.0, 1e3, 0.6), (9.0, 0.0, 0.8)):
        assert losses.efficiency_at(load, speed) == pytest.approx(efficiency, rel=1e-15)
    only = Losses(efficiency_map=((0.0, 0.0, 0.5), (1.0, 0.0, 0.7)))  # one speed: over the load alone
    assert only.efficiency_at([0.5, 3.0], [7.0, 0.0]) == pytest.approx([0.6, 0.7], rel=1e-15)


class Wild:
    """Gives anything."""

    def efficiency_at(self, load, speed):
        return 3.0 * np.sin(load) - 0.2 * speed


@pytest.mark.parametrize("losses", [Losses(efficiency_map=GRID), Losses(own=Wild())], ids=["table", "function"])
def test_an_efficiency_map_only_takes_power(losses: Losses, rng: np.random.Generator) -> None:
    effort, velocity = rng.uniform(-5, 5, 1000), rng.uniform(-200, 200, 1000)
    given, passed = effort * velocity, losses.delivered(effort, velocity) * velocity
    assert (passed <= given).all()  # what is lost is not negative, whichever way the power goes
    share = np.where(given > 0, passed / given, given / passed)  # 0 where it locks itself
    forward, backward = losses.efficiency_at(effort, velocity), losses.backward_efficiency_at(effort, velocity)
    np.testing.assert_allclose(share, np.where(given > 0, forward, np.maximum(backward, 0.0)), rtol=1e-13)
    assert losses.delivered(2.0, 0.0) == 2.0
    f = trace(losses.delivered, [1000, 1000])
    np.testing.assert_allclose(np.array(f(effort, velocity)).ravel(), losses.delivered(effort, velocity), rtol=1e-13)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"efficiency_map": GRID[:3]}, "each of its loads once with each of its speeds"),
        ({"efficiency_map": (*GRID, GRID[0])}, "each of its loads once"),
        ({"efficiency_map": ((0.0, 0.0, 1.5),)}, "above 0 and at most 1"),
        ({"efficiency_map": ((0.0, 0.0, 0.0),)}, "above 0 and at most 1"),
        ({"efficiency_map": ((-1.0, 0.0, 0.5),)}, "not negative"),
        ({"efficiency_map": ((float("nan"), 0.0, 0.5),)}, "must be finite"),
        ({"efficiency_map": GRID, "efficiency": 0.5}, "not both"),
        ({"efficiency_map": ((1.0, 0.5),)}, "triples"),
    ],
)
def test_maps_that_cannot_be(bad: dict[str, Any], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        Losses(**bad)
