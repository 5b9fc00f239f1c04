"""Friction with states of its own: Dahl's bristles against the closed form of their loop, by every way to run it."""

import pickle
import subprocess
from dataclasses import dataclass, replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.kinds import FRICTIONS, BristleModel, FrictionModel, quantity
from gearwright.model.frictions import Dahl
from tests.sim.driven import body, rigid

INERTIA, DT = 0.5, 1e-3
COULOMB, STIFFNESS = 2.0, 40.0  # [N·m, N·m/rad]: bristles bend by 50 mrad
SLIDING = COULOMB / STIFFNESS
EVERY = [
    {},
    {"integrator": "euler"},
    {"integrator": "euler", "solver": "pgs"},
    {"integrator": "euler", "solver": "tgs"},
]


def model(kind="dahl", **fields):
    own = "".join(f"<{n}>{x}</{n}>" for n, x in fields.items())
    return f"<dynamics><friction_model type='{kind}'>{own}</friction_model></dynamics>"


def wheel(coulomb=COULOMB, stiffness=STIFFNESS, damping=0.0):
    text = model(coulomb=coulomb, stiffness=stiffness).replace(
        "<friction_model", f"<damping>{damping}</damping><friction_model"
    )
    return rigid(body("j", INERTIA).replace("</axis>", text + "</axis>"))


def loop(q, start=0.0):
    """The friction along a way, point by point: `F = ±F_c + (F ∓ F_c)·exp(−|Δx|/z_c)` between turning points."""
    F = [start]
    for step in np.diff(q):
        ahead = COULOMB * np.sign(step)
        F.append(ahead + (F[-1] - ahead) * np.exp(-abs(step) / SLIDING))
    return np.array(F)


@pytest.mark.parametrize("integrator", ["midpoint", "euler"])
def test_a_prescribed_way_draws_the_hysteresis_loop(integrator):
    """A kinematic drive turns the wheel to and fro.

    The state follows the way exactly: it depends on nothing else.
    """
    drives = {"j": gw.Drive(kinematic=True)}
    sim = gw.compile(wheel(), dt=DT, integrator=integrator, drives=drives)
    times = DT * np.arange(2001)
    way, seen = 0.1 * np.sin(2 * np.pi * times), []
    for q in way[1:]:
        sim.drive(position={"j": q})
        sim.step()
        seen.append(sim.batch_state.get("friction")[0, 0])
    assert np.abs(STIFFNESS * np.array(seen) - loop(way)[1:]).max() < 1e-9  # a drive is on its way to rounding


@pytest.mark.parametrize(("integrator", "error"), [("midpoint", 4e-6), ("euler", 7e-3)])  # dt², dt
def test_a_swing_is_that_of_a_solver_of_differential_equations(integrator, error):
    """`J·dv/dt = push − σ·z` with Dahl's equation for z, by scipy: pushed to and fro beyond the Coulomb friction."""
    integrate = pytest.importorskip("scipy.integrate")

    def slopes(t, x):
        _, v, z = x
        return v, (3.0 * np.cos(6.0 * t) - STIFFNESS * z) / INERTIA, v - abs(v) * z / SLIDING

    exact = integrate.solve_ivp(slopes, (0.0, 2.0), (0.0, 0.0, 0.0), rtol=1e-10, atol=1e-12, max_step=1e-3).y[:, -1]
    sim = gw.compile(wheel(), dt=DT, integrator=integrator)
    for k in range(2000):
        sim.step(effort={"j": 3.0 * np.cos(6.0 * DT * (k + 0.5))})
    found = sim.position["j"], sim.velocity["j"], sim.batch_state.get("friction")[0, 0]
    assert np.abs(np.array(found) - exact).max() < error


@pytest.mark.parametrize("options", EVERY, ids=str)
def test_below_coulomb_friction_it_is_a_spring(options):
    """A push of half the Coulomb friction: F = F_c·(1 − exp(−x/z_c)), with a damper, so that it never turns round."""
    sim = gw.compile(wheel(damping=10.0), dt=DT, **options)
    sim.step(effort={"j": 0.5 * COULOMB}, n=10_000)
    assert sim.position["j"] == pytest.approx(SLIDING * np.log(2.0), rel=1e-6)  # exp(−20): 0.5 s of time constant


@pytest.mark.parametrize("options", EVERY, ids=str)
def test_it_slides_with_coulomb_friction(options):
    sim = gw.compile(wheel(), dt=DT, **options)
    sim.reset(velocity={"j": 5.0})
    sim.step(effort={"j": 3.0}, n=100)  # after 0.5 rad: ten times the bristles' way
    before = sim.velocity["j"]
    sim.step(effort={"j": 3.0}, n=1000)
    assert sim.velocity["j"] - before == pytest.approx((3.0 - COULOMB) / INERTIA, rel=1e-4)  # exp(−10) is left


