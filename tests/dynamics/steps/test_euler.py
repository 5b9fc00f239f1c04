"""The stages of a semi-implicit Euler step with rows: everything stiff at the end of the step, positions by u⁺."""

import numpy as np
import pytest

from gearwright.dynamics import Equations
from tests.dynamics.stepping import DT, one_step, run, started
from tests.dynamics.steps.test_unconstrained import pendulum, wheel
from tests.dynamics.test_reduce import follow, wheels
from tests.tolerances import ROUNDING


def test_positions_go_on_by_the_velocity_of_the_steps_end():
    q, v, _ = one_step(Equations(pendulum(friction=0.1), integrator="euler"), [0.4, -0.2], [1.0, 2.0], [0.3, 0.0])
    assert q == pytest.approx(np.array([0.4, -0.2]) + DT * v, rel=ROUNDING)


def test_momentum_and_gravity_in_one_recursion():
    """Without anything stiff, `M·(u⁺ − u) = dt·(τ − h)` at the start."""
    equations = Equations(pendulum(friction=1e-9), integrator="euler")
    start, u, effort = [0.4, -0.2], [1.0, 2.0], [0.3, 0.1]
    _, v, _ = one_step(equations, start, u, effort)
    M, h = (
        np.array(equations.observer("mass_matrix")(start, [])),
        np.array(equations.observer("bias")(start, u, [])).ravel(),
    )
    assert v - u == pytest.approx(DT * np.linalg.solve(M, effort - h), abs=1e-10)  # friction of 1e-9 N·m over inertias


@pytest.mark.parametrize("push", [0.05, 0.3])
def test_friction_holds_what_is_below_it(push):
    _, v, _ = one_step(Equations(wheel(0.5, friction=0.1), integrator="euler"), [0.0], [0.0], [push])
    assert v == pytest.approx([DT * max(push - 0.1, 0.0) / 0.5], abs=ROUNDING)


def test_a_hard_row_holds_at_the_steps_end_and_its_impulse_is_kept():
    """`u₁⁺ = −3·u₀⁺`; the impulse on the follower is what changes its momentum, I·Δu."""
    equations = Equations(wheels([0.5, 0.2], [follow("w1", ("w0", -3.0), mode="hard")]), integrator="euler")
    _, v, impulse = one_step(equations, [0.0, 0.0], [0.0, 0.0], [2.0, 0.0])
    moved = DT * 2.0 / (0.5 + 9 * 0.2)
    assert v == pytest.approx([moved, -3 * moved], rel=ROUNDING)
    assert np.abs(impulse) == pytest.approx([0.2 * 3 * moved], rel=ROUNDING)


def test_a_step_that_settles_is_not_counted():
    equations = Equations(wheel(0.5, friction=0.1), integrator="euler")
    slots = started(equations, [0.0], [1.0], [0.0])
    for _ in range(3):
        run(equations.stages, slots)
    assert slots["unsettled"].tolist() == [0.0]
