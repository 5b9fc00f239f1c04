"""Velocity limits of joints do not act; whoever exceeds one hears of it once."""

import copy
import warnings

import pytest

import gearwright as gw

FAST = r"'lift' moves faster than its limit of 2 rad/s: velocity limits of joints do not act"


def arm(limit: float = 2.0, attributes: str = 'lower="-9" upper="9" effort="0"') -> gw.Mechanism:
    """Begins level, and falls past 2 rad/s in 0.06 s, at 32 rad/s²."""
    return gw.loads(f"""<robot name="arm"><link name="base"/>
      <link name="upper"><inertial><mass value="1"/><origin xyz="0.3 0 0"/>
        <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="lift" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
        <limit {attributes} velocity="{limit}"/></joint></robot>""")


WAYS = {
    "run": lambda sim: sim.run(0.2),
    "run, every 50th step": lambda sim: sim.run(0.2, every=50),
    "run with a controller": lambda sim: sim.run(0.2, controller=lambda sim: None),
    "many steps": lambda sim: sim.step(n=200),
    "steps with efforts": lambda sim: [sim.step(effort={"lift": 0.0}) for _ in range(300)],
    "bare steps": lambda sim: [sim.step() for _ in range(300)],
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("batch", [1, 3])
def test_a_joint_beyond_its_velocity_limit_is_reported_once(way, batch) -> None:
    sim = gw.compile(arm(), batch=batch)
    with pytest.warns(gw.VelocityLimitWarning, match=FAST) as heard:
        way(sim)
    assert len(heard) == 1 and heard[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.reset()
        way(sim)


def test_a_run_into_a_file_is_watched_too(tmp_path) -> None:
    with pytest.warns(gw.VelocityLimitWarning, match=FAST):
        gw.compile(arm()).run(0.2, sink=tmp_path / "run.csv")


def test_a_peak_between_two_calls_is_seen_by_a_run() -> None:
    """It has slowed down again by the end."""
    sim = gw.compile(arm(), gravity=(0.0, 0.0, 0.0))
    sim.reset(velocity={"lift": 2.5})
    with pytest.warns(gw.VelocityLimitWarning, match=FAST):
        sim.run(0.2, effort={"lift": lambda t: -2.0 * (t < 0.1)})
    assert sim.velocity["lift"] < 2.0


@pytest.mark.parametrize("robot", [arm(0.0), arm(1e16), arm(4.0)], ids=["left open", "huge", "kept"])
def test_limits_that_are_open_or_kept_are_no_news(robot) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim = gw.compile(robot)
        sim.run(0.1)
        sim.step(n=10)


def test_a_drive_at_the_limit_keeps_it() -> None:
    """Exactly 2 rad/s, but for rounding."""
    sim = gw.compile(arm(), drives={"lift": gw.Drive(kinematic=True)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.reset(velocity={"lift": 2.0})
        sim.run(0.5, drive={"lift": lambda t: 2.0 * t})


def test_of_several_joints_the_others_are_counted() -> None:
    robot = gw.load("desk_arm")
    with pytest.warns(gw.VelocityLimitWarning, match=r"of 6\.1 rad/s, and 3 other joints faster than theirs"):
        gw.compile(robot).run(0.01, effort={"shoulder_pan": 1e3, "shoulder_lift": 1e3})


def test_a_copy_warns_for_itself() -> None:
    sim = gw.compile(arm())
    twin = copy.copy(sim)
    for one in (sim, twin):
        with pytest.warns(gw.VelocityLimitWarning, match=FAST):
            one.run(0.2)
