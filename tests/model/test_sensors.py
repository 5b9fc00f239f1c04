"""What a sensor may be told, and what a reading is in counts."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan, pi
from typing import Any

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import ModelError
from gearwright.model.sensors.sensors import SENSORS, CustomSensor, Encoder, LimitSwitch, Sensor


@pytest.mark.parametrize(
    ("kind", "wrong", "said"),
    [
        (Encoder, {"side": "left"}, "side"),
        (Encoder, {"update_rate": 0.0}, "update_rate"),
        (Encoder, {"update_rate": nan}, "update_rate"),
        (Encoder, {"latency": -1e-3}, "latency"),
        (Encoder, {"latency": inf}, "latency"),
        (Encoder, {"type": "torque"}, "type"),
        (Encoder, {"resolution": 0.0}, "resolution"),
        (Encoder, {"resolution": inf}, "resolution"),
        (Encoder, {"turn": 0.0}, "turn"),
        (Encoder, {"turn": nan}, "turn"),
        (Encoder, {"ratio": 0.0}, "ratio"),
        (Encoder, {"ratio": nan}, "ratio"),
        (Encoder, {"offset": inf}, "offset"),
        (Encoder, {"noise": -1.0}, "noise"),
        (Encoder, {"noise": inf}, "noise"),
        (Encoder, {"resolution": 100.5, "wrap": True}, "whole number of counts"),
        (Encoder, {"resolution": 100.5, "index": True}, "whole number of counts"),
        (LimitSwitch, {"direction": "up"}, "direction"),
        (LimitSwitch, {"threshold": nan}, "threshold"),
        (LimitSwitch, {"hysteresis": -0.1}, "hysteresis"),
        (LimitSwitch, {"hysteresis": inf}, "hysteresis"),
        (CustomSensor, {}, "needs a function"),
        (CustomSensor, {"function": abs, "states": (nan,)}, "states"),
        (CustomSensor, {"function": abs, "states": 3.0}, "states"),
        (CustomSensor, {"function": abs, "labels": "abc"}, "labels"),
        (CustomSensor, {"function": abs, "labels": ("a", "a")}, "labels"),
    ],
)
def test_values_that_cannot_be(kind: type[Sensor], wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        kind(name="s", **wrong)


def test_what_a_count_measures() -> None:
    e = Encoder(name="e", resolution=4096)
    assert (e.count(), e.count(length=True)) == (2 * pi / 4096, 1 / 4096)
    assert Encoder(name="e", resolution=256, turn=2e-3).count(length=True) == 2e-3 / 256
    assert Encoder(name="e").count() == 0.0


@pytest.mark.parametrize("resolution", [1, 3, 4096, 1000.5, 2**24])
def test_counts_come_back_whole(resolution: float, rng: np.random.Generator) -> None:
    """n·δ/δ is n but for two roundings, which stay below half a count up to 2⁵¹ counts; in single precision, 2²²."""
    e = Encoder(name="e", resolution=resolution)
    for most, kind in ((2**51, np.float64), (2**22, np.float32)):
        n = rng.integers(-most, most, size=1000)
        assert np.array_equal(e.counts((n * e.count()).astype(kind)), n)
    assert e.counts(5 * e.count()) == 5 and type(e.counts(1.0)) is int


def test_counts_of_a_velocity_are_those_of_a_period() -> None:
    e = Encoder(name="e", type="velocity", resolution=100, update_rate=50)
    assert e.counts(7 * e.count() * 50) == 7
    every_step = Encoder(name="e", type="velocity", resolution=100)
    assert every_step.counts(7 * e.count() / 1e-3, period=1e-3) == 7
    with pytest.raises(ModelError, match="period=dt"):
        every_step.counts(1.0)


def test_an_exact_encoder_has_nothing_to_count() -> None:
    with pytest.raises(ModelError, match="'e' has no resolution"):
        Encoder(name="e").counts(1.0)


def test_the_table_holds_every_kind_that_files_name() -> None:
    assert all(kind == sensor.kind for kind, sensor in SENSORS.items())
    assert {Encoder, LimitSwitch} <= set(SENSORS.values())


@dataclass(frozen=True, kw_only=True)
class Hall(CustomSensor):
    """Three signals a third of an electrical turn apart."""

    kind = "hall"
    pole_pairs: int = 1

    def read(self, positions: Any, velocities: Any, state: Any) -> Any:
        angle = self.pole_pairs * positions[0]
        return np.where(np.sin(angle - np.array([0, 2, 4]) * pi / 3) > 0, 1.0, 0.0)


def test_a_kind_of_one_s_own_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SENSORS, "hall", Hall)
    robot = gw.loads(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>'
        '<child link="b"/></joint><hall name="h"><joint>j</joint><pole_pairs>7</pole_pairs></hall></robot>'
    )
    sensor = robot.sensors["h"]
    assert isinstance(sensor, Hall) and sensor.pole_pairs == 7
    assert sensor.read(np.array([0.3]), np.zeros(1), np.zeros(0)).tolist() == [1, 1, 0]
