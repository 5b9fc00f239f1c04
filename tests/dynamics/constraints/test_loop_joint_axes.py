"""What acts along an axis of a cut joint: which rows it has, where they read, and what they store."""

from dataclasses import replace
from math import inf
from types import SimpleNamespace

import numpy as np
import pytest

from gearwright.dynamics.algebra.spatial import Motion, Vector
from gearwright.dynamics.constraints.loop_joint_axes import (
    CutAxis,
    CutRotation,
    CutSoftStopRow,
    CutSpringRow,
    CutStopRow,
    cut_axis_rows,
    middle,
)
from gearwright.dynamics.constraints.phases import FirstHalf, WholeStep
from gearwright.dynamics.solve.terms import Line, Polyline
from gearwright.model import WORLD, Axis, AxisDynamics, Joint, Limits
from gearwright.model.poses import rotation_about
from tests.dynamics.constraints.test_closures import pose
from tests.tolerances import ROUNDING

ANGLE, DT = 0.4, 0.01


class Sides:
    """A pin about z that stands at ANGLE; coordinate 0 turns the child side, 1 the parent side, 2 shifts it."""

    def seen(self, at):
        z, x = Vector(0.0, 0.0, 1.0), Vector(1.0, 0.0, 0.0)
        none = Vector(0.0, 0.0, 0.0)
        twists = {0: Motion(z, none), 1: Motion(-z, none), 2: Motion(none, x)}
        return pose(rotation_about(np.array([0.0, 0.0, 1.0]), ANGLE), np.zeros(3)), twists


def rows(limits=None, **dynamics):
    axis = Axis(xyz=(0.0, 0.0, 1.0), limits=limits or Limits(), dynamics=AxisDynamics(**dynamics))
    pin = Joint(name="pin", kind="revolute", parent=WORLD, child="link", axes=(axis,))
    fields = ("damping", "spring_stiffness", "spring_reference", "friction")
    return list(cut_axis_rows(pin, Sides(), {f"pin.{n}": getattr(axis.dynamics, n) for n in fields}))


def now(phase=None):
    tree = SimpleNamespace(G=[{k: 1.0} for k in range(3)], v=[0.0] * 3)
    return SimpleNamespace(eps=2.0**-52, phase=phase or WholeStep(DT), h=DT, tree=tree, at=None, diagonal=[1.0] * 3,
                           response=lambda J: 1.0)  # fmt: skip


@pytest.mark.parametrize(
    ("limits", "dynamics", "kinds"),
    [
        (Limits(), {}, []),
        (Limits(), {"damping": 1.0}, [CutSpringRow]),
        (Limits(), {"spring_stiffness": 1.0, "friction": 0.1}, [CutSpringRow, CutStopRow]),
        (Limits(lower=-1.0, upper=1.0), {}, [CutStopRow]),
        (Limits(lower=-1.0, upper=1.0, stiffness=100.0), {}, [CutSoftStopRow]),
        (Limits(lower=-1.0, upper=1.0, stiffness=100.0), {"friction": 0.1}, [CutSoftStopRow, CutStopRow]),
    ],
)
def test_rows_are_those_of_what_acts(limits, dynamics, kinds):
    found = rows(limits, **dynamics)
    assert [type(row) for row in found] == kinds
    assert {(row.name, row.joint_name) for row in found} <= {("pin", "pin")}


def test_a_soft_stop_leaves_no_hard_one():
    _, hard = rows(Limits(lower=-1.0, upper=1.0, stiffness=100.0), friction=0.1)
    assert (hard.lower, hard.upper) == (-inf, inf)


def test_an_axis_is_read_between_its_two_sides():
    (row,) = rows(damping=1.0)
    q, J = row.axis.read(now())
    assert float(q) == pytest.approx(ANGLE, rel=ROUNDING)
    assert {k: float(x) for k, x in J.items()} == pytest.approx({0: 1.0, 1: -1.0}, rel=ROUNDING)  # no shift


def test_angles_are_read_around_the_middle_of_the_range():
    assert middle(Limits(lower=2.0, upper=8.0)) == 5.0
    assert middle(Limits(upper=8.0)) == 0.0
    (row,) = rows(Limits(lower=4.0, upper=8.0))
    assert isinstance(row.axis, CutAxis) and row.axis.about == 6.0
    assert float(row.axis.read(now())[0]) == pytest.approx(ANGLE + 2 * np.pi, rel=ROUNDING)
    assert replace(row.axis, about=0.0).read(now())[0] == pytest.approx(ANGLE, rel=ROUNDING)


def test_a_spring_pulls_to_its_reference_and_stores_its_energy():
    (row,) = rows(damping=2.0, spring_stiffness=50.0, spring_reference=0.1)
    (line,) = row.act(now())
    assert isinstance(line, Line)
    assert float(line.constant) == pytest.approx(-DT * 50.0 * (ANGLE - 0.1), rel=ROUNDING)
    assert float(line.slope) == pytest.approx(DT * (2.0 + DT * 50.0), rel=ROUNDING)
    assert float(row.stored(now())) == pytest.approx(0.5 * 50.0 * 0.3**2, rel=ROUNDING)


def test_a_soft_stop_stores_what_it_is_pressed_by():
    (row,) = rows(Limits(lower=-1.0, upper=0.3, stiffness=200.0))
    assert float(row.stored(now())) == pytest.approx(0.5 * 200.0 * 0.1**2, rel=ROUNDING)


@pytest.mark.parametrize("phase", [WholeStep(DT), FirstHalf(DT, [1.0] * 3)])
def test_friction_and_stops_are_one_bounded_term(phase):
    (row,) = rows(Limits(lower=-1.0, upper=1.0), friction=0.3)
    (found,) = row.act(now(phase))
    assert isinstance(found, Polyline)


def test_a_damped_ball_that_closes_a_loop_resists_every_rotation():
    """One component of angular velocity a row; a ball without damping has none."""
    ball = Joint(name="ball", kind="ball", parent=WORLD, child="link", damping=0.5)
    assert not list(cut_axis_rows(ball, Sides(), {"ball.damping": 0.0}))
    found = list(cut_axis_rows(ball, Sides(), {"ball.damping": 0.5}))
    assert [(type(row.axis), row.name, row.damping) for row in found] == [
        (CutRotation, name, 0.5) for name in ("ball.rx", "ball.ry", "ball.rz")
    ]
    slopes = [row.axis.read(now())[1] for row in found]
    assert slopes == [{}, {}, {0: 1.0, 1: -1.0}]
