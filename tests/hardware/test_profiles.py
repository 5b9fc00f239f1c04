"""Profiles against the trapezoid's closed form."""

from __future__ import annotations

from math import inf

import pytest

from gearwright.hardware.profiles import Profile
from tests.tolerances import ROUNDING

DT = 1e-3


def run(profile: Profile, goal: float, *limits: float) -> tuple[int, float, float]:
    """Steps until it rests at the goal, the highest velocity, and the farthest position."""
    fastest, farthest, steps = 0.0, 0.0, 0
    while not (profile.resting and profile.position == goal):
        profile.towards(goal, *limits, DT)
        fastest, farthest = max(fastest, abs(profile.velocity)), max(farthest, abs(profile.position))
        steps += 1
        assert steps < 100_000
    return steps, fastest, farthest


@pytest.mark.parametrize(
    ("speed", "up", "down"), [(2.0, 10.0, 5.0), (2.0, 10.0, 10.0), (50.0, 10.0, 10.0), (2.0, inf, inf)]
)
@pytest.mark.parametrize("goal", [3.0, -3.0])
def test_duration_and_no_overshoot(speed, up, down, goal):
    """`t = d/v + v/2a + v/2b`, v the highest velocity that is reached."""
    steps, fastest, farthest = run(Profile(), goal, speed, up, down)
    peak = min(speed, (2 * abs(goal) / (1 / up + 1 / down)) ** 0.5 if up < inf else speed)
    duration = abs(goal) / peak + 0.5 * peak / up + 0.5 * peak / down
    assert steps * DT == pytest.approx(duration, abs=2 * DT)
    assert fastest <= speed * (1 + 1e-12) and farthest <= abs(goal) * (1 + 1e-12)


def test_a_goal_that_changes_on_the_way():
    profile = Profile()
    for _ in range(500):
        profile.towards(3.0, 2.0, 10.0, 10.0, DT)
    run(profile, -1.0, 2.0, 10.0, 10.0)


def test_without_limits_it_is_there_at_once():
    profile = Profile()
    assert profile.follow(2.0, DT) == 2.0
    assert Profile().follow(2.0, DT, velocity=1.0) == pytest.approx(
        1e-3, rel=ROUNDING
    )  # and no sooner than the velocity lets it


def test_without_deceleration_it_stays():
    profile = Profile()
    profile.towards(1.0, 2.0, 0.0, 0.0, DT)
    assert profile.position == 0.0
