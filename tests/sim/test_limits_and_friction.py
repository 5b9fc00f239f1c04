"""Joint limits, Coulomb friction and couplings that fight over the same axes, in every solver."""

from itertools import product

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from tests.dynamics.test_reduce import follow, wheels
from tests.tolerances import ROUNDING

# followers whose limits are tighter than their leader's are what these tests are about
pytestmark = pytest.mark.filterwarnings("ignore:.*the limits of:gearwright.LoadWarning")

SOLVERS = ("direct", "pgs", "tgs")
DT = 1e-3


def slider(more="", limit="", gravity=False, mass=2.0):
    """A block on a horizontal rail; friction and limits as given."""
    limits = f"<limit>{limit}<effort>1e9</effort></limit>" if limit else ""
    return gw.loads(f"""<sdf version="1.9"><model name="slider"><link name="block"><inertial><mass>{mass}</mass>
      <inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
      <joint name="rail" type="prismatic"><parent>world</parent><child>block</child><axis><xyz>1 0 0</xyz>
      {limits}<dynamics>{more}</dynamics></axis></joint></model></sdf>""")


RANGE = "<lower>-0.1</lower><upper>0.2</upper>"


@pytest.mark.parametrize("solver", SOLVERS)
def test_friction_holds_below_and_slides_above(solver):
    sim = compile(slider("<friction>3</friction>"), solver=solver)
    sim.step(effort={"rail": 2.9}, n=500)
    assert (sim.position["rail"], sim.velocity["rail"]) == pytest.approx((0.0, 0.0), abs=1e-15)
    sim.step(effort={"rail": 5.0}, n=500)
    assert sim.velocity["rail"] == pytest.approx(0.5 * (5 - 3) / 2, rel=1e-12)
    assert sim.acceleration["rail"] == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
def test_friction_stops_and_does_not_turn_round(solver):
    sim = compile(slider("<friction>3</friction>"), solver=solver)
    sim.reset(velocity={"rail": 0.3})
    sim.step(n=100)
    assert sim.velocity["rail"] == pytest.approx(0.3 - 0.1 * 1.5, rel=1e-12)
    sim.step(n=200)
    assert abs(sim.velocity["rail"]) < ROUNDING  # where sweeps end
    assert sim.position["rail"] == pytest.approx(0.3**2 / (2 * 1.5), rel=6e-3)  # half a step of 200: dt·v/2


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_a_hard_stop_holds(solver, dt):
    sim = compile(slider(limit=RANGE), solver=solver, dt=dt)
    for push, end in ((30.0, 0.2), (-30.0, -0.1)):
        sim.step(effort={"rail": push}, n=round(1 / dt))
        assert sim.position["rail"] == pytest.approx(
            end, abs=ROUNDING
        )  # the stop yields 1e-12, sweeps end at 1e-10 m/s
        assert sim.velocity["rail"] == pytest.approx(0.0, abs=ROUNDING)
    rec = sim.run(0.5, effort={"rail": 1e5})
    assert rec.position["rail"].max() < 0.2 + 1e-9  # tgs ends a sweep short of a stop, not beyond it


def test_a_start_beyond_a_stop_comes_back_gently():
    sim = compile(slider(limit=RANGE))
    with pytest.warns(gw.BeyondLimitsWarning, match="'rail' at 0.7 m"):
        sim.reset(position={"rail": 0.7})
    rec = sim.run(2.0)
    assert np.abs(rec.velocity["rail"]).max() < 1e-12  # it is moved, and gains no kinetic energy
    assert np.abs(np.diff(rec.position["rail"])).max() <= 1e-3 + 1e-12  # by no more than 1 m/s would
    assert rec.position["rail"][600] == pytest.approx(0.2, abs=5e-9)  # next to the stop is on it: 1e-9


