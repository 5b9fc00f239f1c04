"""One stage serves both halves of a step, and gives the numbers that two would."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gearwright as gw
import gearwright.robots
from gearwright.dynamics import Equations
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import Expression, sin
from gearwright.dynamics.solve.laws import friction_and_stops
from gearwright.dynamics.solve.terms import Collected, Polyline
from gearwright.dynamics.steps import direct
from gearwright.dynamics.steps.builder import StageBoundary
from gearwright.dynamics.steps.reuse import Form, refilled, unknowns, with_unknowns
from gearwright.sim.programs.programs import step_program
from tests.sim.robots import FOLLOWING
from tests.tolerances import ROUNDING

FOLDER = Path(gearwright.robots.__file__).parent
DAMPED = """<robot name="damped"><link name="base"/>
<link name="upper"><inertial><mass value="1"/><origin xyz="0 0 -0.3"/>
<inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="lower"><inertial><mass value="1"/><origin xyz="0.1 0 -0.3"/>
<inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="a" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
<limit lower="-0.1" upper="0.4" effort="9" velocity="9"/><dynamics friction="0.3" damping="0.5"/></joint>
<joint name="b" type="revolute"><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/><origin xyz="0 0 -0.6"/>
<limit lower="-0.2" upper="0.2" effort="9" velocity="9"/><dynamics friction="0.1" damping="0.2"/></joint></robot>"""


def final(robot: gw.Mechanism) -> np.ndarray:
    sim = gw.compile(robot)
    sim.reset(velocity=dict.fromkeys([*sim.velocity][:1], 2.0))
    sim.step(n=400)
    return np.array(sim.state)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("robot", ["damped", "reference_arm.urdf", "wrist.urdf", "hand.urdf"])
def test_two_stages_would_do_the_same(robot: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """To the bit, because it is the same tape; M is that of the shared stage both times."""
    mechanism = gw.loads(DAMPED) if robot == "damped" else gw.load(FOLDER / robot)
    shared = final(mechanism)
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path))  # code of its own
    monkeypatch.setattr(direct, "refilled", lambda *_: None)
    assert (final(mechanism) == shared).all()
    assert np.abs(shared).max() > 0


def test_stages_are_there_once() -> None:
    names = [stage.name for stage in step_program(Equations(gw.loads(DAMPED), integrator="midpoint")).stages]
    assert names == [
        "lengths", "mass", "begin", "push_middle", "switch", "set_out_middle", "choose", "iterate", "relax", "keep",
        "turn", "land", "push_end", "set_out_end", "finish", "back", "clamp", "next",
    ]  # fmt: skip


def test_motors_on_their_curves_share_a_stage() -> None:
    """How a half samples them goes through memory, though it is constant in the first."""
    robot = gw.load(FOLDER / "hand.urdf")
    names = [stage.name for stage in step_program(Equations(robot, integrator="midpoint")).stages]
    assert names.count("switch") == 1


@pytest.mark.parametrize("parameters", [(), ("follower.erp",)])
def test_hard_couplings_share_a_stage(parameters: tuple[str, ...]) -> None:
    """Their error is taken off in the first half alone: the share is a number, or an input of the robot."""
    sim = gw.compile(gw.loads(FOLLOWING), coupling="hard", parameters=parameters)
    names = [stage.name for stage in step_program(sim.kernels.equations).stages]
    assert names.count("switch") == 1
    sim.step(n=10)
    assert abs(sim.position["follower"] - (0.1 - 2 * sim.position["leader"])) < ROUNDING


def one_law(H: Any, friction: Any, lower: Any, change: Callable[[Any], Any] = lambda x: x) -> Form:
    law = friction_and_stops(friction, lower, None)
    acting = Collected([], [Polyline({0: 1.0}, law)], [], [], [("polyline", 0)])
    return Form.of({(0, 0): change(H)}, acting.mapped(change))


def test_slots_are_filled() -> None:
    p, x, y = Expression.symbol("p"), Expression.symbol("x"), Expression.symbol("y")
    carrier = StageBoundary()
    known = one_law(p * p, 3.0 * p, 1.0 - p, carrier)
    filled = refilled(known, one_law(x * y, sin(x), y), {"given": carrier.symbols})
    assert filled is not None
    assert [str(value) for value in filled["given"]] == ["(x*y)", "y", "sin(x)", "(-sin(x))"]


def test_what_differs_is_not_shared() -> None:
    p, x, y = Expression.symbol("p"), Expression.symbol("x"), Expression.symbol("y")

    def shared(before: tuple[Any, Any, Any], after: tuple[Any, Any, Any]) -> bool:
        carrier = StageBoundary()
        known = one_law(*before, carrier)
        return refilled(known, one_law(*after), {"given": carrier.symbols}) is not None

    assert shared((p * p, 3.0 * p, -1.0), (x, y, -1.0))
    assert not shared((p * p, 3.0 * p, -1.0), (x, y, -2.0))  # another constant
    assert not shared((p * p, 3.0 * p, -1.0), (x, 0.0, -1.0))  # another shape: no friction
    square = p * p
    assert not shared((square, square, -1.0), (x, y, -1.0))  # one element would be two numbers
    assert not shared((p, 3.0 * p, -1.0), (x, y, -1.0))  # an element of another slot


def test_a_matrix_goes_through_a_slot() -> None:
    """Numbers that are known stay where they are."""
    x, y = Expression.symbol("x"), Expression.symbol("y")
    M = FrontalMatrix.of({(0, 0): x + 1.0, (1, 0): 0.5, (1, 1): x})
    stored = unknowns(M)
    assert [str(value) for value in stored] == ["(x+1)", "x"]
    back = with_unknowns(M, [y, 2.0])
    assert [str(back.entries[place]) for place in ((0, 0), (1, 0), (1, 1))] == ["y", "0.5", "2.0"]
