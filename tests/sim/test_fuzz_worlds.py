"""Random worlds are compiled and stepped: finite, and the same twice."""

import pytest

from tests.sim.fuzz_worlds import problem


@pytest.mark.parametrize(("first", "count"), [(0, 2), pytest.param(2, 40, marks=pytest.mark.slow)])
def test_worlds_stay_finite_and_repeat(first: int, count: int) -> None:
    found = {seed: problem(seed, 50, 1e-3)[0] for seed in range(first, first + count)}
    assert not {seed: what for seed, what in found.items() if what}


@pytest.mark.parametrize(("seed", "dt"), [(3041, 1e-3), (7075, 1e-2)])
def test_bodies_that_begin_jammed_into_each_other_stay_finite(seed: int, dt: float) -> None:
    """Their loads grow from step to step, to a bound."""
    found, unsettled = problem(seed, 200, dt)
    assert not found
    assert unsettled <= 10
