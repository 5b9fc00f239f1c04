"""Laws one by one: a projection is on its law, and stops come nearer from sweep to sweep."""

import numpy as np
import pytest

from gearwright.dynamics.solve.laws import friction_and_stops, saturated
from gearwright.dynamics.solve.sweeps import Response
from gearwright.dynamics.solve.swept_laws import moved_on, project, satisfied
from tests.dynamics.solve.kinds import between_rates

LAWS = {
    "friction": friction_and_stops(0.5, None, None),
    "stops": friction_and_stops(0.0, -0.3, 0.5),
    "friction and stops": friction_and_stops(0.5, -0.3, 0.5),
    "a range without 0": between_rates(0.5, 0.2, 0.6),
    "a drive": saturated(0.3, 4.0, -0.7, 0.9),
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_projection_meets_the_law(law, rng):
    """What it gives is on the law, at the rate that it leads to; and there it stays, and is accepted."""
    draws = np.column_stack([rng.normal(size=(200, 2)) * 2, rng.uniform(0.1, 3, 200)])
    for rate, impulse, own in draws.tolist():
        response = Response(own, 1 / own, 1 / own)
        new = project(law, impulse, rate, response, 0.0)
        there = rate + own * (new - impulse)
        assert satisfied(law, new, there, there, 1e-12)
        assert project(law, new, there, response, 0.0) == pytest.approx(new, abs=1e-12)
        assert not satisfied(law, new + 0.1, there + 0.1 * own, there + 0.1 * own, 1e-12)


def test_stops_in_the_time_of_a_sweep():
    """After 2 of 5 sweeps with rate 1, a stop at rate 3 is 3·5 − 2 away in 3."""
    law, drive = friction_and_stops(0.1, -3.0, 3.0), saturated(0.3, 4.0, -0.7, 0.9)
    stop = moved_on(law, 2.0, 2.0, 5)
    assert [v.rate for v in stop.vertices] == pytest.approx([-3 - 8 / 5, 0, 0, 3 + 4 / 5], rel=1e-15)
    passed = moved_on(law, 40.0, 2.0, 5)  # beyond: friction turns there
    assert [v.rate for v in passed.vertices] == pytest.approx([-12.2, -3.8, -3.8, -3.8], rel=1e-15)
    assert moved_on(drive, 2.0, 2.0, 5) == drive
