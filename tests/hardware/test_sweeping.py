"""A person who calibrates an arm: all joints at once to the middle, and to both ends of their ranges."""

import json

import pytest

import gearwright as gw
from gearwright.errors import UnknownNameError
from gearwright.hardware.calibrations import lerobot_calibration
from gearwright.hardware.rig import Rig
from gearwright.hardware.sweeping import sweep, swept_joints


@pytest.fixture
def rig(desk_arm):
    return Rig.of(desk_arm)


def shares(plant):
    """Where each joint stands in its range."""
    return [(plant.sim.position[n] - low) / (high - low) for n, (low, high) in swept_joints(plant).items()]


@pytest.mark.parametrize(("way", "share"), [("middle", 0.5), ("low", 0.0), ("high", 1.0)])
def test_all_joints_go_to_one_place_and_are_held(rig, way, share):
    seconds = sweep(rig.plant, way)
    rig.step(round(seconds / rig.plant.dt))
    assert shares(rig.plant) == pytest.approx([share] * 6, abs=0.02)
    assert len(rig.plant.hands) == 6


def test_a_sweep_goes_through_all_of_them_and_lets_go(rig):
    seconds, seen = sweep(rig.plant), []
    for _ in range(round(seconds / rig.plant.dt / 50) + 1):
        rig.step(50)
        seen.append(shares(rig.plant))
    each = list(zip(*seen, strict=True))
    assert all(min(s) < 0.02 and max(s) > 0.98 for s in each) and not rig.plant.hands


def test_servos_see_the_ranges_of_the_calibration_that_is_written(rig):
    """What lerobot-calibrate records while a person moves the arm is what the file's limits say."""
    written = json.loads(lerobot_calibration(rig))
    seconds, seen = sweep(rig.plant), []
    for _ in range(round(seconds / rig.plant.dt / 10)):
        rig.step(10)
        seen.append([d.position for d in rig.devices.values()])
    for own, (name, row) in zip(zip(*seen, strict=True), written.items(), strict=True):
        device = rig.devices[name]
        assert (min(own), max(own)) == pytest.approx((row["range_min"], row["range_max"]), abs=25)
        assert row["id"] == device.node and row["homing_offset"] == device.table["homing_offset"] == 0
        assert (device.table["min_position"], device.table["max_position"]) == (row["range_min"], row["range_max"])


def test_a_sweep_can_be_ended(rig):
    sweep(rig.plant)
    rig.step(100)
    rig.plant.let_go()
    rig.step(4000)
    assert not rig.plant.hands


def test_other_ways_are_refused(rig):
    with pytest.raises(UnknownNameError, match="there is no way to sweep named 'mid'"):
        sweep(rig.plant, "mid")


def test_drives_without_a_calibration_say_so():
    with pytest.raises(gw.ModelError, match="Feetech and Dynamixel"):
        lerobot_calibration(Rig.of(gw.load("canopen_arm")))


def test_json_lines_sweep(desk_arm):
    with gw.serve(desk_arm, clock="lockstep", armed=True, tcp="0") as bench:
        (answer,) = [*_answers(bench, {"sweep": "low"})]
        assert answer["seconds"] > 1.0 and len(bench.rig.plant.hands) == 6
        _ = [*_answers(bench, {"sweep": None})]
        assert not bench.rig.plant.hands


def _answers(bench, request):
    work = bench.requests.handle(request)
    try:
        while True:
            next(work)
    except StopIteration as end:
        yield end.value
