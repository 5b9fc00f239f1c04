"""The laws of a step, from a mechanism: stops that end on the limit, families of coupled axes, springs, drives."""

from __future__ import annotations

import pytest

from gearwright.dynamics.constraints import Instant
from gearwright.dynamics.drives import Drive
from gearwright.dynamics.equations import Equations
from gearwright.dynamics.motion import State
from gearwright.dynamics.solve import STARTED, Problem
from gearwright.dynamics.solve.step_laws import soft_stops, step_laws, stop_rates
from gearwright.model import (
    WORLD,
    Axis,
    AxisDynamics,
    AxisRef,
    Coupling,
    Inertia,
    Joint,
    Limits,
    Link,
    Mechanism,
    Term,
)

H = 1e-3  # the step [s]
HALF, WIDE = Limits(lower=-0.5, upper=0.5), Limits(lower=-3.0, upper=3.0)


def arm(limits=(HALF, WIDE), friction=(0.2, 0.3), couplings=None, x=(0.0, 0.0)):
    """Two joints in a row."""
    links = {n: Link(name=n, inertia=Inertia(mass=1.0, moments=(0.1, 0.1, 0.1))) for n in "ab"}
    joints = {}
    for name, parent, child, limit, f in zip("pq", (WORLD, "a"), "ab", limits, friction, strict=True):
        axis = Axis(xyz=(0.0, 0.0, 1.0), limits=limit, dynamics=AxisDynamics(friction=f))
        joints[name] = Joint(name=name, kind="revolute", parent=parent, child=child, axes=(axis,))
    return Mechanism(name="arm", links=links, joints=joints, couplings=couplings or {})


def laws_of(mechanism, q, target=(), **options):
    equations = Equations(mechanism, **options)
    model = equations.model
    tree = model.tree(State(list(q), [0.0] * model.dof))
    now = Instant(tree, model.configuration(tree), H, list(target))
    return step_laws(equations.kinds, now)


def lines(law):
    return [(float(v.rate), float(v.impulse)) for v in law.vertices]


def test_a_stop_allows_what_ends_on_it_and_nothing_from_beyond():
    assert stop_rates(0.4, (-0.5, 0.5), 0.1) == (pytest.approx(-9.0), pytest.approx(1.0))
    assert stop_rates(0.6, (-0.5, 0.5), 0.1) == (pytest.approx(-11.0), 0.0)
    assert stop_rates(-0.6, (-0.5, float("inf")), 0.1) == (0.0, None)


def test_friction_and_stops_of_an_axis():
    first, second = laws_of(arm(), (0.4, 0.0)).laws
    assert first.direction == {0: 1.0}
    expected = [(-0.9 / H, 0.2 * H), (0.0, 0.2 * H), (0.0, -0.2 * H), (0.1 / H, -0.2 * H)]
    assert lines(first.law) == [pytest.approx(v) for v in expected]
    assert second.direction == {1: 1.0}


def test_axes_that_turn_together_are_one_law():
    """q = −2·p: friction 0.2 + 2·0.3, and q's stops at ±0.6 are p's at ±0.3."""
    tied = Coupling(name="tie", follower=AxisRef("q"), leaders=(Term(AxisRef("p"), -2.0),))
    mechanism = arm(limits=(HALF, Limits(lower=-0.6, upper=0.6)), couplings={"tie": tied})
    (only,) = laws_of(mechanism, (0.0,)).laws
    assert lines(only.law)[-1] == pytest.approx((0.3 / H, -0.8 * H))


@pytest.mark.parametrize("q", [-0.7, 0.0, 0.45, 0.6])
@pytest.mark.parametrize("rate", [-300.0, -1.0, 0.0, 2.0, 400.0])
def test_soft_stops_are_springs_that_only_push(q, rate):
    k, d = 50.0, 4.0
    law = soft_stops(q, (-0.5, 0.5), k, d, H)
    (low, _), (high, _) = law.vertices
    slopes = {-1: law.slopes[0], 0: 0.0, 1: law.slopes[2]}
    piece = -1 if rate < low else 1 if rate > high else 0
    found = -slopes[piece] * (rate - (low if piece < 0 else high))
    after = q + H * rate
    below, above = -0.5 - after, after - 0.5
    expected = H * max(0.0, k * below - d * rate * (q <= -0.5)) - H * max(0.0, k * above + d * rate * (q >= 0.5))
    assert found == pytest.approx(expected, abs=1e-12)


def test_limited_drive_and_its_target():
    drive = Drive(stiffness=100.0, damping=5.0, effort=2.0)
    found = laws_of(arm(friction=(0.0, 0.0)), (0.4, 0.0), target=(0.1, 0.0), drives={"p": drive})
    law = next(a.law for a in found.laws if len(a.law.slopes) == 3 and a.law.slopes[1])
    x = 0.3
    (low, most), (high, least) = lines(law)
    line = H * (100.0 * (0.1 - 0.4 - H * x) - 5.0 * x)
    assert most == pytest.approx(2.0 * H)
    assert least == pytest.approx(-2.0 * H)
    slope = float(law.slopes[1])
    assert most - slope * (x - low) == pytest.approx(line)
    assert high - low == pytest.approx(4.0 * H / slope)


def test_kinematic_drives_are_equalities():
    found = laws_of(arm(), (0.4, 0.0), target=(0.401, 0.0), drives={"p": Drive(kinematic=True)})
    (row,) = found.equalities
    assert row.J == {0: 1.0}
    assert float(row.bias) == pytest.approx(-1.0)
    assert found.places[0] == ("equality", 0)


def test_a_step_ends_on_its_stop():
    found = laws_of(arm(friction=(0.0, 0.0)), (0.4995, 0.0))
    problem = Problem({(0, 0): 0.3, (1, 0): 0.1, (1, 1): 0.1}, [0.9, 0.0], found.laws)
    states, progress = [0.0, 0.0], STARTED
    for _ in range(4):
        end = problem.iterate(states, progress)
        states, progress = end.states, end.progress
    assert end.settled == 1.0
    assert 0.4995 + H * end.u[0] == pytest.approx(0.5, abs=1e-15)
    assert end.impulses[0] < 0.0
    assert end.impulses[1] == 0.0
