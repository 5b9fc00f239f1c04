"""A compliant coupling has the frequency, damping ratio and stiffness that were asked for, whatever the step."""

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import AxisRef, Couplings
from gearwright.model.couplings import Coupling, Term
from gearwright.sim import compile
from tests.sim.test_rings import follow, wheels
from tests.tolerances import ROUNDING

DT = 1e-3
INERTIA = {"w0": 0.1, "w1": 0.2}


def pair(ratio, **more):
    return replace(wheels(2), couplings=Couplings([follow("c", "w1", "w0", ratio, "compliant", **more)]))


def poles(sim):
    """s of `z = exp(s·dt)`, those of the coupling: the other two are the free turning of both wheels, z = 1."""
    z = np.linalg.eigvals(sim.linearize()[0])
    return np.log(z[np.argsort(-np.abs(z - 1))[:2]].astype(complex)) / DT


@pytest.mark.parametrize("ratio", [-3.0, 0.01, 1.0, 200.0])
def test_frequency_and_damping_are_those_asked_for(ratio):
    """At μ·dt from 0.005 to 0.5: the poles are exact but for rounding, 1e-9 of 1 − z that the row's slope costs, and
    the two that fall together at ζ = 1, where rounding grows to its root."""
    sim = compile(pair(ratio), dt=DT, parameters=["c.natural_frequency", "c.damping_ratio"])
    for theta in (0.005, 0.05, 0.2, 0.5, 1.0):
        for zeta in (0.05, 0.3, 0.7, 1.0, 2.0):
            mu = theta / DT
            sim.set_parameters({"c.natural_frequency": mu, "c.damping_ratio": zeta})
            sim.reset()
            found = poles(sim)
            frequency = np.sqrt(np.prod(found)).real
            assert frequency == pytest.approx(mu, rel=6e-10)  # found 1e-7
            assert -found.sum().real / (2 * frequency) == pytest.approx(zeta, rel=1e-5)


@pytest.mark.parametrize("theta", [0.05, 0.5, 1.0, 3.0])
def test_the_static_stiffness_is_the_same_at_any_step(theta):
    """`kp = μ²/r`, r of the mechanism itself; the leader is held by a drive, which must not change it."""
    ratio, torque = -3.0, 0.02
    mu = theta / DT
    sim = compile(
        pair(ratio, natural_frequency=mu, damping_ratio=1.0), dt=DT,
        drives={"w0": gw.Drive(stiffness=1e6, damping=1e3)},
    )  # fmt: skip
    sim.step(effort={"w1": torque}, n=10_000)
    r = 1 / INERTIA["w1"] + ratio**2 / INERTIA["w0"]
    assert sim.coupling_error["c"] == pytest.approx(torque * r / mu**2, rel=2e-12)  # found 4e-16


@pytest.mark.parametrize("precision", ["double", "single"])
def test_its_energy_is_in_the_energy(precision):
    """`½·kp·C²` at rest; undamped, it goes to and fro between spring and wheels, and swings by (μ·dt)²/6.

    The row's slope costs 1e-9 of the speed in a step."""
    ratio, mu, stretch = -3.0, 20.0, 0.01
    robot = pair(ratio, natural_frequency=mu, damping_ratio=0.0)
    for dt in (1e-3, 5e-4):
        sim = compile(robot, dt=dt, precision=precision)
        sim.reset(position={"w0": 0.0, "w1": stretch})
        stored = 0.5 * mu**2 / (1 / INERTIA["w1"] + ratio**2 / INERTIA["w0"]) * stretch**2
        assert sim.potential_energy == pytest.approx(stored, rel=ROUNDING if precision == "double" else 1e-6)
        rec = sim.run(1.0)
        swing = (mu * dt) ** 2 / 6 * (1 + 0.05) + 2e-9 / dt
        assert rec.energy == pytest.approx(stored, rel=swing + 3e-5 * (precision == "single"))
        assert rec.kinetic_energy.max() == pytest.approx(stored, rel=1e-3)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("zeta", [0.0, 0.05, 1.0])
@pytest.mark.parametrize("theta", [0.3, 1.0, 30.0])
def test_many_springs_on_one_leader_stay_stable(theta, zeta):
    """Twelve followers of one light wheel: their springs add up, far beyond what a single one is made for."""
    n = 13
    rows = [
        Coupling(
            name=f"c{i}", follower=AxisRef(f"w{i}"), leaders=(Term(AxisRef("w0"), 3.0),), mode="compliant",
            natural_frequency=theta / DT, damping_ratio=zeta,
        )
        for i in range(1, n)
    ]  # fmt: skip
    sim = compile(replace(wheels(n), couplings=Couplings(rows)), dt=DT)
    z = np.linalg.eigvals(sim.linearize()[0])
    assert np.abs(z).max() < 1 + 1e-7  # the free turning has z = 1 twice, which rounding splits


@pytest.mark.parametrize("zeta", [0.0, 0.5, 3.0])
def test_a_spring_with_a_held_end_is_stable(zeta):
    """Its share of the response falls from 1 to the follower's own: the proof's ρ."""
    for ratio in (0.1, 1.0, 10.0):
        robot = pair(ratio, natural_frequency=0.9 / DT, damping_ratio=zeta)
        sim = compile(robot, dt=DT, drives={"w0": gw.Drive(stiffness=1e7, damping=1e4)})
        sim.reset(velocity={"w1": 1.0})
        before = sim.energy
        sim.step(n=5000)
        assert sim.energy <= before * (1 + ROUNDING)
