"""The term of a drive: a target that is met, a spring with a damper, or one with a largest effort."""

from math import inf
from types import SimpleNamespace

import pytest

from gearwright import Drive
from gearwright.dynamics.constraints.drives import DriveRow
from gearwright.dynamics.constraints.phases import WholeStep
from gearwright.dynamics.solve.rows import Equality
from gearwright.dynamics.solve.terms import Line, Polyline
from tests.tolerances import ROUNDING

DT, Q, TARGET, RATE = 0.01, 0.3, 0.5, 2.0


def row(**options):
    return DriveRow(name="j", drive=Drive(**options), position=0, velocity=0, index=0)


def term(drive):
    tree = SimpleNamespace(G=[{0: 1.0}], q=[Q])
    (found,) = drive.act(SimpleNamespace(phase=WholeStep(DT), h=DT, tree=tree, target=(TARGET, RATE)))
    return found


def test_a_kinematic_drive_is_there_at_the_steps_end():
    found = term(row(kinematic=True))
    assert isinstance(found, Equality) and found.J == {0: 1.0}
    assert -found.bias == pytest.approx((TARGET - Q) / DT, rel=ROUNDING)


@pytest.mark.parametrize("rate", [-1.0, 0.0, 20.0])
def test_gains_act_at_the_steps_end(rate):
    """`−dt·(k·(q⁺ − target) + d·(r − target's rate))`."""
    found = term(row(stiffness=50.0, damping=4.0))
    assert isinstance(found, Line)
    expected = -DT * (50.0 * (Q + DT * rate - TARGET) + 4.0 * (rate - RATE))
    assert found.constant - found.slope * rate == pytest.approx(expected, rel=ROUNDING)


def test_a_largest_effort_bounds_the_impulse():
    drive = row(stiffness=50.0, damping=4.0, effort=3.0)
    assert (drive.equality, drive.bounded) == (False, True)
    assert isinstance(term(drive), Polyline)
    unbounded = row(stiffness=50.0)
    assert (unbounded.equality, unbounded.drive.effort) == (True, inf)


@pytest.mark.parametrize(
    ("kinematic", "expected"), [(True, Q + 0.25 * (TARGET - Q)), (False, TARGET - DT * 0.75 * RATE)]
)
def test_a_target_on_the_way(kinematic, expected):
    """After a quarter of the step, the whole of it being left."""
    target = [TARGET, RATE]
    (row(kinematic=True) if kinematic else row(stiffness=1.0)).on_the_way(target, [Q], DT, 0.25, 1.0)
    assert target[0] == pytest.approx(expected, rel=ROUNDING)


def test_only_a_kinematic_drive_has_a_position_error():
    now = SimpleNamespace(tree=SimpleNamespace(q=[Q]), target=(TARGET, RATE))
    assert row(stiffness=1.0).position_rows(now) == []
    (error,) = row(kinematic=True).position_rows(now)
    assert (error.J, error.error) == ({0: 1.0}, pytest.approx(Q - TARGET, rel=ROUNDING))
