"""Drives: implicit gains, effort limits, prescribed motion, fingers driven against stops and each other."""

from itertools import product

import numpy as np
import pytest

import gearwright as gw
from gearwright.model.hardware.drives import Drive
from gearwright.sim import compile
from tests.sim.test_limits_and_friction import SOLVERS, fingers, slider
from tests.tolerances import ROUNDING

# followers whose limits are tighter than their leader's are what these tests are about
pytestmark = pytest.mark.filterwarnings("ignore:.*the limits of:gearwright.LoadWarning")


def test_a_drive_is_an_implicit_spring_and_damper():
    """One Euler step of `m·Δv = dt·(k·(x − q − dt·v⁺) + d·(w − v⁺))`, m = 2."""
    k, d, dt, x, w = 500.0, 30.0, 1e-3, 0.1, 0.5
    sim = compile(slider(), drives={"rail": Drive(stiffness=k, damping=d)}, integrator="euler")
    sim.drive(position={"rail": x}, velocity={"rail": w})
    sim.step()
    assert sim.velocity["rail"] == pytest.approx(dt * (k * x + d * w) / (2.0 + dt * d + dt**2 * k), rel=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("gain", [1e2, 1e8])
def test_a_drive_arrives_at_any_gain(solver, gain):
    sim = compile(slider(), solver=solver, dt=1e-2, drives={"rail": Drive(stiffness=gain, damping=gain / 5)})
    sim.drive(position={"rail": 0.3})
    sim.step(n=1000)
    assert sim.position["rail"] == pytest.approx(0.3, rel=ROUNDING)


@pytest.mark.parametrize("solver", SOLVERS)
def test_effort_is_limited(solver):
    sim = compile(slider(), solver=solver, drives={"rail": Drive(stiffness=1e6, damping=1e4, effort=4.0)})
    sim.drive(position={"rail": 1.0})
    sim.step(n=100)
    assert sim.velocity["rail"] == pytest.approx(0.1 * 4.0 / 2.0, rel=ROUNDING)


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


EFFORT, FRICTION = 60.0, 0.5  # of each finger's drive, and in each finger [N]
TARGETS = ({"right": 0.1, "left": 0.08}, {"right": 0.02, "left": 0.01}, {"right": -0.1, "left": 0.05})


class Squeeze:
    """Stiff drives on two coupled fingers, towards a stop, apart from each other, and against each other.

    What is watched is `ΔE ≤ Σ effort·|way| + correction`: no drive does more work than its effort limit along its way
    (by the end's velocity or by where it got to, whichever is more: the two differ in tgs). E is the kinetic energy
    and what a compliant coupling, a spring of μ²/r, stores. Taking a hard coupling's error off moves by no more than
    the error, against no more than all drives and friction together. Stops and friction only take.
    """

    def __init__(self, mode, solver, dt):
        stiff = Drive(stiffness=1e5, damping=1e3, effort=EFFORT)
        self.sim = compile(
            fingers(mode, friction=FRICTION), solver=solver, dt=dt, drives={"right": stiff, "left": stiff}
        )
        self.mode, self.dt = mode, dt
        self.before = self.now()

    def now(self):
        sim = self.sim
        error = sim.coupling_error["left"]
        return sim.energy, error, np.array([sim.position["right"], sim.position["left"]])

    def step(self):
        self.sim.step()
        (E0, C0, q0), (E, C, q) = self.before, self.now()
        way = np.maximum(np.abs(q - q0), self.dt * np.abs([self.sim.velocity["right"], self.sim.velocity["left"]]))
        correction = 2 * (EFFORT + FRICTION) * (abs(C) + abs(C0)) if self.mode == "hard" else 0.0
        gained = E - E0
        assert gained <= EFFORT * way.sum() + correction + 1e-12
        self.before = E, C, q

    def cycle(self, n):
        """1000 steps to the n-th target: a hundred one by one, and those in which all comes to rest at once."""
        self.sim.drive(position=TARGETS[n % 3])
        for _ in range(100):
            self.step()
        self.sim.step(n=900)
        self.before = self.now()
        assert self.sim.kinetic_energy < ROUNDING
        assert -1e-4 < self.sim.position["left"] < 0.03 + 1e-9


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dt", [1e-3, 2e-3, 5e-3, 1e-2])
@pytest.mark.parametrize(("mode", "solver"), [*product(("exact", "hard", "compliant"), SOLVERS)])
def test_stiff_drives_on_both_fingers_squeeze_quietly(mode, solver, dt):
    """IsaacLab#5083: mimic, limit, friction and stiff drives on both fingers; 20,000 steps."""
    squeeze = Squeeze(mode, solver, dt)
    for n in range(20):
        squeeze.cycle(n)


@pytest.mark.slow
@pytest.mark.parametrize("dt", [1e-3, 2e-3, 5e-3, 1e-2])
@pytest.mark.parametrize(("mode", "solver"), [*product(("exact", "hard", "compliant"), SOLVERS)])
def test_a_million_steps_of_squeezing(mode, solver, dt):
    squeeze = Squeeze(mode, solver, dt)
    for n in range(1000):
        squeeze.cycle(n)


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
