"""Random worlds are compiled and stepped: finite, and the same twice."""

import pytest

from tests.sim.fuzz_worlds import problem


@pytest.mark.parametrize(("first", "count"), [(0, 2), pytest.param(2, 40, marks=pytest.mark.slow)])
def test_worlds_stay_finite_and_repeat(first: int, count: int) -> None:
    found = {seed: problem(seed, 50, 1e-3)[0] for seed in range(first, first + count)}
    assert not {seed: what for seed, what in found.items() if what}
