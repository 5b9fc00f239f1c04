"""Couplings beside closed loops: which are second descriptions of the same, and which are not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gearwright.model import WORLD, AxisRef, Coupling, Term
from gearwright.model.loops.loop_system import LoopSystem
from tests.model.test_freedom import FOUR_BAR, coupling, mechanism, polygon
from tests.tolerances import ROUNDING

PARALLELOGRAM = [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (2.0, 1.0, 0.0), (2.0, 0.0, 0.0)]


def test_cranks_of_a_parallelogram() -> None:
    robot = mechanism(polygon(PARALLELOGRAM), [coupling("j3", ("j0", 1))])
    (second,) = robot.second_descriptions.values()
    assert second.agrees
    assert second.misfit < ROUNDING
    assert robot.without_contradictions() is robot
    assert robot.dof == 1


@pytest.mark.parametrize("mode", ["exact", "hard"])
def test_a_ratio_that_only_comes_near_yields_to_the_loop(mode: str) -> None:
    """0.9 is off by a tenth of what the near crank turns, which is up to 0.3 rad in the poses that are looked at."""
    robot = mechanism(polygon(PARALLELOGRAM), [coupling("j3", ("j0", 0.9), mode=mode)])
    (second,) = robot.second_descriptions.values()
    assert second.contradicts
    assert second.misfit == pytest.approx(0.1 * abs(second.leader), rel=1e-12)
    assert not robot.without_contradictions().couplings
    assert robot.dof == 1


def test_a_spring_may_pull_at_a_loop() -> None:
    spring = coupling("j3", ("j0", 0.9), mode="compliant", natural_frequency=10.0, damping_ratio=1.0)
    robot = mechanism(polygon(PARALLELOGRAM), [spring])
    assert not robot.second_descriptions["j3"].agrees
    assert robot.without_contradictions() is robot


@pytest.mark.parametrize(("off", "agrees"), [(1e-4, True), (4e-4, True), (6e-4, False), (3e-3, False)])
def test_the_digits_of_a_ratio(off: float, agrees: bool) -> None:
    """The leader turns 0.21 rad in the poses that are looked at: 4.7e-4 of it is the limit, 1e-4 rad."""
    robot = mechanism(polygon(PARALLELOGRAM), [coupling("j3", ("j0", 1 + off))])
    assert robot.second_descriptions["j3"].agrees == agrees


def test_a_coupling_that_takes_a_freedom_is_no_second_description() -> None:
    """Of a five-bar's two."""
    five = [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 2.0, 0.0), (2.2, 1.5, 0.0), (2.0, 0.0, 0.0)]
    robot = mechanism(polygon(five), [coupling("j4", ("j0", -0.7))])
    assert robot.second_descriptions == {}
    assert robot.dof == 1


def test_the_first_of_two_that_a_loop_ties_counts() -> None:
    """Two four-bars: the first coupling ties them together, the second does it again, at another ratio."""
    other = [replace(j, name=f"k{j.name}", parent=_other(j.parent), child=_other(j.child)) for j in polygon(FOUR_BAR)]
    first, second = coupling("kj0", ("j0", 1)), coupling("kj1", ("j1", 0.5))
    robot = mechanism([*polygon(FOUR_BAR), *other], [first, second])
    assert list(robot.second_descriptions) == ["kj1"]
    assert robot.second_descriptions["kj1"].contradicts
    assert robot.dof == 1


def _other(link: str) -> str:
    return link if link == WORLD else f"k{link}"


def test_a_polynomial_that_approximates_a_rocker() -> None:
    curve = Coupling(name="j3", follower=AxisRef("j3"), leaders=(Term(AxisRef("j0"), 0.5),), powers=(0.1,))
    robot = mechanism(polygon(FOUR_BAR), [curve])
    assert robot.second_descriptions["j3"].contradicts


def test_loops_are_closed_for_the_diagnostics_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []
    monkeypatch.setattr(LoopSystem, "closed", lambda self, q, couplings: tried.append(self))
    robot = mechanism(polygon(PARALLELOGRAM), [coupling("j3", ("j0", 1))])
    assert not tried
    assert {d.code for d in robot.diagnostics} == {"loop-closed", "loop-open"}  # since `closed` finds no pose now
    assert tried


@pytest.mark.parametrize("length", [0.5, 1.0, 2.0])
def test_couplings_that_fail_at_the_start_are_found_so_in_general_positions(
    length: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is seen at the start alone is what all poses together would have said."""
    corners = [(0.0, 0.0, 0.0), (0.0, length, 0.0), (2.0, 1.0, 0.0), (2.0, 0.0, 0.0)]
    for ties in ([("j1", "j0")], [("j3", "j0"), ("j1", "j2")], [("j2", "j3"), ("j1", "j3")]):
        couplings = [coupling(follower, (leader, 0.8)) for follower, leader in ties]
        quick = mechanism(polygon(corners), couplings).second_descriptions
        with monkeypatch.context() as patch:
            patch.setattr("gearwright.model.loops.second_descriptions.SURELY_MOVES", float("inf"))
            careful = mechanism(polygon(corners), couplings).second_descriptions
        assert quick == careful
