"""A heavy body on three light hinges that go through their gimbal lock: one hard step, and what it costs."""

import numpy as np
import pytest

import gearwright as gw
from tests.sim.test_accuracy import joint, link, sdf


@pytest.mark.filterwarnings("ignore::gearwright.UnsettledWarning")
@pytest.mark.parametrize("velocity", [0.02, 0.2, 1.0])
def test_steps_are_whole_again_soon_after_the_lock(velocity):
    """Of 1.5 s, 0.8 are made in whole steps, and few in many substeps: 1.9 a step in the mean, where they were 18."""
    small = (1e-10, 1e-10, 1e-10)
    robot = sdf(
        link("a", 1e-6, "0 0 0", small), link("b", 1e-6, "0 0 0", small),
        link("c", 1.0, "0.05 0.02 -0.25", (0.02, 0.021, 0.003)),
        joint("z", "world", "a", "0 0 1"), joint("y", "a", "b", "0 1 0"), joint("x", "b", "c", "1 0 0"),
    )  # fmt: skip
    sim = gw.compile(robot, gravity=(0, 0, 0))
    sim.reset(position={"y": 1.4123}, velocity={"y": 4.0, "x": velocity})
    substeps = []
    for _ in range(1500):
        sim.step()
        substeps.append(sim.batch_state.get("substepping")[0, 0] + 1)
    assert max(substeps) == 32
    assert np.mean(substeps) < 2.5
    assert substeps[-1] == 1
    assert sim.unsettled <= 1
