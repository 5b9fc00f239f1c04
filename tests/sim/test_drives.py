"""Drives: implicit gains, effort limits, prescribed motion, fingers driven against stops and each other."""

from itertools import product

import numpy as np
import pytest

import gearwright as gw
from gearwright.dynamics.drives import Drive
from gearwright.sim import compile
from tests.sim.test_limits_and_friction import SOLVERS, fingers, slider


def test_a_drive_is_an_implicit_spring_and_damper():
    """One step of `m·Δv = dt·(k·(x − q − dt·v⁺) + d·(w − v⁺))`, m = 2."""
    k, d, dt, x, w = 500.0, 30.0, 1e-3, 0.1, 0.5
    sim = compile(slider(), drives={"rail": Drive(stiffness=k, damping=d)})
    sim.drive(position={"rail": x}, velocity={"rail": w})
    sim.step()
    assert sim.velocity["rail"] == pytest.approx(dt * (k * x + d * w) / (2.0 + dt * d + dt**2 * k), rel=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("gain", [1e2, 1e8])
def test_a_drive_arrives_at_any_gain(solver, gain):
    sim = compile(slider(), solver=solver, dt=1e-2, drives={"rail": Drive(stiffness=gain, damping=gain / 5)})
    sim.drive(position={"rail": 0.3})
    sim.step(n=1000)
    assert sim.position["rail"] == pytest.approx(0.3, rel=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_effort_is_limited(solver):
    sim = compile(slider(), solver=solver, drives={"rail": Drive(stiffness=1e6, damping=1e4, effort=4.0)})
    sim.drive(position={"rail": 1.0})
    sim.step(n=100)
    assert sim.velocity["rail"] == pytest.approx(0.1 * 4.0 / 2.0, rel=1e-9)


def test_prescribed_motion_is_followed_whatever_resists():
    sim = compile(slider("<damping>50</damping>"), drives={"rail": Drive(kinematic=True)}, batch=2)
    for k in range(100):
        where = np.array([np.sin(0.05 * k), 0.01 * k])
        sim.drive(position={"rail": where})
        sim.step(effort={"rail": 100.0})
        assert sim.position["rail"] == pytest.approx(where, abs=1e-12)


def test_a_prescribed_follower_moves_its_leader():
    sim = compile(fingers("exact", friction=0.0, multiplier=2.0), drives={"left": Drive(kinematic=True)})
    sim.drive(position={"left": 0.01})
    sim.step()
    assert sim.position["right"] == pytest.approx(0.005, abs=1e-12)


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
@pytest.mark.parametrize(("mode", "solver"), [*product(("exact", "hard", "compliant"), SOLVERS)])
def test_stiff_drives_on_both_fingers_squeeze_quietly(mode, solver, dt):
    """IsaacLab#5083: targets beyond the stops, and apart from each other; 10,000 steps, no energy and no NaN."""
    stiff = Drive(stiffness=1e5, damping=1e3, effort=60.0)
    sim = compile(fingers(mode), solver=solver, dt=dt, drives={"right": stiff, "left": stiff})
    sim.drive(position={"right": 0.1, "left": 0.08})
    sim.step(n=500)
    sim.step(n=10_000)
    assert sim.energy < 1e-9
    assert sim.position["left"] < 0.03 + 1e-6
    sim.drive(position={"right": 0.02, "left": 0.01})
    sim.step(n=10_000)
    assert sim.energy < 1e-9
    assert 0.0 < sim.position["left"] < 0.03


def test_mistakes_are_named():
    with pytest.raises(gw.GearwrightError, match=r"'rai'.*did you mean 'rail'"):
        compile(slider(), drives={"rai": Drive(kinematic=True)})
    with pytest.raises(gw.ModelError, match="neither gains"):
        Drive(kinematic=True, stiffness=1.0)
    with pytest.raises(gw.ModelError, match="needs stiffness or damping"):
        Drive()
    sim = compile(slider(), drives={"rail": Drive(damping=1.0)})
    with pytest.raises(gw.GearwrightError, match="drive"):
        sim.drive(velocity={"rial": 1.0})
