"""When forces act: each phase on one spring and damper in plain numbers, and the decay that two halves make."""

import pytest

from gearwright.dynamics.constraints.compliant_springs import Spring
from gearwright.dynamics.constraints.phases import FirstHalf, SecondHalf, WholeStep, implicit_share

DT, MASS = 0.02, 0.5
J = {0: 1.0}


def halves(d, k, x, v):
    """A damped spring through both halves: `m·w = m·v + λ₁(w)`, x⁺ = x + dt·w, `m·v⁺ = m·w + λ₂(v⁺)`."""
    stiffness = d + DT * k
    first = FirstHalf(DT, [MASS])
    at = first.sample(J, stiffness)
    w = (MASS * v - first.acts_for * k * x) / (MASS + first.acts_for * (k * at.ahead + d * at.share))
    x = x + DT * w
    second = SecondHalf(DT, [MASS], [w])
    at = second.sample(J, stiffness)
    rest = k * (x + at.shift) + d * at.known
    return x, (MASS * w - second.acts_for * rest) / (MASS + second.acts_for * (k * at.ahead + d * at.share))


@pytest.mark.parametrize("z", [1e-3, 0.1, 1.0, 10.0, 1e4])
def test_a_damper_decays_as_the_formula_says(z):
    """`1/(1 + z + z²/2)` in one step, z = dt·d/m."""
    _, v = halves(z * MASS / DT, 0.0, 0.0, 1.0)
    assert v == pytest.approx(1.0 / (1.0 + z + z * z / 2), rel=1e-12)


def test_the_share_goes_from_the_middle_to_the_end():
    assert implicit_share(DT, J, 0.0, [MASS]) == 0.0
    z = DT * 7.0 / MASS
    assert implicit_share(DT, J, 7.0, [MASS]) == pytest.approx(z / (1 + z), rel=1e-15)
    assert implicit_share(DT, {0: 1.0, 1: 2.0}, 7.0, [MASS, 1.0]) == pytest.approx(
        (3 * z) / (1 + 3 * z), rel=1e-15
    )  # a response of 1/m + 4
    assert implicit_share(DT, J, 1e15, [MASS]) == pytest.approx(1.0, abs=1e-12)


def test_what_is_not_stiff_is_taken_in_the_middle():
    first, second = FirstHalf(DT, [MASS]), SecondHalf(DT, [MASS], [3.0])
    assert first.sample(J, 0.0) == (DT / 2, 0.0, 1.0, 0.0, DT / 2)
    assert second.sample(J, 0.0) == (0.0, -DT / 2 * 3.0, 0.0, 3.0, -DT / 2)  # from the end back, at the mean rate
    assert second.known_rate({0: 2.0}) == 6.0


def test_a_whole_step_takes_everything_at_its_end():
    whole = WholeStep(DT)
    assert whole.sample(J, 123.0) == (DT, 0.0, 1.0, 0.0, DT)
    assert (whole.acts_for, whole.travel, whole.known_rate(J)) == (DT, DT, 0.0)
    assert whole.oscillator(Spring(40.0, 0.3, 40.0)) == pytest.approx(
        (DT * 1600.0, DT**2 * 1600.0 + 2 * 0.3 * 40.0 * DT, 0.0), rel=1e-15
    )


@pytest.mark.parametrize("k", [1.0, 1e3, 1e7])
def test_a_spring_stays_bounded_however_stiff(k):
    """It swings about its energy by μ·dt/2 at most, and at any stiffness it does not grow."""
    x, v = 1.0, 0.0
    for _ in range(200):
        x, v = halves(0.0, k, x, v)
        assert MASS * v * v + k * x * x <= k * (1.0 + DT * (k / MASS) ** 0.5 / 2)
