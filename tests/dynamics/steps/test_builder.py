"""Stages: what each reads and writes, what is carried, and loops; run on numbers."""

import numpy as np
import pytest
from casadi import SX

from gearwright.dynamics.algebra.scalar import Expression, sin
from gearwright.dynamics.steps.builder import Repeat, StageBoundary, StepBuilder, Unless
from tests.dynamics.stepping import run


def builder(**sizes):
    return StepBuilder({slot: SX.sym(slot, n) for slot, n in sizes.items()})


def test_a_stage_writes_what_was_assigned_and_later_lines_read_it():
    build = builder(x=2, y=1)
    x, (y,) = build["x"], build["y"]
    build["x"] = [x[0] + y, 2.0 * x[1]]
    assert str(build["x"][0]) == "(x_0+y)"  # not stored yet: an expression
    build.stage("first")
    assert str(build["x"][0]) == "x_0"  # stored: the slot's symbol
    build["z"] = [build["x"][0] * 10.0]
    build.stage("second")
    first, second = build.body
    assert (first.name_in(), first.name_out()) == (["x", "y"], ["x"])
    assert (second.name_in(), second.name_out()) == (["x"], ["z"])
    slots = {"x": np.array([1.0, 2.0]), "y": np.array([0.5])}
    run(build.body, slots)
    assert slots["x"] == pytest.approx([1.5, 4.0], rel=1e-12)
    assert slots["z"] == pytest.approx([15.0], rel=1e-12)


def test_the_first_stage_reads_every_input():
    """A program has all slots that a step begins with."""
    build = builder(x=1, unused=1)
    build["x"] = [build["x"][0] + 1.0]
    build.stage("only")
    assert build.body[0].name_in() == ["x", "unused"]


def test_what_is_carried_is_computed_once():
    build = builder(x=1)
    (x,) = build["x"]
    carry = build.carry("kept")
    square = x * x
    once, again = carry(square), carry(square)
    assert once.sx.element_hash() == again.sx.element_hash()
    assert (carry(3.0), carry(x)) == (3.0, x)  # numbers and slots stay where they are
    build.stage("first")
    build["x"] = [once + 1.0]
    build.stage("second")
    assert build.body[1].name_in() == ["kept"]
    slots = {"x": np.array([3.0])}
    run(build.body, slots)
    assert slots["x"] == pytest.approx([10.0], rel=1e-12)


def test_what_is_cheap_is_computed_again():
    """One or two products or sums away from a number that is kept; no quotients, and nothing of other slots."""
    build = builder(x=1, dt=1)
    (x,), (dt,) = build["x"], build["dt"]
    carry = build.carry("kept", [dt])
    cheap = [2.0 * dt, 0.3 * (0.5 * dt), -(dt * dt)]
    assert [carry.unless_cheap(y).sx.element_hash() for y in cheap] == [y.sx.element_hash() for y in cheap]
    dear = [1.0 / dt, x * dt, 1.0 + 0.3 * (0.5 * dt + 1.0), sin(dt)]
    assert all(carry.unless_cheap(y).sx.is_symbolic() for y in dear)
    build.stage("first")
    build["x"] = [carry(dear[1]) + cheap[1]]
    build.stage("second")
    slots = {"x": np.array([3.0]), "dt": np.array([0.5])}
    run(build.body, slots)
    assert slots["x"] == pytest.approx([1.575], rel=1e-12)


def test_loops_end_by_count_or_by_a_number():
    build = builder(x=1, end=1)
    build["end"] = [0.0]
    build.stage("begin")
    with build.loop(10, until="end"):
        build["x"] = [build["x"][0] + 1.0]
        build["end"] = [build["x"][0] >= 4.0]
        build.stage("count")
    build.again("begin")
    with build.loop(3):
        build.again("count")
    assert [type(node) is Repeat for node in build.body] == [False, True, False, True]
    slots = {"x": np.array([0.0]), "end": np.array([0.0])}
    run(build.body, slots)
    assert slots["x"] == pytest.approx([7.0], rel=1e-12)


@pytest.mark.parametrize(("end", "after"), [(0.0, 6.0), (1.0, 5.0)])
def test_a_branch_is_left_out_where_its_number_is_not_zero(end, after):
    build = StepBuilder({"x": SX.sym("x"), "end": SX.sym("end")})
    with build.unless("end"):
        build["x"] = [build["x"][0] + 1.0]
        build.stage("count")
    assert [type(node) for node in build.body] == [Unless]
    slots = {"x": np.array([5.0]), "end": np.array([end])}
    run(build.body, slots)
    assert slots["x"] == pytest.approx([after], rel=1e-12)


def test_what_no_stage_stores_is_a_mistake():
    build = builder(x=1)
    build["x"] = [1.0]
    for act in (lambda: build.body, lambda: build.again("x"), lambda: build.loop(2).__enter__()):
        with pytest.raises(AssertionError, match="x"):
            act()


def test_a_carrier_alone():
    carrier, x = StageBoundary(), Expression.symbol("x")
    one, two = x + 1, x + 2
    found = [carrier(one), carrier(two), carrier(one)]
    assert len(carrier.values) == 2
    assert [str(s) for s in found] == ["c0", "c1", "c0"]


def test_a_slot_that_is_not_there_is_not_set():
    build = builder(velocity=1)
    with pytest.raises(AttributeError, match="trail"):
        build.trail = [1.0]
