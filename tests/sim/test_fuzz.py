"""The fuzzer that compiles and steps: a short run, and that it would notice."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from tests.sim import fuzz
from tests.sim.generated import Case, case

SWING = (
    '<sdf version="1.11"><model name="m"><link name="a"/><link name="b"/><joint name="j" type="revolute">'
    "<parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"
)


@pytest.mark.parametrize(("first", "count"), [(0, 25), pytest.param(25, 175, marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning", "ignore::gearwright.UnsettledWarning")  # random files
def test_what_loads_compiles_and_steps(first: int, count: int) -> None:
    ends, failures = fuzz.run(count, seed=1, first=first)
    assert failures == {}
    assert ends["stepped"] > count / 2


def test_a_mechanism_is_the_same_on_every_run() -> None:
    assert [case(3, i) for i in range(30)] == [case(3, i) for i in range(30)]
    assert len({case(3, i).text for i in range(30)}) == 30


def test_a_traceback_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gw, "compile", lambda robot, **options: 1 / 0)
    assert "ZeroDivisionError" in (fuzz.timed(Case(0, SWING))[1] or "")


def test_a_refusal_that_the_checks_did_not_report_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(robot: gw.Mechanism, **options: object) -> None:
        raise gw.CompileError("no")

    monkeypatch.setattr(gw, "compile", refusing)
    assert "compile refuses" in (fuzz.timed(Case(0, SWING))[1] or "")


def test_another_end_from_the_same_start_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    step, calls = gw.Simulation.step, []

    def stepping(self: gw.Simulation, **inputs: object) -> None:
        step(self, **{**inputs, "n": 20 + len(calls)})  # type: ignore[arg-type]
        calls.append(1)

    monkeypatch.setattr(gw.Simulation, "step", stepping)
    assert "another end" in (fuzz.timed(Case(0, SWING, push=1.0))[1] or "")


def test_a_nan_without_an_error_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gw.Simulation, "state", property(lambda self: np.array([np.nan])))
    assert "not finite" in (fuzz.timed(Case(0, SWING))[1] or "")


def test_a_mechanism_that_takes_for_ever_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gw, "compile", lambda robot, **options: [0 for _ in iter(int, 1)])
    assert "more than 0.2 s" in (fuzz.timed(Case(0, SWING), seconds=0.2)[1] or "")


@pytest.mark.parametrize("index", [65, 183])
@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning", "ignore::gearwright.UnsettledWarning")  # random files
def test_robots_whose_messages_failed(index: int) -> None:
    """A mass matrix that is not finite, and a coupling of a loop-closing joint."""
    assert fuzz.run(1, seed=1, first=index)[1] == {}
