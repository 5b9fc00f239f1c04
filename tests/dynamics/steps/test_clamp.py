"""The shortest substep that has failed: no more kinetic energy than is due, in the direction that was found."""

import numpy as np
import pytest

from tests.dynamics.stepping import run, started
from tests.dynamics.steps.spinning import MOMENTS, body_on_a_ball, stage
from tests.tolerances import ROUNDING

V = np.array([8.0, 22.0, -6.0])  # velocity at the start [rad/s]


@pytest.fixture(scope="module")
def begun():
    top = body_on_a_ball()
    slots = started(top, [1, 0, 0, 0], V, dt=0.01)
    for name in ("lengths", "mass", "begin"):
        run([stage(top, name)], slots)
    return top, slots | {"position_before": slots["position"], "velocity_before": V}


@pytest.fixture(scope="module")
def clamped(begun):
    """The velocity at the end, by the one that was found, the effort along it, and whether the substep is sound."""
    top, slots = begun

    def velocity(found, effort=0.0, sound=0.0):
        own = {**slots, "velocity": found, "mean_velocity": found, "kick": np.zeros(3)}
        own |= {"effort": np.full(3, effort), "sound": np.array([sound])}
        run([stage(top, "clamp")], own)
        return own["velocity"]

    return velocity


def energy(v):
    return 0.5 * np.sum(MOMENTS * v**2)


def test_no_energy_appears(clamped):
    """A velocity three times as fast gets the energy of the start; one that is slower stays as it is."""
    fast, slow = np.array([-60.0, 10.0, 30.0]), np.array([1.0, -2.0, 3.0])
    assert energy(clamped(fast)) == pytest.approx(energy(V), rel=ROUNDING)
    assert np.cross(clamped(fast), fast) == pytest.approx(np.zeros(3), abs=1e-10)  # rounding of products
    assert clamped(slow) == pytest.approx(slow, rel=ROUNDING)


def test_the_work_of_an_effort_is_not_lost(clamped):
    w, effort = np.array([60.0, 10.0, 30.0]), 2.0
    work = 0.01 * effort * w.sum()
    assert energy(clamped(w, effort)) == pytest.approx(energy(V) + work, rel=ROUNDING)


def test_what_is_sound_stays(clamped):
    fast = np.array([60.0, 10.0, 30.0])
    assert (clamped(fast, sound=1.0) == fast).all()


@pytest.mark.parametrize(
    ("converged", "residual", "replaced"), [(0.0, 1.1, True), (0.0, 0.9, False), (1.0, 9.0, False)]
)
def test_far_from_a_solution_the_momentum_is_that_of_the_mean_velocity(begun, converged, residual, replaced):
    top, slots = begun
    w = np.array([3.0, -2.0, 5.0])
    own = {**slots, "u": w, "momentum_after": np.ones(3)}
    own |= {"converged": np.array([converged]), "residual": np.array([residual])}
    run([stage(top, "land")], own)
    assert own["momentum_after"] == pytest.approx(MOMENTS * w if replaced else np.ones(3), rel=ROUNDING)
