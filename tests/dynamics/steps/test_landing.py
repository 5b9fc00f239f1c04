"""The end of a part that could not be followed: w's direction, with the kinetic energy that there was."""

import numpy as np
import pytest

from tests.dynamics.stepping import run, started
from tests.dynamics.steps.spinning import MOMENTS, body_on_a_ball, stage
from tests.tolerances import ROUNDING

V = np.array([8.0, 22.0, -6.0])  # velocity at the start [rad/s]


@pytest.fixture(scope="module")
def landed():
    """The momentum at the end of a part, by w, the effort along it, and whether it was followed."""
    top = body_on_a_ball()
    slots = started(top, [1, 0, 0, 0], V, dt=0.01)
    for name in ("whole", "mass", "begin"):
        run([stage(top, name)], slots)

    def momentum(w, effort=0.0, followed=0.0):
        kept = {"position_before": slots["position"], "momentum_after": np.ones(3), "u": w}
        own = {**slots, **kept, "effort": np.full(3, effort), "followed": np.array([followed])}
        run([stage(top, "begin"), stage(top, "land")], own)
        return own["momentum_after"]

    return momentum


def energy(p):
    return 0.5 * np.sum(p**2 / MOMENTS)


def test_no_energy_appears(landed):
    """A mean velocity three times as fast lands with the energy of the start; one that is slower, as it is."""
    start = energy(MOMENTS * V)
    fast, slow = np.array([-60.0, 10.0, 30.0]), np.array([1.0, -2.0, 3.0])
    assert energy(landed(fast)) == pytest.approx(start, rel=ROUNDING)
    assert np.cross(landed(fast), MOMENTS * fast) == pytest.approx(np.zeros(3), abs=1e-10)  # rounding of products
    assert landed(slow) == pytest.approx(MOMENTS * slow, rel=ROUNDING)


def test_the_work_of_an_effort_is_not_lost(landed):
    w, effort = np.array([60.0, 10.0, 30.0]), 2.0
    work = 0.01 * effort * w.sum()
    assert energy(landed(w, effort)) == pytest.approx(energy(MOMENTS * V) + work, rel=ROUNDING)


def test_what_was_followed_stays(landed):
    assert (landed(np.array([60.0, 10.0, 30.0]), followed=1.0) == 1.0).all()