def test_a_soft_stop_is_a_spring_and_damper():
    """Pushed with F it stands F/k beyond; it is not felt inside."""
    soft = RANGE + "<stiffness>1000</stiffness><dissipation>50</dissipation>"
    sim = compile(slider(limit=soft))
    sim.step(effort={"rail": 10.0}, n=100)
    assert sim.velocity["rail"] == pytest.approx(0.5, rel=1e-12)
    sim.step(n=3000)
    assert sim.position["rail"] == pytest.approx(0.2 + 10.0 / 1000, rel=ROUNDING)
    sim.step(effort={"rail": -10.0}, n=3000)
    assert sim.position["rail"] == pytest.approx(-0.1 - 10.0 / 1000, rel=ROUNDING)


def fingers(mode="exact", friction=0.5, follower_upper=0.03, multiplier=1.0):
    """Two fingers on one palm, the left mimics the right; the left's stop is nearer."""

    def finger(name, y, upper, mimic=""):
        return f"""<link name="{name}_link"><inertial><mass>0.2</mass>
          <inertia><ixx>1e-4</ixx><iyy>1e-4</iyy><izz>1e-4</izz></inertia></inertial></link>
          <joint name="{name}" type="prismatic"><parent>palm</parent><child>{name}_link</child><axis><xyz>0 {y} 0</xyz>
          <limit><lower>0</lower><upper>{upper}</upper></limit><dynamics><friction>{friction}</friction></dynamics>
          {mimic}</axis></joint>"""  # fmt: skip

    mimic = (
        f'<mimic joint="right"><multiplier>{multiplier}</multiplier><offset>0</offset><reference>0</reference></mimic>'
    )
    robot = gw.loads(f"""<sdf version="1.11"><model name="fingers"><link name="palm"><inertial><mass>1</mass>
      <inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
      <joint name="mount" type="fixed"><parent>world</parent><child>palm</child></joint>
      {finger("right", 1, 0.04)}{finger("left", -1, follower_upper, mimic)}</model></sdf>""")
    return robot.with_coupling("left", mode=mode, natural_frequency=500.0, damping_ratio=1.0)


@pytest.mark.parametrize(("mode", "solver"), [*product(("exact", "hard", "compliant"), SOLVERS)])
def test_follower_limits_are_respected_and_felt_by_the_leader(mode, solver):
    """joint_state_publisher#13, robotiq#157. The follower's stop at 0.03 stops the leader at 0.03 too."""
    sim = compile(fingers(mode), solver=solver)
    sim.step(effort={"right": 3.0}, n=2000)
    assert sim.position["left"] == pytest.approx(0.03, abs=ROUNDING)
    # within 1e-9 of its stop an axis stands on it
    slack = {"exact": 1e-9, "hard": 2e-9, "compliant": 3.0 / (500**2 * 0.1) * 1.5}[mode]
    if (mode, solver) == ("hard", "tgs"):
        # what is left of the error pushes less, in its 20 sweeps, than friction holds
        slack = 0.5 * DT / (20 * 20 * 0.2 / DT * 0.1)
    assert sim.position["right"] == pytest.approx(0.03, abs=slack)
    assert abs(sim.coupling_error["left"]) <= (1e-15 if mode == "exact" else slack)
    # what the leader's own friction does not hold goes through the coupling into the follower's stop
    assert 2.0 < sim.coupling_effort["left"] < 3.6


@pytest.mark.parametrize(("mode", "solver"), [*product(("exact", "hard"), SOLVERS)])
def test_friction_on_a_follower_does_not_break_the_coupling(mode, solver):
    """mujoco#2430: both slide with both frictions taken off, and hold below their sum."""
    sim = compile(fingers(mode), solver=solver, iterations=200)
    sim.step(effort={"right": 0.99}, n=300)
    assert abs(sim.position["right"]) < ROUNDING
    sim.reset()
    sim.step(effort={"right": 1.4}, n=100)
    assert sim.velocity["left"] == pytest.approx((1.4 - 1.0) / 0.4 * 0.1, rel=ROUNDING)
    assert abs(sim.coupling_error["left"]) < ROUNDING


