"""Trajectories: through their waypoints, within their limits, and followed by drives."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw

POINTS = [{"j0": 0.0, "j1": 0.2}, {"j0": 1.0, "j1": -0.3}, {"j0": 0.2}]
PROFILES = ("minimum_jerk", "cubic", "trapezoidal", "linear")


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("times", [None, [0.5, 1.0, 2.5]])
def test_it_passes_its_waypoints(profile, times):
    way = gw.Trajectory(POINTS, times, profile=profile, velocity=2.0, acceleration=10.0)
    for t, q0, q1 in zip(way.times, [0.0, 1.0, 0.2], [0.2, -0.3, -0.3], strict=True):
        assert way.position(t)["j0"] == pytest.approx(q0, abs=1e-12)
        assert way.position(t)["j1"] == pytest.approx(q1, abs=1e-12)
    assert way.position(-1.0)["j0"] == 0.0 and way.position(99.0)["j0"] == pytest.approx(0.2)
    assert way.velocity(99.0)["j0"] == 0.0


@pytest.mark.parametrize("profile", PROFILES)
def test_derivatives_are_those_of_positions(profile):
    way = gw.Trajectory(POINTS, [0.0, 0.7, 1.9], profile=profile)
    h = 1e-6
    for t in np.linspace(0.01, 1.89, 23):
        rate = (way.position(t + h)["j0"] - way.position(t - h)["j0"]) / (2 * h)
        assert way.velocity(t)["j0"] == pytest.approx(rate, abs=1e-6)
        if profile != "linear":
            rate = (way.velocity(t + h)["j0"] - way.velocity(t - h)["j0"]) / (2 * h)
            assert way.acceleration(t)["j0"] == pytest.approx(rate, abs=1e-5)


@pytest.mark.parametrize("profile", PROFILES[:3])
@pytest.mark.parametrize(
    ("velocity", "acceleration"), [(2.0, 1e3), (1e3, 10.0), (1.0, 4.0), ({"j0": 0.5, "j1": 9.0}, 8.0)]
)
def test_it_is_as_fast_as_the_limits_allow(profile, velocity, acceleration):
    """Within its limits, and at one of them."""
    way = gw.Trajectory(POINTS, profile=profile, velocity=velocity, acceleration=acceleration)
    shares = []
    for name, (v, a) in way.peaks().items():
        limit = velocity[name] if isinstance(velocity, dict) else velocity
        shares += [v / limit, a / acceleration]
    assert max(shares) == pytest.approx(1.0, rel=2e-3)


def test_a_trapezoid_by_its_closed_form():
    """A way of 1 at 2 per second and 10 per second²: 0.2 s of ramps at both ends, 0.3 s between them."""
    way = gw.Trajectory([{"x": 0.0}, {"x": 1.0}], profile="trapezoidal", velocity=2.0, acceleration=10.0)
    assert way.duration == pytest.approx(0.7)
    assert way.position(0.2)["x"] == pytest.approx(0.2)
    assert way.velocity(0.35)["x"] == pytest.approx(2.0)


def test_the_spline_has_no_jumps_in_acceleration():
    way = gw.Trajectory(POINTS, [0.0, 0.7, 1.9], profile="cubic")
    before, after = (way.acceleration(0.7 + h)["j0"] for h in (-1e-9, 1e-9))
    assert before == pytest.approx(after, abs=1e-6)
    assert way.velocity(0.0)["j0"] == 0.0


@pytest.mark.parametrize("kinematic", [True, False])
def test_drives_follow_it_in_a_run(kinematic):
    drive = gw.Drive(kinematic=True) if kinematic else gw.Drive(stiffness=1e5, damping=1e3)
    sim = gw.compile("reference_arm", drives={"j0": drive, "j1": drive})
    sim.reset(position={"j1": 0.2})
    way = gw.Trajectory(POINTS, velocity=2.0, acceleration=10.0)
    rec = sim.run(way.duration + 0.1, drive=way)
    for name in way.joints:
        np.testing.assert_allclose(rec.position[name], way.position(rec.time)[name], atol=1e-9 if kinematic else 1e-3)


def test_functions_arrays_and_numbers_are_targets():
    sim = gw.compile("reference_arm", drives=dict.fromkeys(("j0", "j1", "j2"), gw.Drive(kinematic=True)))
    rec = sim.run(0.2, drive={"j0": lambda t: 0.3 * t**2, "j1": np.linspace(0.0, 0.1, 200), "j2": 0.4})
    np.testing.assert_allclose(rec.position["j0"], 0.3 * rec.time**2, atol=1e-12)
    np.testing.assert_allclose(rec.position["j1"][1:], np.linspace(0.0, 0.1, 200), atol=1e-12)
    np.testing.assert_allclose(rec.position["j2"][1:], 0.4, atol=1e-12)
    assert rec.velocity["j0"][-1] == pytest.approx(0.6 * 0.2, rel=1e-6)
    sim.step(drive={"j2": 0.35})
    assert sim.position["j2"] == pytest.approx(0.35)


def test_a_run_with_python_in_it_drives_as_well():
    robot = gw.load("reference_arm")
    way = gw.Trajectory([{"j0": 0.0}, {"j0": 0.5}], velocity=2.0, acceleration=10.0)
    runs = []
    for controller in (None, lambda sim: None):
        sim = gw.compile(robot, drives={"j0": gw.Drive(kinematic=True)})
        runs.append(sim.run(0.2, drive=way, controller=controller))
    assert (runs[0].position["j0"] == runs[1].position["j0"]).all()


def test_a_file_is_read(tmp_path):
    path = tmp_path / "way.csv"
    path.write_text("time,j0,j1\n0,0,0.2\n0.5,1,-0.3\n2,0.2,-0.3\n")
    way = gw.Trajectory.read(path)
    assert way.joints == ("j0", "j1") and way.duration == 2.0
    assert way.position(0.5)["j0"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: the first row"), ("t,j0\n0,1\n", ":1: the first row"), ("time,j0\n", "no rows"),
        ("time,j0\n0,x\n", ":2: 'x' is not a number"), ("time,j0\n0\n", ":2: the row has 1 columns"),
        ("time,j0\n0,nan\n", ":2: numbers must be finite"), ("time,j0\n1,0\n0,1\n", "times must increase"),
    ],
)  # fmt: skip
def test_bad_files_are_named_with_their_line(tmp_path, text, message):
    path = tmp_path / "way.csv"
    path.write_text(text)
    with pytest.raises(gw.ModelError, match=message):
        gw.Trajectory.read(path)


def test_limits_of_a_robot_are_kept():
    robot = gw.load("wrist")
    way = gw.Trajectory([{"pitch": 0.0}, {"pitch": 1.0}], robot=robot)
    assert way.peaks()["pitch"][0] == pytest.approx(robot.joints["pitch"].axes[0].limits.velocity, rel=1e-3)
    with pytest.raises(gw.ModelError, match=r"'pitch' to .* beyond its limits"):
        gw.Trajectory([{"pitch": 0.0}, {"pitch": 2.0}], robot=robot)
    with pytest.raises(gw.ModelError, match="did you mean 'pitch'"):
        gw.Trajectory([{"pich": 0.0}, {"pich": 1.0}], robot=robot)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"points": []}, "takes waypoints"), ({"points": [{"a": 0}, {"b": 1}]}, "waypoint 1 has 'b'"),
        ({"points": [{"a": 0}, {"a": 1}]}, "give times="), ({"points": {"a": [0, 1], "b": [0]}}, "same number of"),
        ({"points": [{"a": 0}, {"a": 1}], "profile": "cubik", "velocity": 1}, "did you mean 'cubic'"),
        ({"points": [{"a": 0}, {"a": 1}], "velocity": -1.0}, "above 0"),
        ({"points": [{"a": 0}, {"a": 1}], "times": [0.0]}, "2 waypoints take 2 times"),
        ({"points": [{"a": float("inf")}, {"a": 1}], "velocity": 1}, "finite"),
    ],
)  # fmt: skip
def test_mistakes_are_named(arguments, message):
    with pytest.raises(gw.GearwrightError, match=message):
        gw.Trajectory(**arguments)
