"""A kind's own efficiency: alone, as a stage of a series, beside other losses, and in what is shown."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import gearwright as gw
from gearwright.display.as_data import as_data
from gearwright.display.maps import formulas
from gearwright.kinds import TRANSMISSIONS, LinearTransmission, check, quantity
from tests.sim.driven import body, motor, rigid


@dataclass(frozen=True, kw_only=True)
class Drive(LinearTransmission):
    """Loses more under a small load and at a high speed."""

    pins: float = quantity(above=1, doc="of the ring")
    peak: float = quantity(above=0, at_most=1, default=0.9, doc="efficiency")

    def __post_init__(self) -> None:
        check(self)

    def actuator_entries(self) -> list[list[Any]]:
        return [[1.0 - self.pins]]

    def joint_entries(self) -> list[list[Any]]:
        return [[1.0 / (1.0 - self.pins)]]

    def efficiency_at(self, load: Any, speed: Any) -> Any:
        return self.peak * load / (load + 0.01 + 1e-3 * speed)


DRIVE, BELT = Drive(pins=11, peak=0.5), gw.SimpleTransmission(reduction=-4)
ROCKER = gw.FourBarLinkage(ground=4, input=1, coupler=3.5, output=3)


def geared(map: Any, **more: Any) -> gw.Mechanism:
    robot = rigid(body("j", 0.5)).with_actuator(motor(rotor_inertia=1e-4))
    return robot.with_transmission("gear", map, actuators="motor", joints="j", **more)


def speeds(map: Any, **options: Any) -> np.ndarray:
    """Driving, then driven back, in a few steps each."""
    sim = gw.compile(geared(map), **options)
    found = []
    for command in (0.3, -0.4):
        for _ in range(5):
            sim.step(command={"motor": command}, n=10)
            found.append(sim.velocity["j"])
    return np.array(found)


def test_a_drive_alone_is_the_only_stage_of_a_series() -> None:
    np.testing.assert_array_equal(speeds(gw.Series([DRIVE])), speeds(DRIVE))
    assert abs(speeds(DRIVE) - speeds(gw.SimpleTransmission(reduction=-10))).max() > 0.05


def test_a_stage_without_losses_changes_nothing() -> None:
    """A belt of 1:1 before or behind it."""
    same = gw.SimpleTransmission(reduction=1)
    for stages in ([DRIVE, same], [same, DRIVE], [gw.Series([same, DRIVE]), same]):
        np.testing.assert_allclose(speeds(gw.Series(stages)), speeds(DRIVE), rtol=1e-12)  # roundings of 100 steps


def test_efficiencies_of_stages_multiply_at_their_own_load_and_speed() -> None:
    other = Drive(pins=21, peak=0.8)
    load, speed = np.array([0.1, 0.5, -2.0]), np.array([10.0, -200.0, 50.0])
    at = [(drive.losses().efficiency_at(load * r, speed / r)) for drive, r in ((DRIVE, 1), (other, 10 * 4))]
    found = gw.Series([DRIVE, BELT, other]).losses().efficiency_at(load, speed)
    np.testing.assert_allclose(found, at[0] * at[1], rtol=1e-15)


def test_numbers_of_a_stage_are_parameters_of_its_efficiency() -> None:
    sim = gw.compile(
        geared(gw.Series([BELT, DRIVE])), batch=2, parameters=("gear.stage1.reduction", "gear.stage2.peak")
    )
    sim.set_parameters({"gear.stage1.reduction": [-4.0, -2.0], "gear.stage2.peak": [0.5, 0.7]})
    sim.step(command={"motor": 0.3}, n=50)
    for i, (reduction, peak) in enumerate(((-4.0, 0.5), (-2.0, 0.7))):
        stages = [gw.SimpleTransmission(reduction=reduction), Drive(pins=11, peak=peak)]
        alone = gw.compile(geared(gw.Series(stages)))
        alone.step(command={"motor": 0.3}, n=50)
        assert sim.velocity["j"][i] == pytest.approx(alone.velocity["j"], rel=1e-12)


def test_a_stage_whose_load_is_not_known_is_reported() -> None:
    def says(map: Any, **more: Any) -> list[str]:
        return [d.message for d in geared(map, **more).diagnostics if d.code == "not-simulated"]

    (message,) = says(gw.Series([ROCKER, DRIVE]))
    assert "the efficiency of its Drive is left out" in message
    assert geared(gw.Series([ROCKER, DRIVE])).transmissions["gear"].losses.lossless
    assert not says(gw.Series([ROCKER, DRIVE]), losses=gw.Losses(efficiency=0.8))
    assert not says(gw.Series([DRIVE, ROCKER])) and not says(gw.Series([ROCKER, BELT]))


def test_other_losses_stand_beside_its_own_efficiency() -> None:
    gear = geared(DRIVE, losses=gw.Losses(friction=0.1)).transmissions["gear"]
    assert gear.losses == gw.Losses(friction=0.1, own=DRIVE)
    for given in (gw.Losses(efficiency=0.6), gw.Losses(efficiency_map=((0.0, 0.0, 1.0),))):
        assert geared(DRIVE, losses=given).transmissions["gear"].losses == given


def test_the_type_is_the_name_in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    assert geared(DRIVE).transmissions["gear"].type == "Drive"
    monkeypatch.setitem(TRANSMISSIONS, "my_drive", Drive)
    maps = {"my_drive": DRIVE, "simple": BELT, "series": gw.Series([BELT]), "four_bar_linkage": ROCKER}
    assert [geared(map).transmissions["gear"].type for map in maps.values()] == [*maps]


def test_what_is_shown() -> None:
    robot = geared(DRIVE)
    gear = robot.transmissions["gear"]
    assert (
        repr(gear.losses)
        == "Losses(efficiency=own, backward_efficiency=None, friction=0.0, damping=0.0, efficiency_map=())"
    )
    assert as_data(robot)["transmissions"][0]["losses"]["efficiency"] is None
    assert as_data(geared(BELT))["transmissions"][0]["losses"]["efficiency"] == 1.0
    assert formulas(gear) == ["j = −motor/10", "pins 11, peak 0.5"]
    stages = geared(gw.Series([BELT, DRIVE])).transmissions["gear"]
    assert formulas(stages)[1:] == ["stage 2: pins 11, peak 0.5"]
    assert formulas(geared(gw.SimpleTransmission(reduction=4, offset=0.1)).transmissions["gear"]) == [
        "j = motor/4 + 0.1"
    ]