@pytest.mark.parametrize("mode", ["hard", "compliant"])
def test_a_teleported_leader_does_not_spike(mode):
    """gz-physics#990: followers are aligned at reset; one that is given keeps its value, and is brought back."""
    sim = compile(fingers(mode, friction=0.0))
    sim.reset(position={"right": 0.02})
    assert sim.position["left"] == 0.02
    sim.step(n=10)
    assert sim.velocity["right"] == pytest.approx(0.0, abs=1e-12)
    sim.reset(position={"right": 0.01, "left": 0.02})
    assert (sim.position["left"], sim.coupling_error["left"]) == (0.02, pytest.approx(0.01, rel=ROUNDING))
    sim.step(n=400)
    assert abs(sim.coupling_error["left"]) < ROUNDING


def test_follower_friction_maps_through_the_ratio():
    """A follower at ratio 3 with f holds its leader with 3·f."""
    robot = fingers(friction=0.0, multiplier=3.0, follower_upper=0.5)
    rubbing = compile(robot, parameters=("left.friction",))
    rubbing.set_parameters({"left.friction": 0.5})
    rubbing.step(effort={"right": 1.49}, n=100)
    assert rubbing.velocity["right"] == pytest.approx(0.0, abs=1e-12)
    rubbing.step(effort={"right": 1.7}, n=10)
    assert rubbing.velocity["right"] == pytest.approx(0.2 / (0.2 + 9 * 0.2) * 0.01, rel=1e-9)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("dt", [1e-3, 2e-3, 5e-3, 1e-2])
@pytest.mark.parametrize(("mode", "solver"), [*product(("exact", "hard", "compliant"), SOLVERS)])
def test_squeezing_a_stop_is_quiet(mode, solver, dt):
    """IsaacLab#5083: mimic, stops, friction and hard pushes on both fingers; 20,000 steps, no energy and no NaN."""
    sim = compile(fingers(mode), solver=solver, dt=dt)
    sim.step(effort={"right": 40.0, "left": 25.0}, n=300)
    sim.step(n=20_000)
    assert sim.kinetic_energy < ROUNDING
    sim.step(effort={"right": -40.0, "left": 10.0}, n=2_000)
    assert sim.kinetic_energy < ROUNDING
    assert -1e-3 < sim.position["right"] < 0.031


def swings(sim):
    """Both fingers pushed to and fro against their friction and the lower stops, step by step."""
    found = []
    for k in range(60):
        sim.step(effort={"right": 2.0 * np.cos(0.3 * k)})
        found.append([sim.position["right"], sim.position["left"]])
    return np.array(found)


@pytest.mark.parametrize("mode", ["hard", "compliant"])
def test_sweeps_converge_to_direct(mode):
    """pgs by a factor a sweep; tgs, whose positions are moved by all of its sweeps, with their number: a quarter of
    the error for four times as many, give or take which of them friction lets go in."""
    want = swings(compile(fingers(mode, friction=0.3), integrator="euler"))

    def error(solver, n):
        return np.abs(swings(compile(fingers(mode, friction=0.3), solver=solver, iterations=n)) - want).max()

    if mode == "hard":  # equal fingers: one sweep is enough
        assert max(error(solver, n) for solver in ("pgs", "tgs") for n in (1, 4, 64)) < 1e-15
        return
    assert error("pgs", 4) < error("pgs", 1) / 5
    assert error("pgs", 64) < 1e-12
    coarse, fine = error("tgs", 64), error("tgs", 256)
    assert coarse < 5e-3 * np.abs(want).max()
    assert coarse / fine == pytest.approx(4, rel=0.005)  # one sweep more or less in which friction lets go


def chain(n, erp):
    """Wheels, each a hard follower of the one before."""
    return wheels([0.1] * n, [follow(f"w{k}", (f"w{k - 1}", 1.0), mode="hard", erp=erp) for k in range(1, n)])