@pytest.mark.parametrize("stiffness", [1e2, 1e5, 1e8])
@pytest.mark.parametrize("options", EVERY[:2], ids=str)
def test_stiff_bristles_stop_a_wheel_and_do_not_ring(options, stiffness):
    """Bristles of any stiffness: it comes to rest as with Coulomb friction, and stays."""
    sim = gw.compile(wheel(stiffness=stiffness), dt=DT, **options)
    sim.reset(velocity={"j": 1.0})
    sim.step(n=2000)  # Coulomb friction stops it in 0.25 s
    stopped = 0.5 * INERTIA / COULOMB  # ½·J·ω²/F_c [rad]
    assert sim.position["j"] == pytest.approx(stopped, abs=0.002 + 3 * COULOMB / stiffness)
    assert sim.unsettled == 0
    energy = sim.kinetic_energy + 0.5 * stiffness * sim.batch_state.get("friction")[0, 0] ** 2
    sim.step(n=2000)
    assert (
        sim.kinetic_energy + 0.5 * stiffness * sim.batch_state.get("friction")[0, 0] ** 2 <= energy + 1e-30
    )  # rounding


def test_the_order_is_two():
    """While it does not turn round."""

    def end(n):
        sim = gw.compile(wheel(), dt=0.5 / n)
        sim.step(effort={"j": 3.0}, n=n)
        return sim.position["j"]

    exact = end(8000)
    errors = [abs(end(n) - exact) for n in (400, 800)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)  # with a part of third order: of the way expected


def test_robots_of_a_batch_saved_code_and_resets_have_the_same_bits(tmp_path):
    sim = gw.compile(wheel(), dt=DT, batch=5, parameters=("j.friction_model.stiffness",))
    stiffness = np.array([10.0, 20.0, 40.0, 80.0, 160.0])

    def run(sim):
        sim.reset()
        sim.step(effort={"j": 3.0}, n=60)
        sim.step(effort={"j": -1.0}, n=60)
        return sim.state

    sim.set_parameters({"j.friction_model.stiffness": stiffness})
    first = run(sim)
    assert np.array_equal(run(sim), first)
    alone = [run(gw.compile(wheel(stiffness=x), dt=DT)) for x in stiffness]
    assert np.allclose(first, alone, rtol=1e-9, atol=1e-12)
    sim.save(tmp_path / "wheel.gws")
    assert np.array_equal(run(gw.open(tmp_path / "wheel.gws")), first)
    assert np.array_equal(run(pickle.loads(pickle.dumps(sim))), first)


def test_c_code_has_the_state(tmp_path):
    made = gw.export_c(wheel(), tmp_path / "wheel", dt=DT)
    command = ["gcc", "-std=c99", str(made.source), str(made.harness), "-o", str(tmp_path / "program"), "-lm"]
    subprocess.run(command, check=True)
    assert subprocess.run([str(tmp_path / "program")], capture_output=True, check=False).returncode == 0


def test_on_the_joint_that_closes_a_loop():
    """A four-bar with friction on one pin, which is a joint of the tree or, cut there, closes the loop."""
    first = gw.load("four_bar")
    name = first.tree.joints[-1].name
    ends = []
    for robot in (first, gw.load("four_bar", cut=(name,))):
        joint = robot.joints[name]
        (axis,) = joint.axes
        dynamics = replace(axis.dynamics, friction_model=Dahl(coulomb=0.05, stiffness=1.0))
        joint = replace(joint, axes=(replace(axis, dynamics=dynamics),))
        sim = gw.compile(replace(robot, joints={**robot.joints, name: joint}), dt=DT)
        sim.step(command={"crank_motor": 0.2}, n=300)
        ends.append(sim.position["pin_a"])
        ends.append(sim.batch_state.get("friction")[0, 0])
    assert ends[:2] == pytest.approx(ends[2:], rel=1e-4)  # to dt²: other coordinates, 12 rad further


@dataclass(frozen=True, kw_only=True)
class Creep(FrictionModel):
    """Two states, for a test of the mechanism: a bristle, and the way so far."""

    states = ("deflection", "way")
    limit: float = quantity("N·m | N", above=0, doc="at most")

    def respond(self, moved, time, state):
        z, way = state
        return self.limit * np.tanh(z + moved), (z + moved, way + np.abs(moved))


class Idle(FrictionModel):
    pass


class Stateful(FrictionModel):
    states = ("deflection",)


class Bristles(BristleModel):
    pass


class Soft(BristleModel):
    bristle_stiffness = 100.0


@pytest.mark.parametrize(
    ("kind", "lacks"),
    [
        (Idle, r"level\(speed\) or resist"),
        (Stateful, "respond"),
        (Bristles, "bristle_stiffness"),
        (Soft, r"level\(speed\)"),
    ],
)
def test_a_kind_that_lacks_a_method_is_refused(kind, lacks):
    with pytest.raises(gw.ModelError, match=f"{kind.__name__} must define .*{lacks}"):
        kind()


def test_a_kind_from_outside_is_one_class_and_one_row():
    FRICTIONS["creep"] = Creep
    try:
        text = model("creep", limit=1.0)
        robot = rigid("".join(body(n, INERTIA).replace("</axis>", text + "</axis>") for n in "ab"))
        sim = gw.compile(robot, dt=DT)
        sim.step(effort={"a": 1.0, "b": -2.0}, n=100)
        a, b = sim.position["a"], sim.position["b"]
        assert sim.batch_state.get("friction")[0] == pytest.approx([a, a, b, -b], rel=1e-12)
    finally:
        del FRICTIONS["creep"]
