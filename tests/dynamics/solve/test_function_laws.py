"""Laws given by functions: steep drives with limits, smooth laws and jumps, alone and beside friction and stops."""

from __future__ import annotations

import casadi
import numpy as np
import pytest
from casadi import SX, Function

from gearwright.dynamics.solve import Acting, FunctionLaw, friction_and_stops
from tests.dynamics.solve.bench import Bench, random_matrices
from tests.dynamics.solve.kinds import N, random_axes

w, a = SX.sym("w"), SX.sym("a", 3)
target, gain, most = a[0], a[1], a[2]
wanted = gain * (target - w)
limited = casadi.fmin(casadi.fmax(wanted, -most), most)
on_line = casadi.logic_and(wanted > -most, wanted < most)
bend = casadi.tanh(gain / most * (w - target))
FUNCTIONS = {
    "limited drive": Function("f", [w, a], [limited, -gain * on_line, casadi.fabs(limited)]),
    "limited drive that tells its line": Function("f", [w, a], [limited, -gain * on_line, most, wanted, -gain]),
    "smooth": Function("f", [w, a], [-most * bend, -gain * (1 - bend**2), most]),
    "jump": Function(
        "f", [w, a], [-most * casadi.sign(w - target) - 0.1 * gain * w, -0.1 * gain, most + gain * casadi.fabs(w)]
    ),
}
STEEPEST = {"limited drive": 9.0, "limited drive that tells its line": 9.0, "smooth": 2.0, "jump": 0.0}  # decades
SLACK = 2e-9  # of the fastest coordinate: what single switches without an end take for rounding (LARGEST)


def solved(rng, kind, count, ratio=None):
    """With a ratio, each is a motor through gears, beside friction and stops of its axis."""
    function = FUNCTIONS[kind]
    H = random_matrices(rng, count, N, 1.0)
    d = np.einsum("kii->ki", H)
    b = np.einsum("kij,kj->ki", H, rng.normal(size=d.shape) / np.sqrt(d))
    steep = d * 10 ** rng.uniform(-2, STEEPEST[kind], d.shape)
    motors = np.stack([rng.normal(size=d.shape) / np.sqrt(d), steep, np.sqrt(d) * rng.uniform(0.1, 1, d.shape)], 2)
    parameters = np.hstack([motors.reshape(count, -1), random_axes(rng, d)])

    def make(p):
        laws = [Acting(FunctionLaw(function, tuple(p[3 * i : 3 * i + 3])), {i: ratio or 1.0}) for i in range(N)]
        p = p[3 * N :]
        return laws + [Acting(friction_and_stops(*p[3 * i : 3 * i + 3]), {i: 1.0}) for i in range(N) if ratio], ()

    bench = Bench(N, parameters.shape[1], make)
    return bench, (H, b, parameters), bench.solved(H, b, parameters)


def law_values(kind, parameters, rates):
    each = parameters[:, : 3 * N].reshape(len(parameters), N, 3)
    function = FUNCTIONS[kind].map(len(parameters))
    return np.array([np.array(function(rates[i][None], each[:, i].T)[0])[0] for i in range(N)])


@pytest.mark.parametrize("ratio", [None, 3.0])
@pytest.mark.parametrize("kind", FUNCTIONS)
def test_ends_on_the_function(kind, ratio, rng):
    """A rate is known to rounding, and so is the law to its slope's share of that; at a jump it is between values."""
    bench, (H, b, parameters), end = solved(rng, kind, 500, ratio)
    assert end.settled.all()
    errors = bench.errors(H, b, parameters, end)
    assert errors["residual"].max() < 1e-13
    assert errors["complementarity"].max() < 1e-10
    rates, slack = end.u * (ratio or 1.0), SLACK * np.abs(end.u).max(axis=0)
    above, below = (law_values(kind, parameters, rates + side * slack) for side in (-1.0, 1.0))
    size = np.abs(end.impulses[:N]).max(axis=0)
    assert (end.impulses[:N] <= above + 1e-10 * size).all()
    assert (end.impulses[:N] >= below - 1e-10 * size).all()


def test_a_drive_that_tells_its_line_takes_few_solves(rng):
    _, _, end = solved(rng, "limited drive that tells its line", 1000)
    assert np.median(end.solves) <= 4
    assert end.solves.max() <= 30


def test_goes_on_from_where_the_last_step_ended(rng):
    for kind in ("limited drive that tells its line", "smooth"):
        bench, (H, b, parameters), end = solved(rng, kind, 500)
        again = bench.solved(H, b, parameters, end)
        assert np.median(again.solves) <= 2
        assert np.abs(again.u - end.u).max() < 1e-9
