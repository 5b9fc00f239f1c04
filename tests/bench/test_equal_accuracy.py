"""The dt at which an integrator has an error: found, found by the order, or not reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("mujoco", reason="the benchmark is a comparison with MuJoCo")

from benchmarks import equal_accuracy as benchmark

RK4, EULER = (benchmark.INTEGRATORS[name] for name in ("RK4", "Euler"))


@dataclass
class Engine:
    """An integrator whose error is a power of dt, on top of one that no dt takes off."""

    case: Any
    integrator: Any
    dt: float

    def error(self) -> float:
        return float(self.case.floor + (self.dt**4 if self.integrator == RK4 else self.dt))


@dataclass
class Case:
    floor: float = 0.0
    title: str = "a pendulum"


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "MuJoCo", Engine)


def test_every_integrator_of_first_order_is_timed() -> None:
    known = set(benchmark.mj.mjtIntegrator.__members__) - {"mjINT_RK4", "mjINT_IMPLICIT"}  # `implicit` is slower
    assert {integrator.name for integrator in benchmark.INTEGRATORS.values()} == known | {"mjINT_RK4"}


def test_the_largest_dt_that_suffices() -> None:
    dt, by_order = benchmark.as_exact(Case(), RK4, 1e-10)
    assert not by_order
    assert dt**4 <= 1e-10 < (dt * 2 ** (1 / 6)) ** 4  # between two that are tried lies a factor of 2^(1/12) or 2^(1/6)


def test_a_first_order_integrator_below_the_finest_is_found_by_its_order() -> None:
    assert benchmark.as_exact(Case(), EULER, 1e-6) == (pytest.approx(1e-6, rel=1e-12), True)


def test_an_error_that_no_dt_has_is_no_dt() -> None:
    with pytest.raises(benchmark.NotReachedError, match=r"a pendulum: no dt down to 1e-05 s has .* 1e-10"):
        benchmark.as_exact(Case(floor=1.0), RK4, 1e-10)
    assert benchmark.reached_by(Case(floor=1.0), 1e-10, ["RK4"]) == ({}, ["RK4"])
