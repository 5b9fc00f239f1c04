"""A spring with a damper along a direction: the line of its impulse over the rate, in a whole step."""

from types import SimpleNamespace

import pytest

from gearwright.dynamics.constraints.moment import spring_damper
from gearwright.dynamics.constraints.phases import WholeStep
from tests.tolerances import ROUNDING

DT = 0.01


def now():
    return SimpleNamespace(phase=WholeStep(DT), h=DT, tree=SimpleNamespace(G=[{0: 1.0}, {1: 1.0}]))


@pytest.mark.parametrize("rate", [0.0, -3.0, 2.0])
@pytest.mark.parametrize("wanted", [0.0, 0.5])
def test_the_impulse_is_that_of_the_steps_end(rate, wanted):
    """`−dt·(k·(x + dt·(r − wanted)) + d·(r − wanted))`, r the rate at the end."""
    k, d, x = 40.0, 3.0, 0.2
    line = spring_damper(now(), {0: 1.0, 1: -2.0}, k, d, x, wanted)
    assert line.J == {0: 1.0, 1: -2.0}
    expected = -DT * (k * (x + DT * (rate - wanted)) + d * (rate - wanted))
    assert line.constant - line.slope * rate == pytest.approx(expected, rel=ROUNDING)


def test_without_stiffness_and_damping_nothing_acts():
    line = spring_damper(now(), {0: 1.0}, 0.0, 0.0, 0.2)
    assert (line.constant, line.slope) == (0.0, 0.0)