def largest_error(sim, steps=300):
    """While the first wheel is shaken."""
    worst = 0.0
    for k in range(steps):
        sim.step(effort={"w0": np.sin(0.04 * k)})
        worst = max(worst, *(abs(sim.coupling_error[name]) for name in sim.robot.couplings))
    return worst


@pytest.mark.parametrize("erp", [0.2, 1.0])
@pytest.mark.parametrize("n", [4, 8])
def test_tgs_beats_pgs_at_equal_sweeps_on_a_stiff_chain(n, erp):
    errors = [largest_error(compile(chain(12, erp), solver=solver, iterations=n)) for solver in ("pgs", "tgs")]
    assert errors[1] < 0.6 * errors[0]


@pytest.mark.parametrize("solver", ["pgs", "tgs"])
def test_few_sweeps_over_a_long_chain_do_not_ring_up(solver):
    """Impulses that took an error off are no guess for the next step: carried over, they grew 1e18-fold here."""
    assert largest_error(compile(chain(20, 1.0), solver=solver, iterations=3), steps=1000) < 5e-6


def test_the_same_bits_in_a_batch():
    """Robots of one block that settle after different numbers of sweeps do not disturb each other."""
    pushes = np.linspace(-2.0, 5.0, 13)
    many = compile(fingers("hard"), batch=13)
    many.step(effort={"right": pushes}, n=150)
    for k, push in enumerate(pushes):
        one = compile(fingers("hard"))
        one.step(effort={"right": float(push)}, n=150)
        assert one.state.tobytes() == many.state[k].tobytes()


def test_state_restores_to_the_bit():
    sim = compile(fingers("hard"), solver="pgs", iterations=3)
    sim.step(effort={"right": 1.3}, n=37)
    kept = sim.state
    sim.step(n=50)
    after = sim.state
    sim.state = kept
    sim.step(n=50)
    assert sim.state.tobytes() == after.tobytes()


def test_linearisation_of_a_step_with_rows():
    """By central differences of the step itself, away from edges: sliding, held by the hard coupling."""
    sim = compile(fingers("hard", friction=0.1))
    sim.step(effort={"right": 2.0}, n=30)
    A, B = sim.linearize()
    start, n, h = sim.state, len(A), 1e-7
    for k in range(n):
        after = []
        for sign in (1, -1):
            state = start.copy()
            state[k] += sign * h
            sim.state = state
            sim.step()
            after.append(sim.state[:n])
        assert (after[0] - after[1]) / (2 * h) == pytest.approx(A[:, k], abs=1e-9 * np.abs(A).max())  # rounding over h
    assert B.shape == (n, 2)


def test_what_rows_do_not_change(double_pendulum):
    """A robot without rows has no impulses and no segments: only what a step is guessed from, and counters."""
    assert compile(double_pendulum, integrator="euler").state.shape == (4,)
    sim = compile(double_pendulum)
    assert sim.state.shape == (15,)
    assert {name: size for name, size in sim.batch_state.parts.items() if size} == {
        "position": 2, "velocity": 2, "mean_velocity": 2, "missed": 4,
        "smooth": 1, "substepping": 3, "unsettled": 1,
    }  # fmt: skip


@pytest.mark.parametrize("precision", ["double", "single"])
def test_followers_without_friction_have_accelerations(precision):
    """Friction is shared between axes that turn together; where there is none, the share is nothing by nothing."""
    sim = compile(fingers("exact", friction=0.1), precision=precision, parameters=["right.friction", "left.friction"])
    sim.set_parameters({"right.friction": 0.0, "left.friction": 0.0})
    sim.step(effort={"right": 2.0}, n=3)
    free = compile(fingers("exact", friction=0.0), precision=precision)
    free.step(effort={"right": 2.0}, n=3)
    assert sim.acceleration["left"] == pytest.approx(free.acceleration["left"], rel=1e-6)  # single precision
