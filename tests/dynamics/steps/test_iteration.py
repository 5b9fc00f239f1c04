"""When an iteration has converged, is near, or lost: on a spinning body, against the exact mean velocity."""

from types import SimpleNamespace

import numpy as np
import pytest

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.steps.iteration import compliance, has_converged, motion_error, tolerance
from tests.dynamics.stepping import run, started
from tests.dynamics.steps.spinning import body_on_a_ball, one_iteration, stage


@pytest.fixture(scope="module")
def top():
    return body_on_a_ball()


@pytest.fixture(scope="module")
def begun(top):
    """A step of 10 ms at 24 rad/s that stands before its first pass, and the mean velocity that solves it."""
    slots = started(top, [1, 0, 0, 0], [8.0, 22.0, -6.0], dt=0.01)
    for name in ("lengths", "mass", "begin"):
        run([stage(top, name)], slots)
    w, guess = None, slots
    for _ in range(60):
        guess = one_iteration(top, guess, converged=0.0)
        w = guess["u"]
    return slots, w


@pytest.mark.parametrize(
    ("precision", "slot", "share"),
    [("double", "converged", 2e-5), ("double", "residual", 5e-3), ("single", "converged", 2e3 * 2.0**-23)],
)
def test_an_iteration_says_whether_it_has_converged(top, begun, precision, slot, share):
    """By the largest change of an axis as a share of its speed: half of the limit is within it, twice is not."""
    top = top if precision == "double" else body_on_a_ball(precision)
    slots, w = begun
    for part, expected in ((0.5, 1.0), (2.0, 0.0)):
        off = part * share
        for _ in range(20):  # the start from which one pass changes by just that share
            after = one_iteration(top, slots, start=w * (1.0 + off), converged=0.0, iteration=3.0)
            change = np.max(np.abs(after["u"] - w * (1.0 + off)) / (1.0 + np.abs(w)))
            off *= part * share / change
        assert change == pytest.approx(part * share, rel=6e-11)  # found 4e-17
        assert (after["residual"][0] <= 1.0 if slot == "residual" else after[slot][0]) == expected


def test_the_last_of_24_passes_that_lead_nowhere_starts_from_v(top, begun):
    """A first-order step; one that is on its way to a solution goes on."""
    slots, w = begun

    def next_start(off, iteration):
        return one_iteration(top, slots, converged=0.0, start=w * (1.0 + off), iteration=iteration)["start"]

    assert (next_start(0.5, 23.0) == slots["velocity"]).all()
    assert np.abs(next_start(0.5, 22.0) - slots["velocity"]).max() > 1e-3
    assert np.abs(next_start(1e-3, 23.0) - w).max() < 0.1 * np.abs(slots["velocity"] - w).max()  # it is near


@pytest.mark.parametrize(("ratio", "relaxation"), [(-9.0, 0.3), (-1.0, 0.5), (0.9, 1 / 0.3)])
def test_relaxation_is_bounded(top, begun, ratio, relaxation):
    """Aitken's 1/(1 − ratio), ratio that of a pass's change to the last one's, between 0.3 and its reciprocal."""
    slots, w = begun
    after = one_iteration(top, slots, start=w * 1.001, converged=0.0, iteration=3.0, relaxation=1.0)
    change = after["u"] - w * 1.001
    again = one_iteration(
        top, slots, start=w * 1.001, converged=0.0, iteration=3.0, relaxation=1.0, change=change / ratio
    )
    assert again["relaxation"] == pytest.approx([relaxation], rel=1e-12)


@pytest.mark.parametrize(
    ("way", "change", "found"), [(0.16, 0.17, True), (0.14, 0.17, False), (0.16, 0.13, False), (-0.16, -0.17, True)]
)
def test_a_step_is_unresolved_where_an_axis_goes_far_and_changes_much(way, change, found):
    """More than 0.15 rad in a step, while half of the step changes more than 0.15 of its speed."""
    dt = 0.01
    w = way / dt
    model = SimpleNamespace(plain=[(0, 0), (1, 1)], balls=[], uneven=())
    error = motion_error(model, [], [0.0, w - change * abs(w)], Column([0.0, w]), dt)
    assert (error > 1.0) == found
    assert error == pytest.approx((way / 0.15) ** 2 if abs(change) > 0.15 else 0.0, rel=1e-12)


@pytest.mark.parametrize(("dt", "found"), [(0.01, False), (0.02, True)])
def test_a_ball_is_one_axis(dt, found):
    """9 rad/s that turn by 0.2 of them: unresolved where that is more than 0.15 rad, whatever single components do."""
    w, model = Column([9.0, -1.0, 0.0]), SimpleNamespace(plain=[], balls=[([], [0, 1, 2])], uneven=())
    assert (motion_error(model, [], [9.0, 1.0, 0.0], w, dt) > 1.0) == found
    assert motion_error(model, [], [9.0, 0.0, 0.0], w, dt) == 0.0


def test_every_axis_by_its_own_speed():
    """A rotor's 1e4 rad/s is no measure for the gimbal that carries it; below 1 rad/s that is the measure."""
    assert has_converged(Column([1e4 + 0.04, 0.0]), [1e4, 4e-6], 5e-6)
    assert not has_converged(Column([1e4, 0.0]), [1e4, 6e-6], 5e-6)
    assert not has_converged(Column([1e4 + 0.06, 0.0]), [1e4, 0.0], 5e-6)


def test_loops_that_do_not_converge_become_ever_more_compliant():
    assert [compliance(turn) for turn in (1.0, 9.0, 10.0, 16.0, 17.0, 24.0)] == [0, 0, 4, 4, 400, 400]


@pytest.mark.parametrize(("dt", "share"), [(1e-2, 2e-5), (1e-3, 2e-5), (5e-4, 5e-6), (1e-4, 2e-7)])
def test_short_steps_settle_by_the_square_of_their_length(dt, share):
    """As their own error falls; not below rounding, which loops show by the tenth pass, the more the shorter it is."""
    for eps in (2.0**-52, 2.0**-23):
        for loops, turn, most in ((False, 10.0, share), (True, 9.0, share), (True, 10.0, 2e-5)):
            least = max(2e3, 20.0 / dt if loops else 0.0) * eps
            assert tolerance(turn, dt, eps, loops=loops) == pytest.approx(max(most, least), rel=1e-12)


@pytest.mark.parametrize(("turn", "unresolved"), [(1.0, 0.0), (2.0, 1.0)])
def test_the_third_pass_says_that_a_step_is_unresolved(top, begun, turn, unresolved):
    """From rest to 24 rad/s in 10 ms: the second pass of what is linear would change nothing."""
    slots, w = begun
    after = one_iteration(top, slots, start=1.5 * w, converged=0.0, iteration=turn, velocity=0.0 * w)
    assert (after["motion"] > 1.0) == unresolved
